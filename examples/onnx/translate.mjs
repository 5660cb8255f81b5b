// A translator that `regard export onnx` wrote, decoded greedily: node translate.mjs FOLDER TEXT
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import * as ort from "onnxruntime-node";

const [folder, text] = process.argv.slice(2);
const json = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
const open = (name) => ort.InferenceSession.create(`${folder}/${name}.onnx`);
const int64 = (values, shape) => new ort.Tensor("int64", BigInt64Array.from(values, BigInt), shape);
const int32 = (values, shape) => new ort.Tensor("int32", Int32Array.from(values), shape);

const settings = { ...json("config"), ...json("generation_config") };
const tokenizer = new Tokenizer(json("tokenizer"), json("tokenizer_config"));
const [encoder, step] = await Promise.all([open("encoder"), open("step")]);

const { ids } = tokenizer.encode(text);
const shape = [1, ids.length];
const mask = int32(ids.map(() => 1), shape);
const { states, ...memory } = await encoder.run({ ids: int64(ids, shape), mask });
const padded = memory.memory_v0.dims[2];
const sourceMask = new Float32Array(padded).fill(-3.4028234663852886e38).fill(0, 0, ids.length);
memory.mask = new ort.Tensor("float32", sourceMask, [1, 1, 1, padded]);
const past = {};
for (const { name, shape } of step.inputMetadata.filter(({ name }) => name.startsWith("past_")))
  past[name] = new ort.Tensor("float32", new Float32Array(0), [1, shape[1], 0, shape[3]]);

const written = [];
let token = settings.decoder_start_token_id;
while (written.length < settings.max_new_tokens) {
  const position = written.length;
  const tokens = int64([token], [1, 1]);
  const places = { position: int64([position], [1]), lengths: int32([position], [1]) };
  const counts = { longest: int32([position + 1], [1]), count: int64([1], [1]) };
  const found = await step.run({ ...memory, ...past, tokens, ...places, ...counts });
  token = Number(found.best.data[0]);
  if (token === settings.eos_token_id) break;
  written.push(token);
  for (const name in past) past[name] = found[name.replace("past", "all")];
}
console.log(tokenizer.decode(written));
