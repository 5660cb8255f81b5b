// A classifier of texts that `regard export onnx` wrote: node classify.mjs FOLDER TEXT
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import * as ort from "onnxruntime-node";

const [folder, text] = process.argv.slice(2);
const json = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
const open = (name) => ort.InferenceSession.create(`${folder}/${name}.onnx`);

const { id2label, problem_type } = json("config");
const tokenizer = new Tokenizer(json("tokenizer"), json("tokenizer_config"));
const [body, head] = await Promise.all([open("body"), open("head")]);

const { ids } = tokenizer.encode(text);
const shape = [1, ids.length];
const int64 = (values) => new ort.Tensor("int64", BigInt64Array.from(values, BigInt), shape);
const feeds = { ids: int64(ids), mask: new ort.Tensor("int32", new Int32Array(ids.length).fill(1), shape) };
if (body.inputNames.includes("token_type_ids")) feeds.token_type_ids = int64(ids.map(() => 0));

const { states } = await body.run(feeds);
const logits = [...(await head.run({ states })).output.data];
const powers = logits.map((each) => Math.exp(each));
const total = powers.reduce((sum, each) => sum + each);
const several = problem_type === "multi_label_classification";
const scores = powers.map((each) => each / (several ? 1 + each : total));
const best = scores.indexOf(Math.max(...scores));
console.log(`${id2label[best]}\t${scores[best].toFixed(4)}`);
