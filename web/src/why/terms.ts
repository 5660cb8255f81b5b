/** A logit's terms as a grid: a row for each layer's self- and cross-attention, a column for each head. */
import type { Attribution } from "../source";

export interface Row {
  layer: number;
  kind: string; // "self", "cross", or "" where a layer has no heads that are known
  tap: string;
  heads: number[];
  network: number | null; // the feed-forward network, on the last of the layer's rows
}

/** Rows, the first layer first; `largest` is in size, of the heads and networks. */
export function termsOf({ contributions }: Attribution) {
  const rows = new Map<string, Row>();
  const networks = new Map<number, number>();
  const [sums, sizes] = [{ embedding: 0, bias: 0 }, [0]];
  for (const { kind, layer, tap, head, value } of contributions) {
    if (kind === "embedding" || kind === "bias") sums[kind] += value;
    else if (kind === "head" && tap !== null && layer !== null) {
      const row = rows.get(tap) ?? { layer, kind: tap.split(".").at(-1) ?? "", tap, heads: [], network: null };
      row.heads[head ?? 0] = value;
      rows.set(tap, row);
    } else if (layer !== null) networks.set(layer, (networks.get(layer) ?? 0) + value);
    if (kind !== "embedding" && kind !== "bias") sizes.push(Math.abs(value));
  }
  const sorted = [...rows.values()];
  for (const [layer, network] of networks) {
    const last = sorted.filter((row) => row.layer === layer).at(-1);
    if (last) last.network = network;
    else sorted.push({ layer, kind: "", tap: "", heads: [], network });
  }
  sorted.sort((a, b) => a.layer - b.layer);
  return { rows: sorted, ...sums, largest: Math.max(...sizes) };
}

/** "+1.05", "−0.32" */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return text === "0.00" ? "0" : (value < 0 ? "−" : "+") + text;
}

/** "0.71", "−0.05"; a dash where there is no correlation. */
export function rho(value: number | null): string {
  return value === null ? "–" : value.toFixed(2).replace("-", "−");
}
