/** The column that takes weight from everywhere, and how much of it. */
import type { Head, Summary } from "../source";
import type { Positions } from "./geometry/positions";

export interface Sink {
  position: number; // of the map; -1 where no group holds it
  label: string;
  mass: number; // mean share of a row's weight
  rows: number; // looked at
  of: number;
}

export function sinkOf(summary: Summary, head: Head, keys: Positions): Sink {
  const heads = summary.heads.filter((each) => head === "mean" || each.head === head);
  const mass = heads.reduce((sum, each) => sum + each.sink, 0) / Math.max(1, heads.length);
  const position = keys.of(summary.sink_key);
  return { position, label: position < 0 ? "" : keys.label(position), mass, rows: summary.rows, of: summary.of };
}
