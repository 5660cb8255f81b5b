/** The heads of a layer as chips: those chosen carry the color of their lines. */
import type { Head } from "../source";
import { headWords } from "./words";
import "./weights.css";

interface HeadChipsProps {
  heads: number;
  colorOf(head: Head): number | null; // null: not chosen
  full?: boolean; // no color is left
  onChoose(head: Head): void;
}

export function HeadChips({ heads, colorOf, full = false, onChoose }: HeadChipsProps) {
  const all: Head[] = [...Array.from({ length: heads }, (_, head) => head), "mean"];
  return (
    <div class="rg-chips" role="group" aria-label="heads">
      {all.map((head) => {
        const color = colorOf(head);
        return (
          <button
            key={head}
            type="button"
            class={`rg-chips__chip${color === null ? "" : " rg-chips__chip--on"}`}
            style={color === null ? undefined : { "--line": `var(--rg-head-${color})` }}
            aria-pressed={color !== null}
            aria-label={headWords(head)}
            disabled={full && color === null}
            title={full && color === null ? "eight heads are selected; deselect one first" : headWords(head)}
            onClick={() => onChoose(head)}
          >
            {head === "mean" ? "mean" : head}
          </button>
        );
      })}
    </div>
  );
}
