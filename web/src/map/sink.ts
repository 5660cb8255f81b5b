/** The column that takes weight from everywhere, and how much of it. */
import { LEAST } from "../color/survey";
import type { Head, Summary } from "../source";
import type { Positions } from "./geometry/positions";

export interface Sink {
  position: number; // of the map; -1 where there is no sink, or no group holds it
  label: string;
  mass: number; // mean share of a row's weight
  rows: number; // looked at
  of: number;
}

export function sinkOf(summary: Summary, head: Head, keys: Positions): Sink {
  const { sink: mass, sink_key: key } = head === "mean" ? summary : (summary.heads.find((each) => each.head === head) ?? summary);
  const position = mass > LEAST ? keys.of(key) : -1;
  return { position, label: position < 0 ? "" : keys.label(position), mass, rows: summary.rows, of: summary.of };
}
