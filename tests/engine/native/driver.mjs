// What driver.c does, by the engine in WebAssembly: node driver.mjs wasm32.wasm model
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

const [library, model] = process.argv.slice(2);
const file = readFileSync(model);
let at = 0;
const take = (size) => file.subarray(at, (at += size));
const number = () => take(4).readInt32LE();

const nothing = new Proxy({}, { get: () => () => 0 }); // an abort's reason is printed nowhere
const code = readFileSync(library);
if (!WebAssembly.validate(code)) setFlagsFromString("--experimental-wasm-relaxed-simd"); // of an older Node.js
const { exports: engine } = new WebAssembly.Instance(new WebAssembly.Module(code), {
  wasi_snapshot_preview1: nothing,
  page: nothing,
});
engine._initialize();
const allocated = (size) => {
  const place = engine.regard_allocate(size);
  if (place === 0) throw new Error(`no memory for ${size} bytes`);
  return place;
};
const copied = (bytes) => {
  const place = allocated(bytes.length);
  new Uint8Array(engine.memory.buffer).set(bytes, place);
  return place;
};
const view = () => new DataView(engine.memory.buffer); // of memory that may have grown
const text = (place) => {
  const bytes = new Uint8Array(engine.memory.buffer, place);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
};
const names = [];
for (let place; (place = engine.regard_kernels(names.length)) !== 0;) names.push(text(place));
console.log(names.join(" ") + " ");

const config = copied(take(number()));
const tensors = number();
const all = allocated(32 * tensors);
for (let i = 0, tensor = all; i < tensors; i++, tensor += 32) {
  const name = copied(take(number()));
  const shape = take(16);
  const [rows, columns] = [shape.readBigInt64LE(0), shape.readBigInt64LE(8)];
  const narrow = number();
  const data = copied(take(Number(rows * columns) * (narrow ? 2 : 4)));
  view().setUint32(tensor, name, true);
  view().setUint32(tensor + 4, data, true);
  view().setBigInt64(tensor + 8, rows, true);
  view().setBigInt64(tensor + 16, columns, true);
  view().setInt32(tensor + 24, narrow, true);
  view().setInt32(tensor + 28, 0, true);
}
const opened = engine.regard_open(config, all, tensors);
if (opened === 0) throw new Error(text(engine.regard_error()));

const [start, end, most, beams] = [number(), number(), number(), number()];
const ends = copied(new Uint8Array(Int32Array.of(end).buffer));
const settings = copied(new Uint8Array(96));
[start, most, 0, beams, beams, 0, 0, 0, 0, -1, -1].forEach((value, i) =>
  view().setInt32(settings + 4 * i, value, true),
);
view().setFloat64(settings + 48, 1, true); // the penalties
view().setFloat64(settings + 56, 1, true);
view().setUint32(settings + 64, ends, true);
view().setInt32(settings + 72, 1, true);
const [texts, length] = [number(), number()];
const ids = copied(take(4 * texts * length));
const [pointer, done, found] = [allocated(4), allocated(8), allocated(48)];
const shape = [BigInt(texts), BigInt(length)];
const check = (status) => {
  if (status !== 0) throw new Error(text(engine.regard_error()));
};
check(engine.regard_search_open(opened, ids, ...shape, settings, 1, 8, pointer));
const search = view().getUint32(pointer, true);
view().setBigInt64(done, 0n, true);
while (view().getBigInt64(done, true) < shape[0]) check(engine.regard_search_run(search, 0, done));
check(engine.regard_search_read(search, found));
const memory = view();
const array = (field) => memory.getUint32(found + field, true);
let token = array(40);
for (let i = 0; i < Number(memory.getBigInt64(found + 8, true)); i++) {
  const words = [memory.getUint32(array(32) + 4 * i, true).toString(16).padStart(8, "0")];
  for (let t = memory.getInt32(array(28) + 4 * i, true); t > 0; t--, token += 4)
    words.push(memory.getInt32(token, true));
  console.log(words.join(" "));
}
engine.regard_close(opened);
