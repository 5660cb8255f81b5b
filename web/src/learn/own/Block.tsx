/** One word's vector through the parts of a layer of the trained encoder. */
import { useLoaded } from "../../weights/loaded";
import { useWords, type Key } from "../../words/words";
import { numbers, strips, WordTable } from "../pictures/WordTable";
import { Asked } from "./Asked";
import type { OwnProps } from "./OwnPicture";

const COUNT = 32; // numbers of a vector that are shown

export function Block({ state, settings: { layer }, words, spotlight }: OwnProps) {
  const say = useWords();
  const word = words[spotlight] ?? "";
  const request = { text: words.join(" "), word: spotlight, layer };
  const loaded = useLoaded(JSON.stringify(request), (signal) => state.source.inside(request, signal));
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
