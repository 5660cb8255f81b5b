import { expect, it } from "vitest";
import type { TapInfo } from "../source";
import { sayIn } from "../words/words";
import { amount, captionWords, percent } from "./words";

const say = sayIn("en");

const tap = { kind: "cross", side: "decoder", layer: 3 } as TapInfo;

it("says quantity, layer and head, and that a mean is one", () => {
  expect(captionWords(say, "weight", tap, ["mean"])).toBe("weight of cross-attention, decoder layer 3, mean over heads");
  expect(captionWords(say, "norm", tap, [7])).toBe("norm of cross-attention, decoder layer 3, head 7");
  expect(captionWords(say, "weight", tap, [5, "mean", 2])).toBe("weight of cross-attention, decoder layer 3, heads 2, 5 and mean over heads");
  expect(captionWords(sayIn("de"), "weight", tap, [7])).toBe("Gewicht der Cross-Attention, Decoder, Schicht 3, Kopf 7");
});

it("writes shares with as many digits as they bear", () => {
  const plain = (share: number) => percent(share).replaceAll("\u202f", " ");
  expect([0.4123, 0.0412, 0.0995, 0.0031, 0.0004, 0, 1].map(plain)).toEqual(
    ["41 %", "4.1 %", "10 %", "0.3 %", "< 0.1 %", "0 %", "100 %"],
  );
  expect(percent(NaN)).toBe("–");
  expect(amount(1.23456, "norm")).toBe("1.23");
  expect(amount(0.00012, "norm")).toBe("1.2e-4");
});
