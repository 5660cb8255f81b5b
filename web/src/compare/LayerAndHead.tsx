/** The layer and head of one pane, as two lists to choose from. */
import type { Head, TapInfo } from "../source";
import { headWords, tapWords } from "../weights/words";
import type { Pane } from "./panes";

interface LayerAndHeadProps {
  pane: Pane;
  onChoose(tap: TapInfo, head: Head): void;
}

export function LayerAndHead({ pane: { trace, tap, head }, onChoose }: LayerAndHeadProps) {
  const heads: Head[] = [...Array.from({ length: tap.heads }, (_, each) => each), "mean"];
  return (
    <>
      <label class="rg-compare__field">
        <span class="rg-unseen">layer</span>
        <select
          value={tap.name}
          onChange={(event) => {
            const next = trace.taps.find((each) => each.name === event.currentTarget.value);
            if (next) onChoose(next, head !== "mean" && head >= next.heads ? 0 : head);
          }}
        >
          {trace.taps.map((each) => (
            <option key={each.name} value={each.name} selected={each.name === tap.name}>
              {tapWords(each)}
            </option>
          ))}
        </select>
      </label>
      <label class="rg-compare__field">
        <span class="rg-unseen">head</span>
        <select
          value={String(head)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onChoose(tap, value === "mean" ? "mean" : Number(value));
          }}
        >
          {heads.map((each) => (
            <option key={each} value={String(each)} selected={each === head}>
              {headWords(each)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
