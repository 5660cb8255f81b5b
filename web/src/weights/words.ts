/** Wording of layers, heads, quantities and numbers. */
import type { Head, Quantity, TapInfo } from "../source";
import type { Key, Say } from "../words/words";

/** "self-attention, encoder layer 2" */
export function tapWords(say: Say, { kind, side, layer }: Pick<TapInfo, "kind" | "side" | "layer">): string {
  return say("tap", { kind: say(`tap.${kind}` as Key), side: say(`tap.${side}` as Key), layer });
}

export function headWords(say: Say, head: Head): string {
  return head === "mean" ? say("head.mean") : say("head.n", { head });
}

/** A sequence's name; one that a program gave stays as it is. */
export function axisWords(say: Say, name: string): string {
  return say.knows(`axis.${name}`) ? say(`axis.${name}` as Key) : name;
}

/** "weight of cross-attention, decoder layer 3, mean over heads" */
export function captionWords(say: Say, quantity: Quantity, tap: TapInfo, heads: readonly Head[]): string {
  const named = heads.filter((head): head is number => head !== "mean").sort((a, b) => a - b);
  const parts = named.length > 1 ? [say("heads.n", { heads: named.join(", ") })] : named.map((head) => headWords(say, head));
  if (heads.includes("mean")) parts.push(headWords(say, "mean"));
  return say("caption", { quantity: say(quantity), tap: tapWords(say, tap), heads: parts.join(say("said.and")) });
}

/** "41 %", "4.1 %", "0.3 %", "< 0.1 %", with narrow spaces that do not break. */
export function percent(share: number): string {
  const value = share * 100;
  if (!Number.isFinite(value)) return "–";
  if (value > 0 && value < 0.1) return "<\u202f0.1\u202f%";
  return `${value >= 9.95 || value === 0 ? value.toFixed(0) : value.toFixed(1)}\u202f%`;
}

/** A weight as a share, a norm as a number. */
export function amount(value: number, quantity: "weight" | "norm"): string {
  if (quantity === "weight") return percent(value);
  return value === 0 ? "0" : Math.abs(value) < 0.001 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
