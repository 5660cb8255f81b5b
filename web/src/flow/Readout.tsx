/** The followed tokens in words and numbers: what each looks at, or what looks at it, by head. */
import { amount, headWords } from "../weights/words";
import type { Line } from "./lines";
import type { Followed, Picture } from "./picture";

const ROWS = 4; // followed tokens that are written out
const NAMED = 5; // of each

interface ReadoutProps {
  picture: Picture;
  lines: readonly Line[];
  followed: readonly Followed[];
  onAsk(line: Line): void;
}

export function Readout({ picture, lines, followed, onAsk }: ReadoutProps) {
  const { queries, keys, heads, quantity } = picture;
  const newest = followed.slice(-ROWS).reverse();
  return (
    <div class="rg-flow__readout" aria-live="polite">
      {newest.map(({ side, index }) => {
        const unit = (side === "query" ? queries : keys)[index];
        const own = lines.filter((line) => line[side] === index).slice(-NAMED).reverse();
        return (
          <div key={`${side} ${index}`} class="rg-row">
            <span class="rg-note">
              <span class="rg-flow__who">{unit?.label}</span> {side === "query" ? "looks at" : "is looked at by"}
            </span>
            <span class="rg-row">
              {own.length === 0 && "nothing"}
              {own.map((line) => (
                <button
                  key={`${line.slot} ${line.query} ${line.key}`}
                  type="button"
                  class="rg-flow__part"
                  style={{ "--line": `var(--rg-head-${heads[line.slot]?.color ?? 0})` }}
                  title={`${headWords(heads[line.slot]?.head ?? 0)}: open the equation`}
                  onClick={() => onAsk(line)}
                >
                  {(side === "query" ? keys[line.key] : queries[line.query])?.label}{" "}
                  <span class="rg-number">{amount(line.value, quantity)}</span>
                </button>
              ))}
            </span>
          </div>
        );
      })}
      {followed.length > ROWS && <p class="rg-note">and {followed.length - ROWS} more locked</p>}
    </div>
  );
}
