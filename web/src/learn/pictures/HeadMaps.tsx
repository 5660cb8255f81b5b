/** A small map of every head, on one scale, so that they can be compared. */
import type { Thumbnails } from "../../source";
import type { State } from "../../state";
import { Thumbnail } from "../../map/Thumbnail";
import { useWords } from "../../words/words";
import { exact } from "./said";

interface HeadMapsProps {
  state: State;
  maps: Thumbnails;
  rows: readonly string[];
  columns: readonly string[];
  spotlight?: number;
  onSay(said: string | null): void;
}

export function HeadMaps({ state, maps, rows, columns, spotlight, onSay }: HeadMapsProps) {
  const say = useWords();
  const whole = maps.height === rows.length && maps.width === columns.length;
  const point = (head: number) => (event: PointerEvent) => {
    const canvas = (event.currentTarget as Element).querySelector("canvas");
    if (!canvas || !whole) return;
    const box = canvas.getBoundingClientRect();
    const [row, column] = [
      cellAt(event.clientY - box.top, box.height, maps.height),
      cellAt(event.clientX - box.left, box.width, maps.width),
    ];
    const value = maps.values[(head * maps.height + row) * maps.width + column] ?? 0;
    onSay(`${say("head.n", { head })}, ${rows[row]} → ${columns[column]}: ${say("weight")}: ${Number.isNaN(value) ? exact(null) : exact(value)}`);
  };
  return (
    <div class="rg-headmaps" onPointerLeave={() => onSay(null)}>
      {Array.from({ length: maps.heads }, (_, head) => {
        const picture = (
          <>
            <span class="rg-headmaps__frame">
              <Thumbnail state={state} thumbnails={maps} head={head} rows={rows.length} columns={columns.length} />
              {spotlight !== undefined && (
                <span
                  class="rg-headmaps__row"
                  style={{ top: percent100(spotlight, rows.length), height: percent100(1, rows.length) }}
                />
              )}
            </span>
            <span class="rg-headmaps__name" style={{ "--line": `var(--rg-head-${head % 8})` }}>{say("head.n", { head })}</span>
          </>
        );
        return <div key={head}  onPointerMove={point(head)}>{picture}</div>;
      })}
    </div>
  );
}

/** Index of the cell that a point lies in, of `count` equal ones along a side. */
export function cellAt(point: number, side: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor((point / side) * count)));
}

const percent100 = (part: number, whole: number) => `${(100 * part) / whole}%`;
