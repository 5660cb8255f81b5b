/** Outputs of each word before and after two words change places, and their distance. */
import type { Lesson as Answer } from "../../source";
import type { PictureProps } from "./props";
import { distance, reach, rowOf } from "./rows";
import { saying } from "./said";
import { Strip } from "./Strip";
import { useWords } from "../../words/words";
import { permutation, places } from "../words";

export function Order({ answers, settings, spotlight, onPoint, onChoose }: PictureProps) {
  const [before, after] = answers as [Answer, Answer];
  const say = useWords();
  const { tokens } = before.explanation;
  const moved = permutation(settings.swap, tokens.length); // its own inverse
  const rows = tokens.map((word, i) => {
    const one = rowOf(before.explanation, i).output;
    const other = rowOf(after.explanation, moved[i] ?? i).output;
    return { word, one, other, change: distance(one, other) };
  });
  const most = reach(rows.flatMap(({ one, other }) => [one, other]));
  const farthest = Math.max(...rows.map(({ change }) => change), 1e-9);
  const [first, second] = places(settings.swap, tokens.length);
  return (
    <table class="rg-table rg-order" aria-label={say("order")} onPointerLeave={() => onPoint(null)}>
      <thead>
        <tr>
          <td />
          <th scope="col">{say("order.here")}</th>
          <th scope="col">{say("order.swapped", { first: tokens[first] ?? "", second: tokens[second] ?? "" })}</th>
          <th scope="col">{say("order.change")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ word, one, other, change }, i) => (
          <tr
            key={i}
            class={i === spotlight ? "rg-table__row--lit" : undefined}
            onPointerEnter={() => onPoint(i)}
            onClick={() => onChoose(i)}
          >
            <th scope="row" class="rg-table__word">{word}{i === first || i === second ? <span aria-hidden="true"> ⇄</span> : ""}</th>
            <td><Strip name={say("arrows.output", { word })} values={one} most={most} /></td>
            <td><Strip name={`${say("arrows.output", { word })} ⇄`} values={other} most={most} /></td>
            <td class="rg-order__change" {...saying(say("order.moved", { word }), change)}>
              <span class="rg-share">
                <span class="rg-track" style={{ "--part": change < 1e-9 ? "0" : `${(100 * change) / farthest}%` }} />
                <span class="rg-share__number rg-number">{inWords(change)}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Distance in three decimals; none that is not zero is written as 0. */
function inWords(change: number): string {
  if (change < 1e-9) return "0";
  return change < 0.001 ? "< 0.001" : change.toFixed(3);
}
