/** A text whose tokens are shaded by one row's weights; what was not yet written steps back. */
import type { AxisInfo } from "../source";
import { labelAt, markOf, tokenLabel } from "../weights/units";
import { amount, counted } from "../weights/words";
import { runs } from "./timeline";

interface PassageProps {
  caption: string;
  axis: AxisInfo;
  name: string;
  values: Float32Array;
  quantity: "weight" | "norm";
  row: number | null; // where the axis is the one that grows: the position that looks
  writes: string;
  onAsk(key: number): void;
}

const NAMED = 4; // tokens whose number is printed
const LATER = 40; // tokens shown of what was written afterwards

export function Passage({ caption, axis, name, values, quantity, row, writes, onAsk }: PassageProps) {
  const style = markOf(axis.tokens);
  const largest = values.reduce((most, value) => (value > most ? value : most), 0);
  const named = new Set([...values.keys()].filter((i) => values[i]! > 0.01 * largest).sort((a, b) => values[b]! - values[a]!).slice(0, NAMED));
  const reach = row === null ? values : values.subarray(0, row + 1);
  return (
    <figure class="rg-generation__passage">
      <figcaption class="rg-note">
        <strong>{name}</strong> {caption}; largest <span class="rg-number">{amount(largest, quantity)}</span>
      </figcaption>
      <p class="rg-generation__text">
        {runs(reach, row).map(({ first, end, folded, weight }) =>
          folded ? (
            <span key={first} class="rg-note">
              … {counted(end - first, "token")}, <span class="rg-number">{amount(weight, quantity)}</span> …
            </span>
          ) : (
            Array.from({ length: end - first }, (_, i) => {
              const key = first + i;
              const value = values[key]!;
              const share = value > 0 && largest ? value / largest : 0;
              const label = labelAt(axis.tokens, key, style);
              return (
                <button
                  key={key}
                  type="button"
                  class={`rg-generation__key${key === row ? " rg-generation__key--looks" : ""}`}
                  style={{ "--share": share }}
                  title={`${label}, key ${key}: ${Number.isNaN(value) ? "masked" : amount(value, quantity)}`}
                  aria-label={`key ${key}: ${label}, ${Number.isNaN(value) ? "masked" : amount(value, quantity)}`}
                  onClick={() => onAsk(key)}
                >
                  {label}
                  {named.has(key) && <span class="rg-number">{amount(value, quantity)}</span>}
                </button>
              );
            })
          ),
        )}
        {row !== null && <span class="rg-generation__written"><span class="rg-note">→ </span>{tokenLabel(writes, style)}</span>}
        {row !== null &&
          axis.tokens.slice(row + 2, row + 2 + LATER).map((token, i) => (
            <span key={`later ${i}`} class="rg-note">
              {tokenLabel(token, style)}
            </span>
          ))}
        {row !== null && axis.tokens.length > row + 2 + LATER && <span class="rg-note">…</span>}
      </p>
    </figure>
  );
}
