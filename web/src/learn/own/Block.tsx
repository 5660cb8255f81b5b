/** One word's vector through the parts of a layer of the trained encoder. */
import { useLoaded } from "../../weights/loaded";
import { useWords, type Key } from "../../words/words";
import { brief, saying } from "../pictures/said";
import { Strip } from "../pictures/Strip";
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
        return (
          <>
            <table class="rg-table rg-block" aria-label={say("block", { word, layer })}>
              <thead>
                <tr>
                  <th scope="col">{say("block.part")}</th>
                  <th scope="col" class="rg-block__vector">{say("block.numbers", { count: COUNT, of: parts[0]?.vector.length ?? 0 })}</th>
                  <th scope="col" class="rg-table__number">{say("block.mean")}</th>
                  <th scope="col" class="rg-table__number">{say("block.deviation")}</th>
                </tr>
              </thead>
              <tbody>
                {parts.map(({ name, vector, mean, deviation }) => {
                  const said = say(`block.${name}` as Key);
                  return (
                    <tr key={name} class={name.startsWith("sum") || name === "x" ? "rg-block__row--stream" : undefined}>
                      <th scope="row">{said}</th>
                      <td class="rg-block__vector"><Strip name={said} values={vector.slice(0, COUNT)} most={most} /></td>
                      <td class="rg-table__number rg-number" {...saying(`${said}: ${say("block.mean")}`, mean)}>{brief(mean)}</td>
                      <td class="rg-table__number rg-number" {...saying(`${said}: ${say("block.deviation")}`, deviation)}>{brief(deviation)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
            <p class="rg-note">{say("block.units", { active, units, word })}</p>
          </>
        );
      }}
    </Asked>
  );
}
