/** Models that are no translators against Python with the same weights: tests/fixtures/local_kinds.py made the numbers. */
import { describe, expect, test, vi } from "vitest";
import emotions from "../../../src/regard/shipped/emotions/tokenizer.json?raw";
import minilm from "../../../src/regard/shipped/minilm/tokenizer.json?raw";
import shakespeare from "../../../src/regard/shipped/shakespeare/tokenizer.json?raw";
import fixture from "../../../tests/fixtures/local_kinds.json";
import { engines, library, packed } from "../../tests/library";
import type { AblationRequest, TraceInfo, TraceRequest } from "../source";
import { localSource } from "../source/local";
import type { Ask } from "./ask";
import { fromBase64 } from "./base64";
import type { ModelFile } from "./config";
import { engine } from "./engine";
import type { Model } from "./model";
import { Reader } from "./reader";
import { answered, type Asked } from "./messages";
import { study } from "./study/study";
import { attribution, lens, measures } from "./study/why";
import { tokenizer, type TokenizerFile } from "./text/tokenizer";
import { Writer } from "./writer";

type Traced = Pick<TraceInfo, "axes" | "generation" | "labels" | "nearest" | "notes"> & { weights: Record<string, number[]> };
interface Kind {
  file: ModelFile;
  weights: string;
  plain: Traced;
  pulled: Traced;
  looks: string[];
  asked?: (Traced & { asked: Partial<TraceRequest> })[];
  ablations?: unknown[];
  reliance?: unknown[];
  why?: Record<"lens" | "measures" | "attribution", object>;
}

const kinds = Object.entries(fixture.kinds) as unknown as [string, Kind][];
const TEXT = "the dog sees the old house.";
const WHY = 2;
const opened = ({ file, weights }: Kind): Model => {
  const model = new (file.reading ? Reader : Writer)(file, library);
  model.fill(fromBase64(weights));
  return model;
};
/** A page with these models in it, whose weights come in these pieces. */
const sourceOf = async (those: typeof kinds, weights: string[]) => {
  const answers = { ...engine(), ...study };
  const ask = (async (question: Asked, show = () => undefined) => answered(answers, question, show)) as Ask;
  const files = await Promise.all(those.map(([, { file }]) => packed(new TextEncoder().encode(JSON.stringify(file)))));
  async function* pieces() {
    for (const each of weights) yield packed(fromBase64(each));
  }
  void answers.open({ models: files, engines: await engines() });
  return localSource(those.map(([, { file }]) => file.info), pieces(), ask);
};
/** Numbers that are near, and all else the same. */
const near = (found: unknown, expected: unknown, within = 3e-5) => {
  if (typeof expected === "number") expect(Math.abs((found as number) - expected)).toBeLessThanOrEqual(within * Math.max(1, Math.abs(expected)));
  else if (typeof expected === "object" && expected) {
    expect(Object.keys(found as object).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, value] of Object.entries(expected)) near((found as Record<string, unknown>)[name], value, within);
  } else expect(found).toEqual(expected);
};
const same = (model: Model, wanted: Partial<TraceRequest>, expected: Traced) => {
  const { info, kept } = model.trace({ model: "", text: TEXT, ...wanted });
  const { axes, generation, labels = [], nearest = [] } = info;
  near({ axes, generation, labels, nearest }, { axes: expected.axes, generation: expected.generation, labels: expected.labels, nearest: expected.nearest });
  expect(info.notes?.slice(0, -1)).toEqual(expected.notes);
  const maps = new Map(kept().numbers);
  for (const [tap, weights] of Object.entries(expected.weights)) {
    const found = maps.get(`map?head=1&quantity=weight&tap=${tap}`)?.values ?? [];
    near([...found].map((value) => value || 0), weights, 1e-5);
  }
};

