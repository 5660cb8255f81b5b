// The live page's engine without the page: a line of JSON with a request → a line with the answer.
// benchmarks/live.py bundles it for Node.js; the first argument is the page that holds the model.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fromBase64, unpacked } from "../web/src/local/base64";
import { Translator } from "../web/src/local/translator";

const [, , path = ""] = process.argv;
const page = readFileSync(path, "utf8");
const texts = (start: string) =>
  page.split(start).slice(1).map((rest) => rest.slice(rest.indexOf(">") + 1, rest.indexOf("</script>")));
const file = JSON.parse(texts('id="regard-model"')[0] as string);
const translator = new Translator(file, await unpacked(texts('id="regard-engine"')[0] as string));
for (const piece of texts('type="application/octet-stream"')) translator.fill(fromBase64(piece));

for await (const line of createInterface({ input: process.stdin })) {
  const wanted = JSON.parse(line) as { text: string; num_beams: number };
  const before = performance.now();
  const { info, kept } = translator.trace({ model: file.info.name, ...wanted });
  const { numbers } = kept();
  const ms = performance.now() - before;
  const maps = numbers.filter(([name]) => name.startsWith("map")).map(([name, { values }]) => [name, [...values]]);
  console.log(JSON.stringify({ text: info.generation?.hypotheses[0]?.text, ms, maps: Object.fromEntries(maps) }));
}
