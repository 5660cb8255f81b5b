/** All heads of a trace: which are shown, and in what order. */
import type { HeadInfo, PatternName, PatternScore, TapInfo } from "../source";
import type { Layer } from "./overview";

export type Order = "layer" | "pattern" | "entropy" | "distance";
/** The pattern that heads are chosen by; "": all, "none": those without a name. */
export type Wanted = PatternName | "none" | "";

export const NAMES: Record<PatternName, string> = {
  previous: "previous token",
  next: "next token",
  same: "same token",
  first: "first token",
  separator: "separator",
  punctuation: "punctuation",
  induction: "induction",
  alignment: "alignment",
};
export const MEANINGS: Record<PatternName | "none", string> = {
  previous: "looks at the token before",
  next: "looks at the token after",
  same: "looks at the token itself, the diagonal",
  first: "looks at the first token: a sink",
  separator: "looks at special tokens such as [SEP] and </s>, other than the first token",
  punctuation: "looks at tokens of punctuation",
  induction: "looks at what followed the same token earlier in the text",
  alignment: "looks at the word that all cross-attention together looks at most",
  none: "no pattern has a share well above chance",
};
export const PATTERNS = Object.keys(NAMES) as PatternName[];

/** One head; `layer` and `info` are null until they are here. */
export interface Placed {
  tap: TapInfo;
  head: number;
  layer: Layer | null;
  info: HeadInfo | null;
}

/** The heads of these layers, one layer behind the other. */
export function placed(taps: readonly TapInfo[], layerOf: (tap: string) => Layer | null): Placed[] {
  return taps.flatMap((tap) => {
    const layer = layerOf(tap.name);
    return Array.from({ length: tap.heads }, (_, head) => ({
      tap,
      head,
      layer,
      info: layer?.summary.heads.find((each) => each.head === head) ?? null,
    }));
  });
}

/** Those that are wanted, in order. By pattern: the largest share of the wanted pattern first, or of
 * the one that names the head; heads without it come last. */
export function arranged(all: readonly Placed[], order: Order, wanted: Wanted): Placed[] {
  const shown = all.filter(({ info }) => !wanted || (info && (info.pattern ?? "none") === wanted));
  if (order === "layer") return shown;
  const worth = ({ info }: Placed) => {
    if (!info) return Infinity;
    if (order === "pattern") return -(scoreOf(info, wanted)?.share ?? -1);
    return info[order] ?? Infinity;
  };
  return shown.map((each, at) => ({ each, at, by: worth(each) })).sort(ascending).map(({ each }) => each);
}

function ascending(a: { by: number; at: number }, b: { by: number; at: number }): number {
  return a.by === b.by ? a.at - b.at : a.by - b.by;
}

/** The score that a head is shown with: of the wanted pattern, else of its own name. */
export function scoreOf(info: HeadInfo, wanted: Wanted = ""): PatternScore | null {
  const name = wanted && wanted !== "none" ? wanted : info.pattern;
  return info.patterns.find((each) => each.name === name) ?? null;
}

/** Number of heads with each name, in the order of the names; those without one last. */
export function counts(all: readonly Placed[]): [PatternName | "none", number][] {
  return [...PATTERNS, "none" as const]
    .map((name): [PatternName | "none", number] => [name, all.filter(({ info }) => info && (info.pattern ?? "none") === name).length])
    .filter(([, count]) => count > 0);
}

/** At most three characters: "0.4", "12", "1k". */
export function brief(value: number): string {
  if (value < 9.95) return value.toFixed(1);
  return value < 999.5 ? value.toFixed(0) : `${Math.round(value / 1000)}k`;
}
