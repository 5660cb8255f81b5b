/** The same looks as a small matrix of words: rows of the output, columns of the source. */
import { useMemo, useRef } from "preact/hooks";
import { useTheme } from "../color/theme";
import { fontOf, textWidth } from "../weights/textWidth";
import type { Aligned, Pointed } from "./aligned";

interface AlignmentGridProps {
  aligned: Aligned;
  width: number;
  dark: boolean;
  active: readonly Pointed[];
  onHover(pointed: Pointed | null): void;
  onAsk(query: number, key: number): void;
}

const LARGEST = 30; // px, of a cell
const SMALLEST = 9;

export function AlignmentGrid({ aligned, width, dark, active, onHover, onAsk }: AlignmentGridProps) {
  const { source, output, shares } = aligned;
  const root = useRef<HTMLElement>(null);
  const colors = useTheme(root, dark);
  const { left, top } = useMemo(() => {
    const type = fontOf(12);
    const widest = (labels: string[]) => Math.min(110, Math.max(...labels.map((label) => textWidth(label, type)), 10));
    return {
      left: widest(output.map((unit) => unit.label)) + 10,
      top: widest(source.map((unit) => unit.label)) * 0.71 + 18,
    };
  }, [aligned]);
  const right = top - 8; // the slanted names of the last columns reach beyond the cells
  const cell = Math.min(LARGEST, Math.floor((width - left - right) / source.length));
  if (cell < SMALLEST) return null;
  const [across, down] = [cell * source.length, cell * output.length];
  const isActive = (side: Pointed["side"], index: number) => active.some((each) => each.side === side && each.index === index);
  return (
    <figure ref={root} class="rg-translation__grid">
      <figcaption>rows: output, columns: source</figcaption>
      <svg
        width={left + across + right}
        height={top + down + 2}
        role="img"
        aria-label="the weights as a matrix of words; the words above give the same weights one by one"
        onPointerLeave={() => onHover(null)}
      >
        <g transform={`translate(${left} ${top})`}>
          {source.map((unit, key) => (
            <text
              key={key}
              class={isActive("source", key) ? "rg-translation__name--active" : undefined}
              transform={`translate(${(key + 0.5) * cell + 3} -6) rotate(-45)`}
            >
              {clipped(unit.label)}
            </text>
          ))}
          {output.map((unit, query) => (
            <text
              key={query}
              class={isActive("output", query) ? "rg-translation__name--active" : undefined}
              x={-6}
              y={(query + 0.5) * cell + 4}
              text-anchor="end"
            >
              {clipped(unit.label)}
            </text>
          ))}
          <rect class="rg-translation__ground" width={across} height={down} />
          {output.map((word, query) =>
            source.map((looked, key) => {
              const share = shares.values[query * shares.width + key]!;
              const percent = Math.round(share * 100);
              const color = Number.isNaN(share) ? undefined : colors?.("weight", share, 1);
              return (
                <g key={`${query} ${key}`} onPointerEnter={() => onHover({ side: "output", index: query })} onClick={() => onAsk(query, key)}>
                  <rect
                    class={Number.isNaN(share) ? "rg-translation__cell--none" : undefined}
                    x={key * cell + 0.5}
                    y={query * cell + 0.5}
                    width={cell - 1}
                    height={cell - 1}
                    style={{ fill: color?.background }}
                  >
                    <title>{`${word.label} → ${looked.label}: ${Number.isNaN(share) ? "no row at this step" : `${percent} %`}`}</title>
                  </rect>
                  {percent >= 5 && cell >= 22 && (
                    <text
                      class="rg-translation__share rg-number"
                      style={{ fill: color?.color }}
                      x={(key + 0.5) * cell}
                      y={(query + 0.5) * cell + 4}
                      text-anchor="middle"
                    >
                      {percent}
                    </text>
                  )}
                </g>
              );
            }),
          )}
          {output.map((_, query) => isActive("output", query) && (
            <rect key={query} class="rg-translation__row" y={query * cell} width={across} height={cell} />
          ))}
          {source.map((_, key) => isActive("source", key) && (
            <rect key={key} class="rg-translation__row" x={key * cell} width={cell} height={down} />
          ))}
        </g>
      </svg>
    </figure>
  );
}

function clipped(label: string): string {
  return label.length > 15 ? `${label.slice(0, 14)}…` : label;
}
