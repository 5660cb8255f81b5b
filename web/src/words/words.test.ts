import { expect, test } from "vitest";
import { LESSONS } from "../learn/lessons";
import { LANGUAGES, sayIn, TABLE, type Key } from "./words";

const KEYS = Object.keys(TABLE.en) as Key[];
const SAME = new Set(["block.sum_1"]); // formulas

test("every language has every key, with a text and with the same places to fill in", () => {
  const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [value] of LANGUAGES) {
    expect(Object.keys(TABLE[value]).sort()).toEqual([...KEYS].sort());
    for (const key of KEYS) {
      expect(TABLE[value][key].trim(), `${value} ${key}`).not.toBe("");
      expect(places(TABLE[value][key]), `${value} ${key}`).toEqual(places(TABLE.en[key]));
    }
  }
});

test("a Hindi text is written in Devanagari and a German lesson is not the English one", () => {
  for (const key of KEYS) {
    if (SAME.has(key)) continue;
    expect(TABLE.hi[key], key).toMatch(/[\u0900-\u097f]/);
    if (/^lesson\.\w+\.\d/.test(key)) expect(TABLE.de[key], key).not.toBe(TABLE.en[key]);
  }
});

test("every lesson has a title and two paragraphs, and no lesson is without its place on the road", () => {
  const named = new Set(KEYS.filter((key) => key.startsWith("lesson.")).map((key) => key.split(".")[1]));
  expect([...named].sort()).toEqual(LESSONS.map(({ name }) => name).sort());
  for (const { name } of LESSONS)
    for (const part of ["title", "1", "2"]) expect(KEYS).toContain(`lesson.${name}.${part}`);
});

test("what stands in braces is put in, and what is missing stays to be seen", () => {
  expect(sayIn("en")("place", { place: 2, count: 16 })).toBe("lesson 2 of 16");
  expect(sayIn("de")("place", { place: 2, count: 16 })).toBe("Lektion 2 von 16");
  expect(sayIn("en")("place", { place: 2 })).toBe("lesson 2 of {count}");
});