describe.each(kinds)("%s", (_, kind) => {
  const model = opened(kind);

  test("what it says, its maps and its notes are Python's", () => same(model, {}, kind.plain));

  test("what it says where rows look elsewhere is Python's", () => same(model, { looks: kind.looks }, kind.pulled));

  test.runIf(kind.ablations)("what is switched off changes it as it does in Python", () => {
    const { info, run } = model.trace({ model: "", text: TEXT });
    const tap = info.taps[0]?.name as string;
    const requests = [{ what: "edge", head: 1, query: 4, key: 2 }, { what: "head", head: 0 }, { what: "token", key: 1 }];
    near(requests.map((each) => model.ablate(run, info, { tap, head: 0, query: 0, key: 0, step: null, ...each } as AblationRequest)), kind.ablations);
  });

  test.each(kind.asked ?? [])("asked for $asked it writes what Python writes", ({ asked, ...expected }) => same(model, asked, expected));

  test.runIf(kind.why)("lens, measures and terms of a logit are Python's", () => {
    const { run } = model.trace({ model: "", text: TEXT });
    const writer = model as Writer;
    near(lens(writer, run, WHY), kind.why?.lens);
    near(measures(writer, run, WHY, "tokens"), kind.why?.measures);
    // A network's layers are terms one by one in Python.
    const sums = ({ contributions, ...rest }: ReturnType<typeof attribution>) => {
      const totals: Record<string, number> = {};
      for (const { value, ...term } of contributions) totals[JSON.stringify(term)] = (totals[JSON.stringify(term)] ?? 0) + value;
      return { ...rest, totals };
    };
    near(sums(attribution(writer, run, WHY, null)), sums(kind.why?.attribution as ReturnType<typeof attribution>));
  });
});

test("a file of several models answers with each, and reliance is known of a label alone", async () => {
  const source = await sourceOf(kinds, kinds.map(([, { weights }]) => weights));
  expect((await source.models()).map(({ name }) => name)).toEqual(kinds.map(([name]) => name));
  const traces = await Promise.all(["one", "gpt2"].map((model) => source.trace({ model, text: TEXT })));
  near(await source.reliance((traces[0] as TraceInfo).id, "anywhere"), kinds[0]?.[1].reliance);
  await expect(source.reliance((traces[1] as TraceInfo).id, "anywhere")).rejects.toThrow("known for a translation or a label");
  await expect(source.lens((traces[0] as TraceInfo).id, 0)).rejects.toThrow("choose a model that writes");
  expect(() => study.next({ request: { text: TEXT } })).toThrow("this file has none");
});

test("what a model writes is shown token by token, until it is stopped", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 100)); // each token takes so long
  const source = await sourceOf(kinds, kinds.map(([, { weights }]) => weights));
  const shown: string[] = [];
  source.written?.subscribe((text) => void shown.push(text));
  const { generation } = await source.trace({ model: "gpt2", text: TEXT, generate: 6, num_beams: 1 });
  const whole = generation?.hypotheses[0]?.text ?? "";
  expect(shown.at(-1)).toBe("");
  expect(shown.filter(Boolean).length).toBeGreaterThan(2);
  expect(shown.every((text) => whole.startsWith(text))).toBe(true);
  const stop = new AbortController();
  source.written?.subscribe((text) => void (text && stop.abort()));
  const stopped = source.trace({ model: "gpt2", text: TEXT, generate: 5, num_beams: 1 }, stop.signal);
  await expect(stopped).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  vi.restoreAllMocks();
});

test("a trace that has gone is made again for what is asked of it", async () => {
  const source = await sourceOf(kinds.slice(0, 1), kinds.slice(0, 1).map(([, { weights }]) => weights));
  const { id } = await source.trace({ model: "one", text: TEXT });
  for (let cut = 1; cut < 10; cut++) await source.trace({ model: "one", text: TEXT.slice(0, -cut) });
  near(await source.reliance(id, "anywhere"), kinds[0]?.[1].reliance);
});

test("a file that is cut off is said to be so", async () => {
  const source = await sourceOf(kinds.slice(0, 1), []);
  await expect(source.trace({ model: "one", text: TEXT })).rejects.toThrow("This file is cut off");
});

test.each([["emotions", emotions], ["minilm", minilm], ["shakespeare", shakespeare]] as const)("the ids of %s's tokenizer are Python's, in any script", (name, text) => {
  const { encode } = tokenizer(JSON.parse(text) as TokenizerFile);
  fixture.sentences.forEach((sentence, i) => expect(encode(sentence)).toEqual(fixture.ids[name][i]));
});

test("bytes are spelled as GPT-2's vocabulary spells them", () => {
  const { encode, decode } = tokenizer(fixture.bytes.file as unknown as TokenizerFile);
  fixture.sentences.forEach((sentence, i) => {
    expect(encode(sentence)).toEqual(fixture.bytes.ids[i]);
    expect(decode(fixture.bytes.ids[i] as number[])).toBe(fixture.bytes.texts[i]);
  });
});
