/** A sound where a source sentence stands otherwise: its envelope, its time, and its stretches as words. */
import type { Extent } from "../links/layout";
import type { Unit } from "../weights/units";

export const WAVE = 72; // px
const SILENCE = 56; // px along, of all the silence behind the end
const APART = 64; // px, between two times
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10]; // seconds

/** Where stretches of a sound stand: as long as they take, and the silence behind it short. */
export function spread(units: readonly Unit[], peaks: readonly number[], total: number): Extent[] {
  const each = (total - (units.at(-1)?.special ? SILENCE : 0)) / peaks.length;
  return units.map(({ first, end, special }) => ({ start: first * each, end: special ? total : end * each }));
}

/** The largest |sample| of each position to both sides of the middle, as one closed path from 0 to `length`. */
export function envelope(peaks: readonly number[], length: number, deep: number, down: boolean): string {
  const high = Math.max(...peaks, 1e-9);
  const at = (i: number, side: number) => [((i + 0.5) * length) / peaks.length, (deep / 2) * (1 + 0.94 * side * Math.max(0.01, (peaks[i] as number) / high))];
  const places = peaks.map((_, i) => i);
  const points = [...places.map((i) => at(i, -1)), ...places.reverse().map((i) => at(i, 1))];
  return `M${points.map((point) => (down ? point : point.reverse()).map((each) => each.toFixed(1)).join(" ")).join("L")}Z`;
}

interface WaveProps {
  peaks: readonly number[];
  tokens: readonly string[]; // when each position begins: "0.02s"
  units: readonly Unit[];
  extents: readonly Extent[];
  down: boolean;
  edge: number; // before it, for the times
  deep: number;
  length: number;
}

export function Wave({ peaks, tokens, units, extents, down, edge, deep, length }: WaveProps) {
  const end = units.at(-1)?.special ? (extents.at(-1)?.start ?? length) : length;
  const seconds = parseFloat(tokens[1] ?? "1") * peaks.length;
  const step = STEPS.find((each) => (each / seconds) * end >= APART) ?? 30;
  const times = Array.from({ length: Math.floor(seconds / step + 1e-6) + 1 }, (_, i) => i * step).filter((time) => (time / seconds) * end <= length - 24);
  return (
    <svg aria-hidden="true" class="rg-wave" width={down ? length : deep} height={down ? deep : length} style={down ? { left: 0, top: `${edge}px` } : { left: 0, top: 0 }}>
      <path fill="var(--rg-faint)" d={envelope(peaks, end, deep, down)} />
      {times.map((time) => {
        const along = (time / seconds) * end;
        const name = `${Number(time.toFixed(1))} s`;
        return down ? <text key={time} fill="var(--rg-fg)" font-size={12} x={along} y={-8}>{name}</text> : <text key={time} fill="var(--rg-fg)" font-size={12} x={2} y={along + 11}>{name}</text>;
      })}
    </svg>
  );
}
