// A translator that `regard export onnx` wrote, decoded greedily: node translate.mjs FOLDER TEXT
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import * as ort from "onnxruntime-node";

const [folder, text] = process.argv.slice(2);
const json = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
const open = (name) => ort.InferenceSession.create(`${folder}/${name}.onnx`);
const int64 = (values, shape) => new ort.Tensor("int64", BigInt64Array.from(values, BigInt), shape);
const float32 = (values, shape) => new ort.Tensor("float32", values, shape);

const settings = { ...json("config"), ...json("generation_config") };
const tokenizer = new Tokenizer(json("tokenizer"), json("tokenizer_config"));
const [encoder, step] = await Promise.all([open("encoder"), open("step")]);

const { ids } = tokenizer.encode(text);
const mask = new ort.Tensor("int32", new Int32Array(ids.length).fill(1), [1, ids.length]);
const { states, ...memory } = await encoder.run({ ids: int64(ids, [1, ids.length]), mask });

const room = 128; // tokens of a translation, at most
const masked = (length) => new Float32Array(length).fill(-3.4028234663852886e38);
const padded = memory.memory_v0.dims[2];
const sourceMask = masked(padded).fill(0, 0, ids.length);
const pastMask = masked(room + 1).fill(0, room); // the last one is of the new token
const names = step.inputNames.filter((name) => /^past_[kv]/.test(name));
const [, , heads, width] = step.outputMetadata.find((each) => each.name === "new").shape;
const past = names.map(() => new Float32Array(heads * room * width));

const written = [];
for (let token = settings.decoder_start_token_id; written.length < room; written.push(token)) {
  const position = written.length;
  const feeds = {
    ...memory,
    tokens: int64([token], [1, 1]),
    position: int64([position], [1]),
    count: int64([1], [1]),
    mask: float32(sourceMask, [1, 1, 1, padded]),
    past_mask: float32(pastMask, [1, 1, 1, room + 1]),
  };
  names.forEach((name, k) => (feeds[name] = float32(past[k], [1, heads, room, width])));
  const found = await step.run(feeds, ["best", "new"]);
  for (let k = 0, start = 0; k < names.length * heads; k++, start += width) {
    const place = ((k % heads) * room + position) * width;
    past[Math.floor(k / heads)].set(found.new.data.subarray(start, start + width), place);
  }
  pastMask[position] = 0;
  token = Number(found.best.data[0]);
  if (token === settings.eos_token_id) break;
}
console.log(tokenizer.decode(written));
