/** One word's vector inside the trained encoder: through the parts of a layer, and after each layer beside the other words. */
import type { InsideRequest } from "../../source";
import type { State } from "../../state";
import { useLoaded } from "../../weights/loaded";
import { useWords, type Key } from "../../words/words";
import { numbers, strips, WordTable } from "../pictures/WordTable";
import { Asked, type OwnProps } from "./OwnPicture";
import { readable } from "../labels";
import { Matrix } from "../pictures/Matrix";

const COUNT = 32; // numbers of a vector that are shown

const useInside = ({ source }: State, request: InsideRequest) => useLoaded(JSON.stringify(request), (signal) => source.inside(request, signal));

export function Block({ state, settings: { layer }, words, spotlight }: OwnProps) {
  const say = useWords();
  const word = words[spotlight] ?? "";
  const loaded = useInside(state, { text: words.join(" "), word: spotlight, layer });
  return (
    <Asked loaded={loaded}>
      {({ parts, active, units }) => {
        const most = 2 * Math.max(...parts.map(({ deviation }) => deviation));
        const names = parts.map(({ name }) => say(`block.${name}` as Key));
        const of = (what: "block.mean" | "block.deviation") => (i: number) => `${names[i]}: ${say(what)}`;
        const columns = [
          strips(say("block.numbers", { count: COUNT, of: parts[0]?.vector.length ?? 0 }), (i) => names[i] ?? "", parts.map(({ vector }) => vector.slice(0, COUNT)), most),
          numbers(say("block.mean"), of("block.mean"), parts.map(({ mean }) => mean)),
          numbers(say("block.deviation"), of("block.deviation"), parts.map(({ deviation }) => deviation)),
        ];
        const isStream = (i: number) => /^(sum|x$)/.test(parts[i]?.name ?? "");
        return (
          <>
            <WordTable look="rg-block" label={say("block", { word, layer })} corner={say("step")} words={names} columns={columns} spotlight={-1} row={(i) => (isStream(i) ? "rg-block__row--stream" : "")} />
            <p class="rg-note">{say("block.units", { active, units, word })}</p>
          </>
        );
      }}
    </Asked>
  );
}

export function Layers({ state, words, spotlight, onPoint, onChoose }: OwnProps) {
  const say = useWords();
  const word = words[spotlight] ?? "";
  const loaded = useInside(state, { text: words.join(" "), word: spotlight, layer: 0 });
  return (
    <Asked loaded={loaded}>
      {({ tokens, words: wordOf, token, depths }) => {
        const named = tokens.map((each) => readable(each, say));
        const wordAt = (row: number | null) => (row === null ? null : (wordOf[row - 1] ?? null));
        return (
          <>
            <p class="rg-note">{say("layers", { word })}</p>
            <Matrix
              name={say("cosine")}
              kind="signed"
              rows={[say("layers.itself"), ...named]}
              columns={depths.map((_, depth) => (depth ? say("layers.layer", { layer: depth - 1 }) : say("layers.start")))}
              across={say("layer")}
              values={[depths.map(({ unchanged }) => unchanged), ...named.map((_, i) => depths.map(({ cosines }) => cosines[i] ?? 0))]}
              spotlight={token + 1}
              onPoint={(row) => onPoint(wordAt(row))}
              onChoose={(row) => {
                const chosen = wordAt(row);
                if (chosen !== null) onChoose(chosen);
              }}
            />
          </>
        );
      }}
    </Asked>
  );
}
