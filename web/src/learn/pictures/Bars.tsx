/** One word's weights in several versions side by side, a column for each. */
import { Bar } from "./Looks";
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
  onPoint(word: number | null): void;
  onChoose(word: number): void;
}

export function Bars({ words, versions, spotlight, onPoint, onChoose }: BarsProps) {
  const lit = words[spotlight] ?? "";
  return (
    <table class={`rg-bars${versions.length > 4 ? " rg-bars--many" : ""}`} aria-label={`where ${lit} looks`} onPointerLeave={() => onPoint(null)}>
      <thead>
        <tr>
          <td class="rg-bars__corner">from {lit} to</td>
          {versions.map(({ title, scores }) => (
            <th key={title} scope="colgroup" colSpan={scores ? 2 : 1}>{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {words.map((word, key) => (
          <tr key={key} class={key === spotlight ? "rg-bars__row rg-bars__row--lit" : "rg-bars__row"}>
            <th scope="row" class="rg-bars__word" onPointerEnter={() => onPoint(key)} onClick={() => onChoose(key)}>{word}</th>
            {versions.map(({ title, scores, weights, color }) => [
              scores && (
                <td key={`${title} score`} class="rg-bars__score rg-number" {...saying(`${lit} → ${word}: ${title}`, scores[key] ?? null)}>
                  {brief(scores[key] ?? null)}
                </td>
              ),
              <td key={title} class="rg-bars__weight" {...saying(`${lit} → ${word}: weight, ${title}`, weights[key] ?? 0)}>
                <Bar value={weights[key] ?? 0} {...(color && { color })} />
              </td>,
            ])}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
