import { expect, test } from "vitest";
import { DEFAULTS, deliberate, LONGEST_TEXT, read, write, type Address } from "./url";

const EVERYTHING: Address = {
  trace: { model: "en-de", text: "Zwei Männer & ein Hund?", id: "", hypothesis: 2, without: ["3", "4", "target:2", "decoder.layers.2.cross:1", "decoder.layers.2.cross:1:7:10"], looks: ["4:8", "decoder.layers.2.cross:1:5:9"], forced_beginning: [7, 0], num_beams: 3, temperature: 0.5, top_p: 0.9, seed: 0, target: "Zwei" },
  view: "sentence",
  tapName: "decoder.layers.3.cross",
  head: "mean",
  quantity: "norm",
  scale: "row",
  group: "word",
  reduce: "mean",
  sinkless: true,
  viewport: { row: 12.5, column: 0, columns: 37.25 },
  focus: { query: 7, key: 0 },
  drawer: "why",
  locked: [2, 3, 5],
  step: 0,
  heads: [3, null, "mean"],
  aligned: "input",
  pieces: "token",
  drawn: ["0:1", "3:4"],
  against: 17,
  measured: "target",
  difference: true,
  other: { trace: { model: "en-hi", text: "a, b", id: "" }, tap: "encoder.layers.0.self", head: 3 },
  theme: "dark",
  language: "de",
  landing: false,
  learn: null,
};

test("an address with everything in it comes back as it was", () => {
  expect(read(write(EVERYTHING))).toEqual(EVERYTHING);
});

test("what is as by default is not written", () => {
  expect(write(DEFAULTS)).toBe("");
  expect(read("")).toEqual(DEFAULTS);
});

test("a text too long for a link is named by its trace's id", () => {
  const trace = { model: "m", text: "x".repeat(LONGEST_TEXT + 1), id: "ab12" };
  const address = { ...DEFAULTS, trace };
  expect(write(address)).toBe("trace=ab12");
  expect(read(write(address)).trace).toEqual({ model: "", text: "", id: "ab12" });
});

test("what makes no sense is as by default", () => {
  const nonsense = "view=list&head=-3&scale=&at=1,x,3&focus=2&locked=1,-2,2.5,4&step=two&other=3&theme=pink";
  expect(read(nonsense)).toEqual({ ...DEFAULTS, locked: [1, 4], landing: false });
});

test("a comparison within one trace does not name the trace twice", () => {
  const address: Address = { ...DEFAULTS, landing: false, other: { trace: null, tap: "encoder.layers.1.self", head: 5 } };
  expect(write(address)).toBe("other=5,encoder.layers.1.self");
  expect(read(write(address))).toEqual(address);
});

test("panning and moving the focus are no steps of the history, another head is", () => {
  const panned = { ...EVERYTHING, viewport: { row: 0, column: 1, columns: 9 }, focus: { query: 1, key: 1 } };
  expect(deliberate(EVERYTHING, panned)).toBe(false);
  expect(deliberate(EVERYTHING, { ...panned, head: 1 })).toBe(true);
});

test("a link that names no more than a text leaves to the page what to show of it", () => {
  expect(["", "model=en-de&text=A+dog.&beams=3&theme=dark", "trace=ab12"].map((query) => read(query).landing)).toEqual([true, true, true]);
  expect(["text=A+dog.&view=map", "trace=ab12&head=0", "learn=words"].map((query) => read(query).landing)).toEqual([false, false, false]);
});
