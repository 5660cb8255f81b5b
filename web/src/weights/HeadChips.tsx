/** The heads of a layer as chips: those chosen carry the colour of their lines. */
import type { Head } from "../source";
import { headWords } from "./words";
import "./weights.css";

interface HeadChipsProps {
  heads: number;
  colourOf(head: Head): number | null; // null: not chosen
  full?: boolean; // no colour is left
  onChoose(head: Head): void;
}

export function HeadChips({ heads, colourOf, full = false, onChoose }: HeadChipsProps) {
  const all: Head[] = [...Array.from({ length: heads }, (_, head) => head), "mean"];
  return (
    <div class="rg-chips" role="group" aria-label="heads">
      {all.map((head) => {
        const colour = colourOf(head);
        return (
          <button
            key={head}
            type="button"
            class={`rg-chips__chip${colour === null ? "" : " rg-chips__chip--on"}`}
            style={colour === null ? undefined : { "--line": `var(--rg-head-${colour})` }}
            aria-pressed={colour !== null}
            aria-label={headWords(head)}
            disabled={full && colour === null}
            title={full && colour === null ? "eight heads are chosen; release one first" : headWords(head)}
            onClick={() => onChoose(head)}
          >
            {head === "mean" ? "mean" : head}
          </button>
        );
      })}
    </div>
  );
}
