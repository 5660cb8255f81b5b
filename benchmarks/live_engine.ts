// The live page's engine without the page: a line of JSON with a request → a line with the answer.
// benchmarks/live.py bundles it for Node.js; the first argument is the page that holds the model.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { unpacked } from "../web/src/local/base64";
import { engine, modelOf } from "../web/src/local/engine";
import type { TraceRequest } from "../web/src/source";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // as browsers have it; not known where it is no experiment any more
const [, , path = ""] = process.argv;
const page = readFileSync(path, "utf8");
const texts = (start: string) =>
  page.split(start).slice(1).map((rest) => rest.slice(rest.indexOf(">") + 1, rest.indexOf("</script>")));
const { open, fill } = engine();
await open({ models: texts('id="regard-model-'), engines: texts('id="regard-engine-') });
let model = "";
for (const piece of texts('type="application/octet-stream"')) model = (await fill({ piece })) ?? model;

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(answerTo(line)));

function answerTo(line: string): object {
  const before = performance.now();
  const { maps: asked = true, ...wanted } = { model, ...(JSON.parse(line) as TraceRequest & { maps?: boolean }) };
  try {
    const { info, run, kept } = modelOf(wanted.model).trace(wanted);
    const numbers = asked ? kept().numbers : [];
    const ms = performance.now() - before;
    const maps = numbers.filter(([name]) => name.startsWith("map")).map(([name, { values }]) => [name, [...values]]);
    const { generation, labels = [], nearest = [] } = info;
    return { text: generation?.hypotheses[0]?.text, labels, nearest, read: run.source, written: run.target, ms, maps: Object.fromEntries(maps) };
  } catch (error) {
    return { refusal: (error as Error).message };
  }
}
