/** Tokens × measures, a bar each; every measure has a scale of its own and its rank correlation. */
import type { Measures } from "../source";
import { tick } from "../weights/numbers";
import { labelAt, type Style } from "../weights/units";
import { rho } from "./terms";

type Name = Measures["measures"][number]["name"];

const NAMES: Record<Name, { name: string; means: string }> = {
  weight: { name: "α", means: "the attention weight, mean over layers and heads" },
  norm: { name: "‖α·f(x)‖", means: "the length of what all heads take from the token, mean over layers" },
  gradient: { name: "gradient × input", means: "length of the word's log-probability's gradient times the token's embedding" },
  value_zeroing: { name: "value zeroing", means: "cosine distance of a layer's output when the token's value is zero, mean over layers" },
  hiding: { name: "Δp", means: "change of the word's probability when no other position sees the token" },
};

export function MeasureTable({ measures: { tokens, measures }, style }: { measures: Measures; style: Style }) {
  return (
    <>
      <div class="rg-why__scroll" tabIndex={0} role="region" aria-label="tokens by measure">
        <table class="rg-why__table">
          <thead>
            <tr>
              <th scope="col">token</th>
              {measures.map((each) => (
                <th key={each.name} scope="col" title={NAMES[each.name].means}>
                  {NAMES[each.name].name}
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
      <p class="rg-note">
        ρ: Spearman's rank correlation with |Δp| over these tokens; Δp: the change of the word's probability
        when the token is hidden
      </p>
    </>
  );
}

function Bar({ value, most }: { value: number; most: number }) {
  const share = most > 0 ? Math.abs(value) / most : 0;
  return (
    <td class={`rg-number rg-behind${value < 0 ? " rg-behind--less" : ""}`} style={{ "--part": `${100 * share}%` }}>{tick(Number(value.toPrecision(2)))}</td>
  );
}
