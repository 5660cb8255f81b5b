/** Names for what heads do, from whole maps; what they mean is said in inspection/views/patterns.py. */
import type { AxisInfo, PatternName, PatternScore } from "../../source";
import { isSpecial } from "../../weights/units";
import type { TapMaps } from "./maps";

const NAMED = 0.3; // above chance
const FEW = 4; // rows, of which no head is named

/** The keys of a pattern in a row. */
export type Targets = [PatternName, (row: number) => readonly number[]][];

/** Patterns in a layer's map; `all`: every layer of the run, for the alignment. */
export function targetsOf(maps: TapMaps, all: readonly TapMaps[], axes: Record<string, AxisInfo>): Targets {
  const { tokens = [] } = axes[maps.keys] ?? {};
  const those = (kept: (token: string, at: number) => boolean) => {
    const keys = tokens.flatMap((token, at) => (kept(token, at) ? [at] : []));
    return () => keys;
  };
  const inside = (at: number) => (at >= 0 && at < maps.columns ? [at] : []);
  const found: Targets = [
    ["first", () => [0]],
    ["separator", those((token, at) => at > 0 && isSpecial(token))],
    ["punctuation", those(isPunctuation)],
  ];
  if (maps.kind === "cross") {
    const aligned = alignment(all.filter(({ kind }) => kind === "cross"), tokens, axes[maps.queries]?.predicts ?? []);
    return [...found, ["alignment", (row) => inside(aligned[row] ?? -1)]];
  }
  const after = tokens.map((token, row) => tokens.flatMap((other, at) => (at < row && other === token ? [at + 1] : [])));
  return [
    ["previous", (row) => inside(row - 1)],
    ["next", (row) => inside(row + 1)],
    ["same", inside],
    ...found,
    ["induction", (row) => after[row] ?? []],
  ];
}

export function isPunctuation(token: string): boolean {
  const text = token.replace(/^(##)?[▁Ġ\s]*|<\/w>$/g, "");
  return !isSpecial(token) && /^\p{P}+$/u.test(text);
}

/** The key of each row that all heads together look at most, among words; -1 where none is. */
function alignment(cross: readonly TapMaps[], tokens: readonly string[], predicts: readonly string[]): number[] {
  const columns = tokens.length;
  return predicts.map((token, row) => {
    const total = tokens.map((_, at) => cross.reduce((sum, { maps }) => sum + maps.reduce((own, { weights }) => own + (weights[row * columns + at] || 0), 0), 0));
    let best = -1;
    total.forEach((weight, at) => {
      if (!isSpecial(tokens[at] as string) && weight > (best < 0 ? 0 : (total[best] as number))) best = at;
    });
    return isSpecial(token) ? -1 : best;
  });
}

/** A head's share of each pattern, on average over the rows that may show it, beside chance. */
export function scored(weights: Float32Array, rows: number, columns: number, targets: Targets): PatternScore[] {
  const seen = Array.from({ length: rows }, (_, row) => weights.subarray(row * columns, (row + 1) * columns).reduce((count, weight) => count + (Number.isNaN(weight) ? 0 : 1), 0));
  return targets.flatMap(([name, keysOf]) => {
    let [share, chance, count] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      const keys = keysOf(row).filter((key) => !Number.isNaN(weights[row * columns + key]));
      if (!keys.length || keys.length === seen[row]) continue;
      share += keys.reduce((sum, key) => sum + (weights[row * columns + key] as number), 0);
      chance += keys.length / (seen[row] as number);
      count += 1;
    }
    return count ? [{ name, share: share / count, chance: chance / count, rows: count }] : [];
  });
}

/** The pattern whose share is the most above chance, if that is enough to name a head by. */
export function named(scores: readonly PatternScore[]): PatternName | null {
  const above = ({ share, chance }: PatternScore) => (share - chance) / (1 - chance);
  const enough = scores.filter((score) => score.rows > FEW && above(score) > NAMED);
  return enough.sort((a, b) => above(b) - above(a))[0]?.name ?? null;
}
