/** Which head? All heads of one kind, ranked by what each looks at for the word in question. */
import { away, isWord, type Asked } from "../said/said";
import type { Head, HeadInfo, Looks, TapInfo, Thumbnails } from "../source";
import { grouped, withoutFirst } from "../weights/matrix";
import { tokenLabel, unitAt, type Style, type Unit } from "../weights/units";
import { percent } from "../weights/words";
import type { Say } from "../words/words";

export interface Look {
  tap: TapInfo;
  head: Head;
  cells: Float32Array | null; // the row, a share for each word, or each part of a long text; null: not here yet
  best: { label: string; share: number; position: number; worth: number } | null; // the other word that it looks at most
  special: string; // the token of the model's own that it looks at even more
}

/** What a head does for a word, or from it `toward` a position, from the whole map of its layer; the mean over heads is a row as well. */
export function lookOf(tap: TapInfo, head: Head, maps: Thumbnails, asked: Asked, keys: readonly Unit[], within: boolean, toward: number | null = null, sinkless = false): Look {
  const size = maps.height * maps.width;
  const of = (each: number) => {
    const map = { ...maps, values: maps.values.subarray(each * size, (each + 1) * size) };
    return grouped(map, [asked.rows], keys).values;
  };
  const whole = head === "mean" ? mean(Array.from({ length: tap.heads }, (_, each) => of(each))) : of(head);
  const cells = sinkless ? withoutFirst(whole) : whole;
  let [best, most] = [-1, -1];
  cells.forEach((share, i) => {
    const key = keys[i] as Unit;
    if (share > (cells[most] ?? 0)) most = i;
    const own = within && key.first >= asked.rows.first && key.first < asked.rows.end;
    if ((toward === null ? isWord(key) && !own : holds(key, toward)) && share > (cells[best] ?? 0)) best = i;
  });
  const [key, top] = [keys[best], keys[most]];
  const look = key && { label: key.label, share: cells[best] as number, position: key.first };
  return { tap, head, cells, best: look ? (toward === null ? weighed(look, asked, tap, within) : { ...look, worth: look.share }) : null, special: top?.special ? top.label : "" };
}

const holds = ({ first, end }: Unit, position: number) => first <= position && position < end;

/** A look far away is worth more than one at the next word; between two texts, one off the diagonal more than one on it. */
function weighed(look: { label: string; share: number; position: number }, asked: Asked, tap: TapInfo, within: boolean) {
  const first = within ? asked.rows.first : ((asked.rows.first + 0.5) * tap.columns) / tap.rows - 0.5;
  const far = away(first, look.position, tap.columns);
  return { ...look, worth: look.share * (within ? far : (1 + far) / 2) };
}

function mean(rows: readonly Float32Array[]): Float32Array {
  return (rows[0] as Float32Array).map((_, i) => rows.reduce((sum, row) => sum + (row[i] as number), 0) / rows.length);
}

const PARTS = 192; // of a long text's row

/** The same of a long text, from the largest weights of its row; the first `columns` of it are drawn. */
export function lookOfLong(tap: TapInfo, head: Head, { looks }: Looks, asked: Asked, style: Style, within: boolean, columns = tap.columns): Look {
  const cells = new Float32Array(Math.min(PARTS, columns));
  for (const { position, weight } of looks) {
    if (position >= columns) continue;
    const part = Math.floor((position * cells.length) / columns);
    cells[part] = (cells[part] as number) + weight;
  }
  const named = looks.map(({ position, token, weight }) => ({ label: tokenLabel(token, style), share: weight, position }));
  const best = named.find((each) => isWord(each) && !(within && unitAt([asked.rows], each.position) === 0)) ?? null;
  const [top] = named;
  return { tap, head, cells, best: best && weighed(best, asked, tap, within), special: top && /^[<[]/.test(top.label) ? top.label : "" };
}

/** The look that is worth most first; those that are not here yet last, as the model has them. */
export function ranked(looks: readonly Look[]): Look[] {
  const worth = ({ cells, best }: Look) => (cells ? (best?.worth ?? 0) : -1);
  return looks.map((each, at) => ({ each, at })).sort((a, b) => worth(b.each) - worth(a.each) || a.at - b.at).map(({ each }) => each);
}

/** "mostly at [CLS]: 37 of 72 heads"; nothing where no head does. */
export function sunk(say: Say, looks: readonly Look[]): string {
  const heads = looks.filter(({ head }) => head !== "mean");
  const counts = new Map<string, number>();
  for (const { special } of heads) if (special) counts.set(special, (counts.get(special) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most ? say("which.sunk", { count: most[1], of: heads.length, token: most[0] }) : "";
}

/** "previous token, 87 % of the weight, 8 % by chance; entropy 1.20 bits, mean distance 2.1 tokens" */
export function described(say: Say, { pattern, patterns, entropy, distance }: HeadInfo): string {
  const score = patterns.find((each) => each.name === pattern);
  const name = score ? say("pattern.share", { name: say(`pattern.${score.name}`), share: percent(score.share), chance: percent(score.chance) }) : say("pattern.none");
  return `${name}; ${say("which.entropy", { entropy: entropy.toFixed(2) })}${distance === null ? "" : `, ${say("which.distance", { distance: distance.toFixed(1) })}`}`;
}
