/** Wording of layers, heads, quantities and numbers. */
import type { Head, Quantity, TapInfo } from "../source";

/** "self-attention, encoder layer 2" */
export function tapWords(tap: TapInfo): string {
  return `${tap.kind}-attention, ${tap.side} layer ${tap.layer}`;
}

export function headWords(head: Head): string {
  return head === "mean" ? "mean over heads" : `head ${head}`;
}

export const QUANTITY: Record<Quantity, string> = { weight: "α", norm: "‖α·f(x)‖", score: "score" };

/** "α of cross-attention, decoder layer 3, mean over heads" */
export function captionWords(quantity: Quantity, tap: TapInfo, heads: readonly Head[]): string {
  const named = heads.filter((head): head is number => head !== "mean").sort((a, b) => a - b);
  const parts = named.length > 1 ? [`heads ${named.join(", ")}`] : named.map((head) => headWords(head));
  if (heads.includes("mean")) parts.push(headWords("mean"));
  return `${QUANTITY[quantity]} of ${tapWords(tap)}, ${parts.join(" and ")}`;
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

/** "1 more line", "312 more lines" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
