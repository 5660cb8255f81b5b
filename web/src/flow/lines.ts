/** Lines to draw: the strongest few hundred, and one sum for all the others. */
import type { Looks } from "../source";
import type { Weights } from "../weights/matrix";
import { unitAt, type Unit } from "../weights/units";

/** As many lines as an eye and a frame bear. */
export const MOST_LINES = 300;
const WORTH_LISTING = 0.005; // of a map's largest value; anything less is summed unseen
const LISTED_WHOLE = 20_000;

export interface Line {
  slot: number; // which of the chosen heads
  query: number; // indices of units
  key: number;
  value: number;
}

/** Weight that is not drawn line by line. */
export interface Sum {
  count: number;
  value: number;
}

export interface Lines {
  lines: Line[];
  more: Sum;
}

/** All lines of the chosen heads' maps that are wanted; zero and forbidden cells have none. */
export function linesOf(maps: readonly Weights[], wanted: (query: number, key: number) => boolean): Lines {
  const lines: Line[] = [];
  const more: Sum = { count: 0, value: 0 };
  const cells = maps.reduce((sum, map) => sum + map.values.length, 0);
  maps.forEach((map, slot) => {
    const least = cells > LISTED_WHOLE ? WORTH_LISTING * largest(map.values) : 0;
    for (let query = 0; query < map.height; query++) {
      for (let key = 0; key < map.width; key++) {
        const value = map.values[query * map.width + key]!;
        if (!(value > 0) || !wanted(query, key)) continue;
        if (value >= least) lines.push({ slot, query, key, value });
        else add(more, value);
      }
    }
  });
  return { lines, more };
}

/** A row (or column) known by its largest weights only, listed by token. */
export interface Asked {
  slot: number;
  side: "query" | "key";
  position: number; // the token asked about
  looks: Looks;
  of: number; // how many tokens the other side has
}

/** Lines between units from rows of tokens: over a unit's queries the mean, over its keys the sum. */
export function linesOfLooks(asked: readonly Asked[], queries: readonly Unit[], keys: readonly Unit[]): Lines {
  const found = new Map<string, Line>();
  const seen = new Set<string>(); // a cell comes twice where an asked row and column cross
  const more: Sum = { count: 0, value: 0 };
  for (const { slot, side, position, looks, of } of asked) {
    for (const look of looks.looks) {
      const [row, column] = side === "query" ? [position, look.position] : [look.position, position];
      const [query, key] = [unitAt(queries, row), unitAt(keys, column)];
      const unit = queries[query];
      const cell = `${slot} ${row} ${column}`;
      if (!unit || key < 0 || !(look.weight > 0) || seen.has(cell)) continue;
      seen.add(cell);
      const name = `${slot} ${query} ${key}`;
      const line = found.get(name) ?? { slot, query, key, value: 0 };
      line.value += look.weight / (unit.end - unit.first);
      found.set(name, line);
    }
    const own = side === "query" ? queries[unitAt(queries, position)] : undefined;
    const left = of - looks.looks.length;
    if (left > 0 && looks.rest > 0) {
      more.count += left;
      more.value += looks.rest / (own ? own.end - own.first : 1);
    }
  }
  return { lines: [...found.values()], more };
}

/** The strongest `most` of the lines, weakest first so that strong ones are painted over them. */
export function chooseLines({ lines, more }: Lines, most = MOST_LINES): Lines & { total: number } {
  const sorted = [...lines].sort((a, b) => b.value - a.value);
  const rest = sorted.slice(most).reduce((sum, line) => add(sum, line.value), { ...more });
  const chosen = sorted.slice(0, most).reverse();
  return { lines: chosen, more: rest, total: chosen.reduce((sum, line) => sum + line.value, rest.value) };
}

/** The same with some of the lines in the sum. */
export function without({ lines, more }: Lines, out: (line: Line) => boolean): Lines {
  const sum = lines.filter(out).reduce((total, line) => add(total, line.value), { ...more });
  return { lines: lines.filter((line) => !out(line)), more: sum };
}

function add(sum: Sum, value: number): Sum {
  sum.count += 1;
  sum.value += value;
  return sum;
}

function largest(values: Float32Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
