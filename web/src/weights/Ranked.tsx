/** Tokens with their shares, each over a bar of its own; some can be chosen. */
import { useWords } from "../words/words";
import { percent } from "./words";

interface RankedProps {
  rows: readonly { label: string; share: number; aside?: number | string; own?: boolean; title?: string; onChoose?: (() => void) | null }[];
  inline?: boolean;
  rest?: number; // share of all others, in a last row
}

export function Ranked({ rows, inline, rest = 0 }: RankedProps) {
  const say = useWords();
  return (
    <ol class={`rg-ranked${inline ? " rg-ranked--inline" : ""}`}>
      {rows.map(({ label, share, aside, own, title, onChoose }, i) => {
        const Row = onChoose ? "button" : "span";
        return (
          <li key={i}>
            <Row class="rg-ranked__row rg-behind" aria-current={own ? "true" : undefined} title={title} style={{ "--part": `${Math.min(100, 100 * share)}%` }} {...(onChoose && { type: "button", onClick: onChoose })}>
              <span class="rg-cut">{label}</span>
              {aside !== undefined && <span class="rg-note rg-number">{aside}</span>}
              <span class="rg-ranked__share rg-number">{percent(share)}</span>
            </Row>
          </li>
        );
      })}
      {rest > 0 && <li class="rg-ranked__row rg-note">{say("next.rest")} <span class="rg-ranked__share rg-number">{percent(rest)}</span></li>}
    </ol>
  );
}
