/** Cross-attention of the trained translator: which words of the source a word is written from. */
import { made } from "../../state";
import { outputWords } from "../../translation/sentences";
import { useLoaded } from "../../weights/loaded";
import { fetchRows, grouped } from "../../weights/matrix";
import { units } from "../../weights/units";
import { percent } from "../../weights/words";
import { WordRow } from "../../weights/WordRow";
import { useWords } from "../../words/words";
import { readable } from "../labels";
import { Bars } from "../pictures/WordTable";
import { Asked, type OwnProps } from "./OwnPicture";

export function Cross({ state, model, settings, text, onSet }: OwnProps & { model: string }) {
  const say = useWords();
  const { layer, step: wanted } = settings;
  const loaded = useLoaded(JSON.stringify([model, text, layer]), async (signal) => {
    const trace = await made(state, { model, text }, signal);
    const taps = trace.taps.filter(({ kind }) => kind === "cross");
    const tap = taps[Math.min(layer, taps.length - 1)];
    const [source, target] = tap ? [trace.axes[tap.keys], trace.axes[tap.queries]] : [];
    if (!tap || !source || !target) throw new Error(`${model} has no cross-attention; choose another lesson.`);
    const [keys, output] = [units(source, "word"), outputWords(target, "word", "output")];
    const rows = { first: 0, end: tap.rows };
    const heads = await Promise.all(
      Array.from({ length: tap.heads }, async (_, head) => {
        const map = await fetchRows(state.source, trace.id, tap, head, "weight", rows, signal);
        return grouped(map, output.map((word) => word.rows), keys);
      }),
    );
    return { keys, output, heads };
  });
  return (
    <Asked loaded={loaded}>
      {({ keys, output, heads }) => {
        const label = (unit: { label: string; title: string }) => (unit.title === "</s>" ? readable("</s>", say) : unit.label);
        const step = Math.min(wanted, output.length - 1);
        const rows = heads.map(({ values, width }) => [...values.subarray(step * width, (step + 1) * width)]);
        const mean = keys.map((_, key) => rows.reduce((sum, row) => sum + (row[key] ?? 0), 0) / rows.length);
        const best = mean.indexOf(Math.max(...mean));
        const [word, looked] = [output[step], keys[best]];
        if (!word || !looked) return null;
        const versions = [
          { title: say("reduce.mean"), weights: mean },
          ...rows.map((weights, head) => ({ title: say("head.n", { head }), weights, color: `var(--rg-head-${head % 8})` })),
        ];
        return (
          <>
            <div class="rg-writing">
              <span class="rg-note">{say("cross.encoder")}</span>
              <p>{keys.map(label).join(" · ")}</p>
              <span class="rg-note">{say("cross.decoder")}</span>
              <WordRow name={say("cross.choose")} words={output.map(label)} chosen={step} look={(i) => (i > step ? "rg-words__word--later" : "")} onChoose={(next) => onSet({ step: next })} />
            </div>
            <p aria-live="polite">{say("cross.said", { word: `“${label(word)}”`, looked: `“${label(looked)}”`, share: percent(mean[best] ?? 0) })}</p>
            <Bars words={keys.map(label)} versions={versions} spotlight={best} from={label(word)} />
          </>
        );
      }}
    </Asked>
  );
}
