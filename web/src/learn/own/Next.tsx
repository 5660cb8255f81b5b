/** Words that the trained translator may write next, and their chances after temperature, top-k and top-p. */
import { useLoaded } from "../../weights/loaded";
import { WordRow } from "../../weights/WordRow";
import { useWords } from "../../words/words";
import { readable } from "../labels";
import { Bar } from "../pictures/Looks";
import { brief, saying } from "../pictures/said";
import { Asked } from "./Asked";
import type { OwnProps } from "./OwnPicture";

export function Next({ state, settings, text, onSet }: OwnProps) {
  const say = useWords();
  const { temperature, top_k, top_p, step: wanted } = settings;
  const request = { text, step: wanted, temperature, top_k, top_p };
  const loaded = useLoaded(JSON.stringify(request), (signal) => state.source.next(request, signal));
  return (
    <Asked loaded={loaded}>
      {({ output, step, candidates, vocabulary, possible, rest }) => (
        <>
          <div class="rg-writing">
            <span class="rg-note">{say("next.step")}</span>
            <WordRow name={say("cross.choose")} words={output.map((each) => readable(each, say))} chosen={step} look={(i) => (i > step ? "rg-words__word--later" : "")} onChoose={(next) => onSet({ step: next })} />
          </div>
          <table class="rg-table rg-softmax" aria-label={say("next.table")}>
            <thead>
              <tr>
                <th scope="col">{say("next.candidate")}</th>
                <th scope="col">{say("next.logit")}</th>
                <th scope="col" class="rg-softmax__share">{say("next.probability")}</th>
                <th scope="col" class="rg-softmax__share">{say("next.chance")}</th>
              </tr>
            </thead>
            <tbody>
              {candidates.map(({ token, logit, probability, chance }) => {
                const name = readable(token, say);
                const chosen = token === output[step];
                return (
                  <tr key={token} class={`${chosen ? "rg-table__row--lit" : ""}${chance > 0 ? "" : " rg-next__cut"}`}>
                    <th scope="row" class="rg-table__word" title={chosen ? say("next.chosen") : undefined}>{name}{chosen && <span class="rg-unseen">, {say("next.chosen")}</span>}</th>
                    <td class="rg-number" {...saying(`${name}: ${say("next.logit")}`, logit)}>{brief(logit)}</td>
                    <td class="rg-softmax__share" {...saying(`${name}: ${say("next.probability")}`, probability)}><Bar value={probability} color="var(--rg-faint)" /></td>
                    <td class="rg-softmax__share" {...saying(`${name}: ${say("next.chance")}`, chance)}><Bar value={chance} /></td>
                  </tr>
                );
              })}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{say("next.rest")}</th>
                <td />
                <td class="rg-softmax__share"><Bar value={Math.max(0, 1 - candidates.reduce((sum, { probability }) => sum + probability, 0))} color="var(--rg-faint)" /></td>
                <td class="rg-softmax__share" {...saying(`${say("next.rest")}: ${say("next.chance")}`, rest)}><Bar value={rest} /></td>
              </tr>
            </tfoot>
          </table>
          <p class="rg-note">{say("next.said", { possible: possible.toLocaleString("en"), vocabulary: vocabulary.toLocaleString("en") })}</p>
        </>
      )}
    </Asked>
  );
}
