// Runs the worker of a page that computes by itself: node page.mjs WORKER ENGINE...
// Each line of the input is a model, its weights and a text, packed as in a page; each line of the
// output is what a trace of the text says, as JSON, or the worker's refusal.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";

const [worker, ...libraries] = process.argv.slice(2);
const engines = libraries.map((file) => gzipSync(readFileSync(file), { level: 1 }).toString("base64"));
const waiting = new Map();
globalThis.self = globalThis;
globalThis.postMessage = (reply) => {
  if ("written" in reply) return;
  waiting.get(reply.id)?.(reply);
  waiting.delete(reply.id);
};
const script = new Script(readFileSync(worker, "utf8"));

let last = 0;
const ask = (question) =>
  new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, (reply) => ("refusal" in reply ? reject(new Error(reply.refusal)) : resolve(reply.answer)));
    self.onmessage({ data: { id, ...question } });
  });

async function traced([model, weights, text]) {
  script.runInThisContext(); // anew, as each page has its own
  await ask({ what: "open", models: [model], engines });
  const name = await ask({ what: "fill", piece: weights });
  if (typeof name !== "string") throw new Error("not all of the weights are there");
  const { info, run } = await ask({ what: "trace", wanted: { model: name, text } });
  const kept = await ask({ what: "kept" });
  return JSON.stringify([info.labels, info.generation?.hypotheses, run.target, kept.numbers.length]);
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = await traced(JSON.parse(line)).then((answer) => `{${answer}}`, (error) => error.message);
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
