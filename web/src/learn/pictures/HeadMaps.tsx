/** A small map of every head, on one scale, so that they can be compared. */
import type { Thumbnails } from "../../source";
import type { State } from "../../state";
import { Thumbnail } from "../../map/Thumbnail";
import { useWords } from "../../words/words";
import { exact } from "./said";

interface HeadMapsProps {
  state: State;
  maps: Thumbnails; // a cell for each row and column
  rows: readonly string[];
  columns: readonly string[];
  spotlight: number;
}

export function HeadMaps({ state, maps, rows, columns, spotlight }: HeadMapsProps) {
  const say = useWords();
  const point = (head: number) => ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const map = currentTarget as HTMLElement;
    const box = (map.querySelector("canvas") as HTMLCanvasElement).getBoundingClientRect();
    const row = cellAt(clientY - box.top, box.height, rows.length);
    const column = cellAt(clientX - box.left, box.width, columns.length);
    const value = maps.values[(head * rows.length + row) * columns.length + column] ?? 0;
    map.dataset["says"] = `${say("head.n", { head })}, ${rows[row]} → ${columns[column]}: ${say("weight")}: ${exact(Number.isNaN(value) ? null : value)}`;
  };
  return (
    <div class="rg-headmaps">
      {Array.from({ length: maps.heads }, (_, head) => (
        <div key={head} onPointerMove={point(head)}>
          <span class="rg-headmaps__frame">
            <Thumbnail state={state} thumbnails={maps} head={head} rows={rows.length} columns={columns.length} />
            <span class="rg-headmaps__row" style={{ top: `${(100 * spotlight) / rows.length}%`, height: `${100 / rows.length}%` }} />
          </span>
          <span class="rg-headmaps__name" style={{ "--line": `var(--rg-head-${head % 8})` }}>{say("head.n", { head })}</span>
        </div>
      ))}
    </div>
  );
}

/** Index of the cell that a point lies in, of `count` equal ones along a side. */
export function cellAt(point: number, side: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor((point / side) * count)));
}
