/** Tokens with lines above or below a column's window: named at the edge, a click goes there. */
import type { Unit } from "../weights/units";
import type { Column } from "./layout";
import { farTargets } from "./layout";
import type { Line } from "./lines";

interface FarTokensProps {
  side: "query" | "key";
  where: -1 | 1;
  column: Column;
  lines: readonly Line[];
  units: Unit[];
  text(value: number): string;
  onJump(index: number): void;
}

export function FarTokens({ side, where, column, lines, units, text, onJump }: FarTokensProps) {
  const { named } = farTargets(lines, side, column, where, 2);
  return (
    <span class="rg-row">
      {named.map(({ index, value }) => (
        <button key={index} type="button" class="rg-flow__jump" onClick={() => onJump(index)} title={`go to ${side} ${units[index]?.first}`}>
          <span aria-hidden="true">{where < 0 ? "↑" : "↓"}</span> {units[index]?.label} <span class="rg-number">{text(value)}</span>
        </button>
      ))}
    </span>
  );
}
