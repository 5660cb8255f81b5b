/** Tokens × measures, a bar each; every measure has a scale of its own and its rank correlation. */
import { WordTable, type Column } from "../learn/pictures/WordTable";
import type { Measures } from "../source";
import { tick } from "../weights/numbers";
import { labelAt, type Style } from "../weights/units";
import { useWords } from "../words/words";
import { rho } from "./terms";

const SIGNS = { weight: "α", norm: "‖α·f(x)‖", hiding: "Δp" };

export function MeasureTable({ measures: { tokens, measures }, style }: { measures: Measures; style: Style }) {
  const say = useWords();
  const columns = measures.map(({ name, values, correlation }): Column => {
    const most = Math.max(...values.map(Math.abs)) || 1;
    return {
      title: (
        <span title={say(`why.measure.${name}`)}>
          {name === "gradient" || name === "value_zeroing" ? say(`why.${name}`) : SIGNS[name]}
          {name !== "hiding" && <strong class="rg-number"> ρ {rho(correlation)}</strong>}
        </span>
      ),
      look: "number",
      cell: (row) => tick(Number((values[row] ?? 0).toPrecision(2))),
      says: (row) => ({ class: `rg-number rg-behind${(values[row] ?? 0) < 0 ? " rg-behind--less" : ""}`, style: { "--part": `${(100 * Math.abs(values[row] ?? 0)) / most}%` } }),
    };
  });
  return (
    <>
      <div class="rg-why__scroll" tabIndex={0} role="region" aria-label={say("why.table")}>
        <WordTable look="rg-why__table" label={say("why.table")} corner={say("group.token")} words={tokens.map((_, i) => labelAt(tokens, i, style))} columns={columns} spotlight={-1} />
      </div>
      <p class="rg-note">{say("why.rho")}</p>
    </>
  );
}
