/** Similarity of a word's vector to the other words', and to its own beginning, after each layer. */
import { useLoaded } from "../../weights/loaded";
import { useWords } from "../../words/words";
import { readable } from "../labels";
import { Matrix } from "../pictures/Matrix";
import { Asked } from "./Asked";
import type { OwnProps } from "./OwnPicture";

export function Layers({ state, words, spotlight, onPoint, onChoose }: OwnProps) {
  const say = useWords();
  const word = words[spotlight] ?? "";
  const request = { text: words.join(" "), word: spotlight, layer: 0 };
  const loaded = useLoaded(JSON.stringify(request), (signal) => state.source.inside(request, signal));
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
