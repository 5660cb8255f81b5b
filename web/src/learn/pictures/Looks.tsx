/** One word's attention from left to right: lines to every word, scores, weights, and what they sum to. */
import { useRef } from "preact/hooks";
import { curve, ROW } from "../../links/layout";
import { useSize } from "../../weights/size";
import { percent } from "../../weights/words";
import { useWords } from "../../words/words";
import { reach, type Row } from "./rows";
import { brief, saying } from "./said";
import { Strip } from "./Strip";

interface LooksProps {
  words: readonly string[];
  row: Row;
  formula: string; // of the score
  named: boolean; // the columns are called query, key and value
  spotlight: number;
  onPoint(word: number | null): void;
  onChoose(word: number): void;
}

const THICKEST = 14; // px, of a line with all the weight

export function Looks({ words, row, formula, named, spotlight, onPoint, onChoose }: LooksProps) {
  const say = useWords();
  const lines = useRef<HTMLTableCellElement>(null);
  const { width } = useSize(lines);
  const { looks, output } = row;
  const lit = words[spotlight] ?? "";
  const most = Math.max(reach([output]), reach(looks.map(({ given }) => given)));
  const middle = (place: number) => (place + 0.5) * ROW;
  return (
    <table class="rg-table rg-attention" aria-label={say("gets", { word: lit })} onPointerLeave={() => onPoint(null)}>
      <thead>
        <tr>
          <th scope="col" class="rg-attention__query">{say(named ? "query" : "word")}</th>
          <td />
          <th scope="col">{say(named ? "key" : "looksAt")}</th>
          <th scope="col" class="rg-attention__score rg-table__number">{formula === "0" ? say("score") : formula}</th>
          <th scope="col">{say("weight")}</th>
          <th scope="col" class="rg-attention__given">{say(named ? "given.value" : "given")}</th>
        </tr>
      </thead>
      <tbody>
        {looks.map((look, key) => (
          <tr key={key} class={key === spotlight ? "rg-table__row--lit" : undefined}>
            <td class="rg-table__word rg-attention__query" onPointerEnter={() => onPoint(key)} onClick={() => onChoose(key)}>{words[key]}</td>
            {key === 0 && (
              <td ref={lines} class="rg-attention__lines" rowSpan={looks.length} aria-hidden="true">
                <svg width={width} height={looks.length * ROW}>
                  {looks.filter(({ weight }) => weight > 0).map(({ weight, key: other, word }) => (
                    <path
                      key={other}
                      d={curve(middle(spotlight), middle(other), width)}
                      stroke-width={0.75 + THICKEST * weight}
                      stroke-opacity={0.25 + 0.7 * weight}
                      {...saying(`${lit} → ${word}: ${say("weight")}`, weight)}
                    />
                  ))}
                </svg>
              </td>
            )}
            <td class="rg-table__word rg-attention__key" onPointerEnter={() => onPoint(key)} onClick={() => onChoose(key)}>{look.word}</td>
            <td class="rg-attention__score rg-table__number rg-number" {...saying(`${lit} → ${look.word}: ${say("score")}`, look.score)}>{brief(look.score)}</td>
            <td class="rg-attention__weight" {...saying(`${lit} → ${look.word}: ${say("weight")}`, look.weight)}>
              <Bar value={look.weight} />
            </td>
            <td class="rg-attention__given"><Strip name={`${say(named ? "given.value" : "given")}: ${look.word}`} values={look.given} most={most} /></td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td class="rg-attention__query" />
          <td class="rg-attention__equals" colSpan={2}>{say("sum")} <strong>{lit}</strong></td>
          <td class="rg-attention__score" />
          <td class="rg-table__number rg-number">{percent(looks.reduce((sum, { weight }) => sum + weight, 0))}</td>
          <td class="rg-attention__given"><Strip name={say("arrows.output", { word: lit })} values={output} most={most} /></td>
        </tr>
      </tfoot>
    </table>
  );
}

/** A weight as a share of a line, with its number. */
export function Bar({ value, color }: { value: number; color?: string }) {
  return (
    <span class="rg-share">
      <span class="rg-track" style={{ "--part": `${100 * value}%`, ...(color && { "--line": color }) }} />
      <span class="rg-share__number rg-number">{percent(value)}</span>
    </span>
  );
}
