// The live page's engine without the page: a line of JSON with a request → a line with the answer.
// benchmarks/live.py bundles it for Node.js; the first argument is the page that holds the model.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { unpacked } from "../web/src/local/base64";
import { Translator } from "../web/src/local/translator";

const [, , path = ""] = process.argv;
const page = readFileSync(path, "utf8");
const texts = (start: string) =>
  page.split(start).slice(1).map((rest) => rest.slice(rest.indexOf(">") + 1, rest.indexOf("</script>")));
const unpackedOf = (id: string) => unpacked(texts(`id="${id}"`)[0] as string);
const file = JSON.parse(new TextDecoder().decode(await unpackedOf("regard-model")));
const translator = new Translator(file, await unpackedOf("regard-engine"));
for (const piece of texts('type="application/octet-stream"')) translator.fill(new Uint8Array(await unpacked(piece)));

for await (const line of createInterface({ input: process.stdin })) {
  const wanted = JSON.parse(line) as { text: string; num_beams: number };
  const before = performance.now();
  const { info, kept } = translator.trace({ model: file.info.name, ...wanted });
  const { numbers } = kept();
  const ms = performance.now() - before;
  const maps = numbers.filter(([name]) => name.startsWith("map")).map(([name, { values }]) => [name, [...values]]);
  console.log(JSON.stringify({ text: info.generation?.hypotheses[0]?.text, ms, maps: Object.fromEntries(maps) }));
}
