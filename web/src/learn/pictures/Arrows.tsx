/** Vectors as arrows in the plane that keeps most of them; one may be laid tip to tail. */
import { useRef } from "preact/hooks";
import { useSize } from "../../weights/size";
import { percent } from "../../weights/words";
import { useWords } from "../../words/words";
import { across, arrow, frameOf, within, writeNames, type Name, type Point } from "./plane";
import type { Pointing } from "./props";
import { brief } from "./said";

/** One arrow, from the origin unless it says otherwise. */
export interface Arrow {
  name: string;
  says: string; // when it is pointed at
  to: Point;
  from?: Point;
  look: keyof typeof LOOKS; // a faint one may reach beyond the picture
  word?: number; // pointing at it points at this word
}

interface ArrowsProps extends Omit<Pointing, "spotlight"> {
  title: string;
  kept: number; // share of the squared length that lies in the plane
  arrows: readonly Arrow[];
}

const ORIGIN: Point = [0, 0];
const REACH = 11; // px, of an arrow for the pointer
const SHORTEST_NAMED = 7; // px, of a step: a shorter one is a point
const STRONG = { color: "var(--rg-accent)", width: 3, name: { fill: "var(--rg-accent)", fontWeight: 650 } };
const LOOKS = {
  plain: { color: "var(--rg-faint)", width: 1.5, name: {} },
  faint: { color: "var(--rg-rule)", width: 1.5, name: {} },
  step: { color: "var(--rg-head-1)", width: 2, name: { fill: "var(--rg-head-1)" } },
  lit: STRONG,
  query: STRONG,
  output: STRONG,
};

export function Arrows({ title, kept, arrows, onPoint, onChoose }: ArrowsProps) {
  const say = useWords();
  const frame = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(frame);
  const { place } = frameOf(arrows.filter(({ look }) => look !== "faint").flatMap(({ to, from = ORIGIN }) => [to, from]), width, height);
  const drawn = arrows.map((each) => ({ ...each, tail: place(each.from ?? ORIGIN), head: place(each.to) }));
  const sum = drawn.find(({ look }) => look === "output");
  const long = ({ tail, head }: { tail: Point; head: Point }) => Math.hypot(head[0] - tail[0], head[1] - tail[1]) >= SHORTEST_NAMED;
  const named = drawn.filter((each) => each.name && (each.look !== "step" || long(each)));
  const names = named.map(({ name, tail, head, look }): Name => {
    const away: Point = [head[0] - tail[0], head[1] - tail[1]];
    const at: Point = look === "step" ? [(head[0] + tail[0]) / 2, (head[1] + tail[1]) / 2] : within(tail, head, width, height);
    const aside = look === "step" && sum ? across(tail, head, [sum.tail, sum.head]) : away;
    return { text: name, at, away: aside, first: LOOKS[look] === STRONG };
  });
  const [x0, y0] = place(ORIGIN);
  const asks = ({ says, word }: Pick<Arrow, "says" | "word">) => ({
    "data-says": says,
    onPointerEnter: () => word !== undefined && onPoint(word),
    onClick: () => word !== undefined && onChoose(word),
  });
  return (
    <figure class="rg-arrows">
      <figcaption class="rg-row rg-arrows__title">
        {title}
        <span class="rg-note" title={say("arrows.kept.title")}>
          {kept > 0.9995 ? say("arrows.exact") : say("arrows.kept", { share: percent(kept) })}
        </span>
      </figcaption>
      <div ref={frame} class="rg-arrows__frame">
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={spoken(title, arrows)} onPointerLeave={() => onPoint(null)}>
            <path fill="none" stroke="var(--rg-rule)" d={`M0 ${y0}H${width}M${x0} 0V${height}`} />
            {drawn.map(({ tail, head, look, ...each }, i) => (
              <g key={i} class={`rg-arrows__arrow rg-arrows__arrow--${look}`} {...asks(each)}>
                <path class="rg-arrows__reach" fill="none" stroke="transparent" stroke-width={REACH} d={`M${tail[0]} ${tail[1]}L${head[0]} ${head[1]}`} />
                <path class="rg-arrows__shaft" d={arrow(tail, head)} stroke={LOOKS[look].color} stroke-width={LOOKS[look].width} />
              </g>
            ))}
            {writeNames(names, width, height).map(({ index, x, y, leader }) => {
              const { look, name, ...each } = named[index]!;
              return [
                leader && <path key={`${index} leader`} fill="none" stroke="var(--rg-faint)" stroke-dasharray="2 3" d={`M${leader[0]} ${leader[1]}L${x} ${y - 4}`} />,
                <text key={index} class="rg-arrows__name" style={LOOKS[look].name} x={x} y={y} {...asks(each)}>
                  {name}
                </text>,
              ];
            })}
          </svg>
        )}
      </div>
    </figure>
  );
}

export function pointed(name: string, [x, y]: Point): string {
  return `${name}: (${brief(x)}, ${brief(y)}) in this plane`;
}

function spoken(title: string, arrows: readonly Arrow[]): string {
  return `${title}: ${arrows.map(({ says }) => says).join("; ")}`;
}
