/** Words that the trained translator may write next, and their chances after temperature, top-k and top-p. */
import { useLoaded } from "../../weights/loaded";
import { WordRow } from "../../weights/WordRow";
import { useWords } from "../../words/words";
import { readable } from "../labels";
import { Bar, numbers, shares, WordTable } from "../pictures/WordTable";
import { Asked, type OwnProps } from "./OwnPicture";

const FAINT = "var(--rg-faint)";

export function Next({ state, settings, text, onSet }: OwnProps) {
  const say = useWords();
  const { temperature, top_k, top_p, step: wanted } = settings;
  const request = { text, step: wanted, temperature, top_k, top_p };
  const loaded = useLoaded(JSON.stringify(request), (signal) => state.source.next(request, signal));
  return (
    <Asked loaded={loaded}>
      {({ output, step, candidates, vocabulary, possible, rest }) => {
        const names = candidates.map(({ token }) => readable(token, say));
        const chosen = candidates.findIndex(({ token }) => token === output[step]);
        const left = Math.max(0, 1 - candidates.reduce((sum, { probability }) => sum + probability, 0));
        const of = (what: "score" | "next.probability" | "next.chance") => (i: number) => `${names[i]}: ${say(what)}`;
        const columns = [
          numbers(say("score"), of("score"), candidates.map(({ logit }) => logit)),
          { ...shares(say("next.probability"), of("next.probability"), candidates.map(({ probability }) => probability), FAINT), foot: <Bar value={left} color={FAINT} /> },
          { ...shares(say("next.chance"), of("next.chance"), candidates.map(({ chance }) => chance)), foot: <Bar value={rest} /> },
        ];
        const word = (name: string, i: number) => (i === chosen ? <span title={say("next.chosen")}>{name}<span class="rg-unseen">, {say("next.chosen")}</span></span> : name);
        return (
          <>
            <div class="rg-writing">
              <span class="rg-note">{say("next.step")}</span>
              <WordRow name={say("cross.choose")} words={output.map((each) => readable(each, say))} chosen={step} look={(i) => (i > step ? "rg-words__word--later" : "")} onChoose={(next) => onSet({ step: next })} />
            </div>
            <WordTable
              label={say("next.table")}
              corner={say("next.candidate")}
              words={names.map(word)}
              columns={columns}
              spotlight={chosen}
              row={(i) => ((candidates[i]?.chance ?? 0) > 0 ? "" : "rg-next__cut")}
              foot={say("next.rest")}
            />
            <p class="rg-note">{say("next.said", { possible: possible.toLocaleString("en"), vocabulary: vocabulary.toLocaleString("en") })}</p>
          </>
        );
      }}
    </Asked>
  );
}
