import { expect, test } from "vitest";
import type { Ablation } from "../../source";
import { beside } from "./Ablate";

test("candidates of before and after stand in one list, the token itself with its own numbers", () => {
  const answer = {
    token: "am",
    before: 0.8,
    after: 0.1,
    candidates_before: [{ token: "am", probability: 0.8 }, { token: "auf", probability: 0.1 }],
    candidates_after: [{ token: "an", probability: 0.7 }, { token: "auf", probability: 0.2 }],
  } as Ablation;
  expect(beside(answer)).toEqual([
    { token: "am", before: 0.8, after: 0.1 },
    { token: "an", before: null, after: 0.7 },
    { token: "auf", before: 0.1, after: 0.2 },
  ]);
});
