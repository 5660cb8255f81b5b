/** One word's weights in several versions side by side, a column for each. */
import { Bar } from "./Looks";
import { useWords } from "../../words/words";
import { brief, saying } from "./said";

export interface Version {
  title: string;
  weights: readonly number[];
  scores?: readonly (number | null)[]; // what the softmax made them of
  color?: string;
}

interface BarsProps {
  words: readonly string[];
  versions: readonly Version[];
  spotlight: number;
  from?: string; // what looks, where it is not the word in the spotlight
  onPoint(word: number | null): void;
  onChoose(word: number): void;
}

export function Bars({ words, versions, spotlight, from, onPoint, onChoose }: BarsProps) {
  const say = useWords();
  const lit = from ?? words[spotlight] ?? "";
  return (
    <table class={`rg-table rg-bars${versions.length > 4 ? " rg-bars--many" : ""}`} aria-label={say("where", { word: lit })} onPointerLeave={() => onPoint(null)}>
      <thead>
        <tr>
          <td>{say("from", { word: lit })}</td>
          {versions.map(({ title, scores }) => (
            <th key={title} scope="colgroup" colSpan={scores ? 2 : 1}>{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {words.map((word, key) => (
          <tr key={key} class={key === spotlight ? "rg-table__row--lit" : undefined}>
            <th scope="row" class="rg-table__word" onPointerEnter={() => onPoint(key)} onClick={() => onChoose(key)}>{word}</th>
            {versions.map(({ title, scores, weights, color }) => [
              scores && (
                <td key={`${title} score`} class="rg-bars__score rg-table__number rg-number" {...saying(`${lit} → ${word}: ${title}`, scores[key] ?? null)}>
                  {brief(scores[key] ?? null)}
                </td>
              ),
              <td key={title} class="rg-bars__weight" {...saying(`${lit} → ${word}: ${say("weight")}, ${title}`, weights[key] ?? 0)}>
                <Bar value={weights[key] ?? 0} {...(color && { color })} />
              </td>,
            ])}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
