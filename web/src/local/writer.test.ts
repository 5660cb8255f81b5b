/** The page's own engine against Python with the same weights: tests/fixtures/local.py made the numbers. */
import { describe, expect, test, vi } from "vitest";
import tokenizerFile from "../../../src/regard/shipped/en-de/tokenizer.json?raw";
import fixture from "../../../tests/fixtures/local.json";
import { engines, library, packed } from "../../tests/library";
import type { AblationRequest, Summary } from "../source";
import { localSource } from "../source/local";
import type { Decoding, ModelFile } from "./config";
import { fromBase64 } from "./base64";
import { engine } from "./engine";
import type { Ask } from "./ask";
import { normalize } from "./text/normalize";
import { tokenizer, type TokenizerFile } from "./text/tokenizer";
import { Native } from "./native";
import { study } from "./study/study";
import { Writer } from "./writer";
import { answered, type Asked } from "./messages";

type Variant = (typeof fixture.variants)["pre"];
const variants = Object.entries(fixture.variants) as unknown as [string, Variant][];
const PIECES: [number, number?][] = [[0, 400], [400, 4000], [4000]]; // of base64, four letters for three bytes
const TEXT = "the dog sees the old house.";
const TARGET = "ein haus sieht";
const fileOf = (variant: Variant) => variant.file as unknown as ModelFile;
const opened = (variant: Variant, more: Partial<ModelFile> = {}) => {
  const translator = new Writer({ ...fileOf(variant), ...more }, library);
  translator.fill(fromBase64(variant.weights));
  return translator;
};
const sourceOf = async (variant: Variant) => {
  const answers = { ...engine(), ...study };
  const ask = (async (question: Asked) => answered(answers, question, () => undefined)) as Ask;
  async function* pieces() {
    for (const at of PIECES) yield packed(fromBase64(variant.weights.slice(...at)));
  }
  const model = new TextEncoder().encode(JSON.stringify(variant.file));
  void answers.open({ models: [await packed(model)], engines: await engines() });
  return localSource([fileOf(variant).info], pieces(), ask);
};
const near = (found: ArrayLike<number>, expected: readonly number[], within = 1e-5) => {
  expect(found.length).toBe(expected.length);
  expected.forEach((value, i) => expect(Math.abs((Number.isNaN(found[i]) ? 0 : (found[i] as number)) - value)).toBeLessThan(within));
};

test("a model opens whose example is too long for it", () => {
  const variant = fixture.variants.pre as unknown as Variant;
  const { info } = fileOf(variant);
  const translator = new Writer({ ...fileOf(variant), info: { ...info, example: `${TEXT} `.repeat(500) } }, library);
  expect(() => translator.warm()).not.toThrow();
});

