/** Tokens with their shares, each over a bar of its own; some can be chosen. */
import type { ComponentChildren } from "preact";
import { percent } from "./words";

interface RankedProps {
  rows: readonly { label: string; share: number; aside?: number | string; own?: boolean; title?: string; onChoose?: (() => void) | null }[];
  inline?: boolean;
  children?: ComponentChildren; // a last row
}

export function Ranked({ rows, inline, children }: RankedProps) {
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
      {children}
    </ol>
  );
}
