/** Softmax over one word's scores: e to each, their sum, and each divided by it. */
import { percent } from "../../weights/words";
import { useWords } from "../../words/words";
import { Bar } from "./Looks";
import { brief, saying } from "./said";
import { large, softmax } from "./softmax";

interface SoftmaxProps {
  words: readonly string[];
  scores: readonly number[];
  formula: string;
  spotlight: number;
  onPoint(word: number | null): void;
  onChoose(word: number): void;
}

export function Softmax({ words, scores, formula, spotlight, onPoint, onChoose }: SoftmaxProps) {
  const say = useWords();
  const lit = words[spotlight] ?? "";
  const { shares, sum } = softmax(scores);
  return (
    <div class="rg-stack">
      <table class="rg-table rg-softmax" aria-label={say("softmax", { word: lit })} onPointerLeave={() => onPoint(null)}>
        <thead>
          <tr>
            <td>{say("from", { word: lit })}</td>
            <th scope="col">{say("score")} <span class="rg-softmax__formula">{formula}</span></th>
            <th scope="col">{say("softmax.exp")}</th>
            <th scope="col" class="rg-softmax__share">{say("softmax.share")}</th>
          </tr>
        </thead>
        <tbody>
          {words.map((word, key) => (
            <tr key={key} class={key === spotlight ? "rg-table__row--lit" : undefined} onPointerEnter={() => onPoint(key)} onClick={() => onChoose(key)}>
              <th scope="row" class="rg-table__word">{word}</th>
              <td class="rg-number" {...saying(`${lit} → ${word}: ${say("score")}`, scores[key] ?? 0)}>{brief(scores[key] ?? 0)}</td>
              <td class="rg-number" {...saying(`${lit} → ${word}: ${say("softmax.exp")}`, shares[key]?.exp ?? 0)}>{large(shares[key]?.exp ?? 0)}</td>
              <td class="rg-softmax__share" {...saying(`${lit} → ${word}: ${say("weight")}`, shares[key]?.weight ?? 0)}>
                <Bar value={shares[key]?.weight ?? 0} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{say("softmax.sum")}</th>
            <td />
            <td class="rg-number" {...saying(`${lit}: ${say("softmax.sum")}`, sum)}>{large(sum)}</td>
            <td class="rg-table__number rg-number">{percent(shares.reduce((total, { weight }) => total + weight, 0))}</td>
          </tr>
        </tfoot>
      </table>
      <p class="rg-note">{say("softmax.note")}</p>
    </div>
  );
}
