/** Tokens × measures, a bar each; every measure has a scale of its own and its rank correlation. */
import type { Measures } from "../source";
import { tick } from "../weights/numbers";
import { labelAt, type Style } from "../weights/units";
import { useWords } from "../words/words";
import { rho } from "./terms";

const SIGNS = { weight: "α", norm: "‖α·f(x)‖", hiding: "Δp" };

export function MeasureTable({ measures: { tokens, measures }, style }: { measures: Measures; style: Style }) {
  const say = useWords();
  return (
    <>
      <div class="rg-why__scroll" tabIndex={0} role="region" aria-label={say("why.table")}>
        <table class="rg-why__table">
          <thead>
            <tr>
              <th scope="col">{say("group.token")}</th>
              {measures.map((each) => (
                <th key={each.name} scope="col" title={say(`why.measure.${each.name}`)}>
                  {each.name === "gradient" || each.name === "value_zeroing" ? say(`why.${each.name}`) : SIGNS[each.name]}
                  {each.name !== "hiding" && (
                    <strong class="rg-number"> ρ {rho(each.correlation)}</strong>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tokens.map((_, index) => (
              <tr key={index}>
                <th scope="row">{labelAt(tokens, index, style)}</th>
                {measures.map((each) => (
                  <Bar key={each.name} value={each.values[index] ?? 0} most={Math.max(...each.values.map(Math.abs))} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="rg-note">{say("why.rho")}</p>
    </>
  );
}

function Bar({ value, most }: { value: number; most: number }) {
  const share = most > 0 ? Math.abs(value) / most : 0;
  return (
    <td class={`rg-number rg-behind${value < 0 ? " rg-behind--less" : ""}`} style={{ "--part": `${100 * share}%` }}>{tick(Number(value.toPrecision(2)))}</td>
  );
}
