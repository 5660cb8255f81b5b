/** From query and key to the weight, with the numbers that were there. */
import type { ComponentChildren } from "preact";
import { short } from "../../weights/numbers";
import type { Cell, TapInfo } from "../../source";
import { useWords } from "../../words/words";

const PRODUCTS = 5;

export function Equation({ tap, cell }: { tap: TapInfo; cell: Cell }) {
  const say = useWords();
  const steps = derivation(cell);
  const score = cell.score ?? -Infinity; // a bias of −∞
  const lse = cell.lse ?? -Infinity; // a row in which nothing is allowed
  const { products, others, rest } = largestProducts(cell, PRODUCTS);
  const most = Math.max(...products.map((each) => Math.abs(each.product)), 1e-12);
  return (
    <section class="rg-equation" aria-label={say("equation")}>
      <p class="rg-equation__result">
        α <output class="rg-number">{short(cell.weight)}</output>
      </p>
      <p class="rg-note rg-number">α = softmax({tap.score})</p>
      <ol class="rg-steps">
        {steps && (
          <>
            <Step name="q·k" says={<>Σ q<sub>i</sub> k<sub>i</sub>, i &lt; {cell.query_vector.length}</>} value={steps.dot}>
              <ol class="rg-products">
                {products.map((each) => (
                  <ProductRow key={each.index} {...each} most={most} />
                ))}
                {others > 0 && (
                  <li class="rg-products__row">
                    <span class="rg-products__rest">{say("equation.others", { count: others })}</span>
                    <span class="rg-number">{signed(rest)}</span>
                  </li>
                )}
              </ol>
            </Step>
            <Step name={say("equation.scale")} says={<>× {short(steps.scale)}</>} value={steps.scaled} />
            {steps.bias !== null && <Step name={say("equation.bias")} says={<>+ {short(steps.bias)}</>} value={steps.biased} />}
            {steps.capped && <Step name={say("equation.cap")} says={say("equation.capped")} value={score} />}
          </>
        )}
        {!steps && <Step name={say("score")} says={tap.score} value={score} />}
        <Step
          name={say("mask")}
          says={say(cell.allowed ? "equation.may" : "equation.not")}
          value={cell.allowed ? score : -Infinity}
        />
        <Step name="lse" says={say("equation.lse")} value={lse} />
        <Step
          name="α"
          says={cell.allowed && Number.isFinite(lse) ? <>exp({short(score)} − {bracketed(lse)})</> : "exp(−∞)"}
          value={cell.weight}
          strong
        />
        {cell.value_norm !== null && cell.norm !== null && (
          <Step name={say("norm")} says={<>{short(cell.weight)} × {short(cell.value_norm)}: {say("quantity.norm")}</>} value={cell.norm} strong />
        )}
      </ol>
      {cell.value_norm === null && (
        <p class="rg-note">{say("equation.unknown")}</p>
      )}
    </section>
  );
}

interface StepProps {
  name: string;
  says: ComponentChildren;
  value: number;
  strong?: boolean;
  children?: ComponentChildren;
}

function Step({ name, says, value, strong = false, children }: StepProps) {
  return (
    <li class={`rg-steps__step${strong ? " rg-steps__step--strong" : ""}`}>
      <span class="rg-steps__name">{name}</span>
      <span class="rg-note rg-number">{says}</span>
      <span class="rg-steps__value rg-number">{short(value)}</span>
      {children}
    </li>
  );
}

function ProductRow({ index, query, key_, product, most }: Product & { most: number }) {
  const width = `${(100 * Math.abs(product)) / most}%`;
  return (
    <li class="rg-products__row">
      <span class="rg-number">{index}</span>
      <span class="rg-products__factors rg-number">{short2(query)} × {short2(key_)}</span>
      <span class={`rg-track${product < 0 ? " rg-track--less" : ""}`} style={{ "--part": width }} aria-hidden="true" />
      <span class="rg-number">{signed(product)}</span>
    </li>
  );
}

const short2 = (value: number) => value.toFixed(2).replace("-", "−");
const bracketed = (value: number) => (value < 0 ? `(${short(value)})` : short(value));
const signed = (value: number) => (value < 0 ? short(value) : `+${short(value)}`);

const CLOSE = 1e-3; // of the score; a run in half precision keeps no more

/** Null where the score is no multiple of q·k, so that there are no such steps. `capped`: what is left between
 * them and the score is a soft cap. */
export function derivation(cell: Pick<Cell, "dot" | "scale" | "score" | "bias">) {
  const { dot, scale, score, bias } = cell;
  if (dot === null || scale === null) return null;
  const scaled = dot * scale;
  const biased = scaled + (bias ?? 0);
  const capped = score !== null && Math.abs(biased - score) > CLOSE * Math.max(1, Math.abs(score));
  return { dot, scale, scaled, bias, biased, capped };
}

export interface Product {
  index: number;
  query: number;
  key_: number; // "key" means something else to a component
  product: number;
}

/** The terms of q·k that weigh most, either way, and what the others have together. */
export function largestProducts(cell: Pick<Cell, "query_vector" | "key_vector">, count: number) {
  const all: Product[] = cell.query_vector.map((query, index) => {
    const key_ = cell.key_vector[index] ?? 0;
    return { index, query, key_, product: query * key_ };
  });
  all.sort((a, b) => Math.abs(b.product) - Math.abs(a.product) || a.index - b.index);
  const rest = all.slice(count).reduce((sum, each) => sum + each.product, 0);
  return { products: all.slice(0, count), others: Math.max(0, all.length - count), rest };
}