describe.each(variants)("%s-norm", (_, variant) => {
  const translator = opened(variant);

  test.each(["1", "3"] as const)("%s beams find Python's hypotheses with their scores", (beams) => {
    const texts = [TEXT, "a house", "old, old  dogs; 3.5 é"];
    texts.forEach((text, i) => {
      const { info } = translator.trace({ model: "untrained", text, num_beams: Number(beams) });
      const found = info.generation?.hypotheses ?? [];
      const expected = variant.hypotheses[beams][i] as [string, number][];
      expect(found.map((each) => each.text)).toEqual(expected.map(([words]) => words));
      near(found.map((each) => each.score ?? NaN), expected.map(([, score]) => score), 3e-5);
    });
  });

  test.each([1, 3])("a search of %s beams that is stopped leaves nothing in the engine", (num_beams) => {
    const closed = vi.spyOn(translator.model, "closeSearch");
    const run = translator.tracing({ model: "untrained", text: `${TEXT} ${TEXT}`, num_beams });
    run.next();
    run.return(null as never);
    expect(closed).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
  });

  test("where every token is forbidden, there is no text, and a sentence says so", () => {
    const { decoding } = fileOf(variant);
    const forbidden_ids = Array.from({ length: translator.model.outputs }, (_, id) => id);
    const silent = opened(variant, { decoding: { ...(decoding as Decoding), forbidden_ids } });
    expect(() => silent.trace({ model: "untrained", text: TEXT, num_beams: 1 })).toThrow("every token was forbidden at some step");
  });

  test("what is written so far is given at each step", () => {
    const asked = { model: "untrained", text: "old dogs", num_beams: 1 };
    const written = [...opened(variant).tracing(asked)];
    const { run } = translator.trace(asked);
    expect(written.length).toBeGreaterThan(1);
    expect(written).toEqual(run.target.slice(1).map((_, i) => run.target.slice(0, i + 1)));
  });

  test("a text of several sentences is looked at sentence by sentence", () => {
    const text = "The old dog sees. A house!\n\n42\nthe dog";
    const apart = opened(variant, { sentences: { language: "en", longest: 64, copied: null, letters: null } });
    const of = (sentence?: number) => apart.trace({ model: "untrained", text, ...(sentence && { sentence }) }).info;
    const alone = apart.trace({ model: "untrained", text: "A house!" }).info;
    expect(of(2).axes).toEqual(alone.axes);
    expect(of(2).generation).toEqual(alone.generation);
    expect([of(), of(3)].map(({ notes }) => notes?.[1])).toEqual(["sentence 1 of 3", "sentence 3 of 3"]);
    expect(alone.notes?.join()).not.toContain("sentence");
    expect(() => of(4)).toThrow("sentence must be from 1 to 3, as the text has them; got 4.");
  });

  test("every map, log-sum-exp and norm is Python's", () => {
    const { numbers } = translator.trace({ model: "untrained", text: TEXT, target: TARGET }).kept();
    const found = new Map(numbers);
    for (const [tap, { weights, lse, norms }] of Object.entries(variant.taps)) {
      const of = (what: string, more = "") => found.get(`${what}?head=1${more}&tap=${tap}`)?.values ?? [];
      near(of("map", "&quantity=weight"), weights);
      near(of("lse"), lse, 3e-5);
      near(of("value_norms"), norms, 3e-5);
    }
  });

  test("every head's entropy, distance and share of each pattern is Python's, and so is its name", () => {
    const { plain } = translator.trace({ model: "untrained", text: TEXT, target: TARGET }).kept();
    const found = new Map(plain);
    for (const [tap, { heads }] of Object.entries(variant.taps)) {
      const summary = found.get(`summary?tap=${tap}`) as Summary;
      expect(summary.heads).toHaveLength(heads.length);
      heads.forEach((expected, head) => {
        const own = summary.heads[head] as Summary["heads"][number];
        expect(own.pattern).toBe(expected.pattern);
        near([own.entropy, own.distance ?? -1], [expected.entropy, expected.distance ?? -1], 3e-5);
        expect([...own.patterns].map(({ name, rows }) => `${name} ${rows}`).sort()).toEqual(expected.patterns.map(({ name, rows }) => `${name} ${rows}`).sort());
        for (const score of expected.patterns) {
          const same = own.patterns.find(({ name }) => name === score.name);
          near([same?.share ?? NaN, same?.chance ?? NaN], [score.share, score.chance]);
        }
      });
    }
  });

  test("axes and steps are described as Python describes them", () => {
    const { info } = translator.trace({ model: "untrained", text: TEXT, target: TARGET });
    expect(info.axes).toEqual(variant.axes);
    expect(info.generation?.hypotheses.map((each) => each.tokens)).toEqual(variant.generation.hypotheses.map((each) => each.tokens));
    info.generation?.steps.forEach((step, i) => {
      const expected = variant.generation.steps[i] as (typeof variant.generation.steps)[number];
      expect(step.candidates.map((each) => each.token)).toEqual(expected.candidates.map((each) => each.token));
      near([step.probability], [expected.probability]);
    });
    expect(info.receipt.row_sum_error).toBeLessThan(1e-6);
  });

  test("what is switched off changes the output as it does in Python", () => {
    const { info, run } = translator.trace({ model: "untrained", text: TEXT, target: TARGET });
    const requests = [
      { what: "edge", tap: "decoder.layers.1.cross", head: 1, query: 2, key: 3, step: 2 },
      { what: "head", tap: "encoder.layers.0.self", head: 0, query: 0, key: 0, step: 1 },
      { what: "token", tap: "decoder.layers.0.cross", head: 0, query: 0, key: 1, step: null },
      { what: "token", tap: "decoder.layers.0.self", head: 0, query: 0, key: 0, step: 3 },
    ] satisfies AblationRequest[];
    requests.forEach((request, i) => {
      const found = translator.ablate(run, info, request);
      const expected = variant.ablations[i] as (typeof variant.ablations)[number];
      expect([found.step, found.token, found.note]).toEqual([expected.step, expected.token, expected.note]);
      near([found.before, found.after], [expected.before, expected.after]);
    });
  });

  test.each(["struck", "off", "pulled"] as const)("with what is %s the output, its maps and the notes are Python's", (kind) => {
    const { parts: without, looks, ...struck } = variant[kind];
    const { info, kept } = translator.trace({ model: "untrained", text: TEXT, target: TARGET, without, looks });
    const found = new Map(kept().numbers);
    for (const [tap, { weights, lse }] of Object.entries(struck.taps)) {
      near(found.get(`map?head=1&quantity=weight&tap=${tap}`)?.values ?? [], weights);
      near(found.get(`lse?head=1&tap=${tap}`)?.values ?? [], lse, 3e-5);
    }
    near((info.generation?.steps ?? []).map((each) => each.probability), struck.probabilities);
    expect(info.notes?.slice(0, -1)).toEqual(struck.notes);
    const searched = translator.trace({ model: "untrained", text: TEXT, num_beams: 3, without, looks }).info.generation?.hypotheses ?? [];
    const expected = struck.hypotheses as unknown as [string, number][];
    expect(searched.map((each) => each.text)).toEqual(expected.map(([words]) => words));
    near(searched.map((each) => each.score ?? NaN), expected.map(([, score]) => score), 3e-5);
  });

  test("an output that is made to begin with other words goes on as in Python", () => {
    const { beginning, note, ids, probabilities, hypotheses } = variant.forced;
    const traced = (num_beams: number) => translator.trace({ model: "untrained", text: TEXT, num_beams, forced_beginning: beginning });
    const { info, run } = traced(3);
    expect([run.target, info.notes?.[1]]).toEqual([ids, note]);
    near((info.generation?.steps ?? []).map((each) => each.probability), probabilities);
    const found = [1, 3].flatMap((beams) => traced(beams).info.generation?.hypotheses ?? []);
    const expected = hypotheses as unknown as [string, number][];
    expect(found.map((each) => each.text)).toEqual(expected.map(([text]) => text));
    near(found.map((each) => each.score ?? NaN), expected.map(([, score]) => score), 3e-5);
    expect(() => translator.trace({ model: "untrained", text: TEXT, forced_beginning: [10 ** 6] })).toThrow("got 1000000");
  });

  test("the output's reliance on each word is Python's", async () => {
    const source = await sourceOf(variant);
    const { id } = await source.trace({ model: "untrained", text: TEXT, target: TARGET });
    for (const way of ["anywhere", "across", "within"] as const) {
      const [found, expected] = [await source.reliance(id, way), variant.reliance[way]];
      expect(found.map(({ first, end }) => [first, end])).toEqual(expected.map(({ first, end }) => [first, end]));
      near(found.map((each) => each.change), expected.map((each) => each.change), 1e-4);
      near(found.flatMap((each) => each.changes), expected.flatMap((each) => each.changes), 1e-5);
    }
  });

  test("a part that the model does not have is refused", () => {
    const refused = (part: string) => expect(() => translator.trace({ model: "untrained", text: TEXT, without: [part] }));
    refused("99").toThrow("got 99");
    refused("decoder.layers.1.cross:2").toThrow("has heads 0 to 1; got 2");
    refused("decoder.layers.1.cross:1:0:99").toThrow("got 99");
    refused("decoder.layers.7.cross:1").toThrow("There is no tap decoder.layers.7.cross");
    refused("decoder.layers.1.cross:1:0").toThrow("A part to switch off must be");
  });

  test("a look that there cannot be is refused", () => {
    const refused = (look: string, without: string[] = []) => expect(() => translator.trace({ model: "untrained", text: TEXT, looks: [look], without }));
    refused("0:99").toThrow("got 99");
    refused("99:0").toThrow("Rows of target must be from 0 to");
    refused("decoder.layers.1.cross:2:0:1").toThrow("has heads 0 to 1; got 2");
    refused("decoder.layers.7.cross:0:1").toThrow("There is no tap decoder.layers.7.cross");
    refused("decoder.layers.0.self:1:3").toThrow("sees no later position; got a look from 1 to 3");
    refused("haus:dog").toThrow("A look must be a row and the position that it looks at");
    refused("0:3", ["3"]).toThrow("Position 3 of source is struck out");
  });

  test("the tokens that a seed draws are Python's, as is their score", () => {
    for (const { asked, ids, score } of variant.samples) {
      const { run, info } = translator.trace({ model: "untrained", text: TEXT, ...asked });
      expect(run.target).toEqual(ids);
      near([info.generation?.hypotheses[0]?.score ?? NaN], [score], 3e-5);
    }
    expect(new Set(variant.samples.map(({ ids }) => ids.join())).size).toBe(variant.samples.length);
  });

  test("settings of a draw that make no sense are refused", () => {
    const refused = (asked: object) => expect(() => translator.trace({ model: "untrained", text: TEXT, ...asked }));
    refused({ temperature: 0 }).toThrow("temperature must be a number above 0; got 0");
    refused({ top_p: 1.5 }).toThrow("top-p must be above 0 and at most 1; got 1.5");
    refused({ top_k: 2.5 }).toThrow("top-k must be a whole number");
    refused({ seed: -1 }).toThrow("seed must be a whole number");
    refused({ seed: 1, num_beams: 3 }).toThrow("leave out either the 3 beams");
    refused({ seed: 1, target: TARGET }).toThrow("A target leaves nothing to draw");
  });

  test("the source answers tiles and cells of a text, and remembers it", async () => {
    const source = await sourceOf(variant);
    const info = await source.trace({ model: "untrained", text: TEXT });
    expect((await source.trace({ model: "untrained", text: TEXT })).id).toBe(info.id);
    const tap = "decoder.layers.1.cross";
    const tile = await source.tile(info.id, {
      tap, head: "mean", level: 0, row: 0, column: 0, height: 256, width: 256, quantity: "weight", reduce: "max", group: "token", every: 1,
    });
    const rows = info.taps.find((each) => each.name === tap)?.rows ?? 0;
    expect(tile.values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(rows, 4);
    const cell = await source.cell(info.id, tap, 1, 0, 1);
    expect(Math.exp((cell.score ?? NaN) - (cell.lse ?? NaN))).toBeCloseTo(cell.weight, 5);
    expect((await source.thumbnails(info.id, tap, 48)).heads).toBe(2);
    expect((await source.summary(info.id, tap)).heads).toHaveLength(2);
    await expect(source.trace({ model: "en-hi", text: TEXT })).rejects.toThrow("regard export page en-hi");
    await expect(source.trace({ model: "untrained", text: " " })).rejects.toThrow("write a sentence");
  });
});

test("the random numbers are numpy's", () => {
  for (const [seed, numbers] of fixture.draws as [number, number[]][]) expect([...new Native(library).draws(seed, 9)]).toEqual(numbers);
});

test("a tokenizer that folds quotation marks gives Python's ids", () => {
  const { encode } = tokenizer(fixture.folding.file as unknown as TokenizerFile);
  expect(fixture.sentences.map((text) => encode(text))).toEqual(fixture.folding.ids);
});

test("tidy text and its ids are those of Python, in any script", () => {
  const file = JSON.parse(tokenizerFile) as TokenizerFile;
  const { encode, decode } = tokenizer(file);
  fixture.sentences.forEach((text, i) => {
    const tidy = normalize(text);
    expect(tidy).toBe(fixture.normalized[i]);
    expect(encode(tidy)).toEqual(fixture.ids[i]);
    expect(decode(encode(tidy))).toBe(tidy.replace(/[‘’]/g, "'").replace(/[“”]/g, '"')); // en-de folds quotes
  });
});

test("a tokenizer of another kind is refused in a sentence", () => {
  const file = fixture.variants.pre.file.tokenizers.source as unknown as TokenizerFile;
  expect(() => tokenizer({ ...file, model: { ...file.model, type: "Unigram" } as never })).toThrow("model is Unigram");
});
