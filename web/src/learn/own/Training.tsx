/** A recorded training: its loss, and at some steps what the model writes and where it looks. */
import { useRef } from "preact/hooks";
import { useSize } from "../../weights/size";
import { useWords } from "../../words/words";
import { Matrix } from "../pictures/Matrix";
import { Slider } from "../Controls";
import recorded from "../recorded.json";
import type { OwnProps } from "./OwnPicture";

const { word, losses, every, moments, parameters, batch } = recorded;
const STEPS = losses.length * every;

export function Training({ settings, onSet }: OwnProps) {
  const say = useWords();
  const place = Math.min(settings.moment, moments.length - 1);
  const moment = moments[place]!;
  const right = [...word].reverse();
  const isRight = moment.written === right.join("");
  return (
    <div class="rg-stack">
      <div class="rg-row rg-training__slider">
        <Slider name={say("training.step")} values={moments.map(({ step }) => step)} place={place} onChoose={(next) => onSet({ moment: next })} />
        <span class="rg-number">{say("training.loss")} {lossAt(losses, every, moment.step).toFixed(2)}</span>
      </div>
      <p aria-live="polite">
        {say("training.writes", { word })} <strong class="rg-number">{moment.written || say("training.nothing")}</strong>{" "}
        <span class={isRight ? "rg-training__right" : "rg-note"}>{isRight ? "✓ " : ""}{say(isRight ? "training.right" : "training.wrong")}</span>
      </p>
      <div class="rg-abreast">
        <Curve step={moment.step} onChoose={(next) => onSet({ moment: next })} />
        <figure class="rg-arrows">
          <figcaption class="rg-row rg-arrows__title">{say("training.map")}</figcaption>
          <Matrix name={say("weight")} kind="weight" rows={right} columns={[...word]} across="" values={moment.weights} />
        </figure>
      </div>
      <p class="rg-note">{say("training.note", { parameters: parameters.toLocaleString("en"), batch, every })}</p>
    </div>
  );
}

function Curve({ step, onChoose }: { step: number; onChoose(moment: number): void }) {
  const say = useWords();
  const frame = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(frame);
  const { path, x, y, ticks } = curveOf(losses, every, width, height);
  const label = say("training.curve", { first: (losses[0] ?? 0).toFixed(2), last: (losses.at(-1) ?? 0).toFixed(2) });
  return (
    <figure class="rg-arrows">
      <figcaption class="rg-row rg-arrows__title">{say("training.loss")}</figcaption>
      <div ref={frame} class="rg-arrows__frame rg-training__curve">
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={label}>
            {ticks.map((loss) => (
              <g key={loss}>
                <path fill="none" stroke="var(--rg-rule)" d={`M${x(0)} ${y(loss)}H${x(STEPS)}`} />
                <text fill="var(--rg-muted)" font-size={12} x={x(0) - 6} y={y(loss) + 4} text-anchor="end">{loss}</text>
              </g>
            ))}
            <path fill="none" stroke="var(--rg-accent)" stroke-width={2} d={path} />
            {moments.map((each, i) => (
              <circle
                key={each.step}
                class="rg-training__moment"
                fill={each.step === step ? "var(--rg-accent)" : "var(--rg-bg)"}
                stroke="var(--rg-accent)"
                stroke-width={2}
                cx={x(each.step)}
                cy={y(lossAt(losses, every, each.step))}
                r={each.step === step ? 6 : 4}
                onClick={() => onChoose(i)}
              />
            ))}
            {[0, STEPS / 2, STEPS].map((each) => (
              <text key={each} fill="var(--rg-muted)" font-size={12} x={x(each)} y={height - 6} text-anchor={each === STEPS ? "end" : "middle"}>{each}</text>
            ))}
          </svg>
        )}
      </div>
      <p class="rg-note">{say("training.steps")}</p>
    </figure>
  );
}

const [LEFT, RIGHT, TOP, BOTTOM] = [34, 14, 12, 26];

/** The loss around a step: of the mean over `every` steps that ends with it. */
export function lossAt(losses: readonly number[], every: number, step: number): number {
  const place = Math.max(0, Math.min(losses.length - 1, Math.ceil(step / every) - 1));
  return losses[place] ?? 0;
}

export function curveOf(losses: readonly number[], every: number, width: number, height: number) {
  const steps = losses.length * every;
  const most = Math.ceil(Math.max(...losses));
  const x = (step: number) => LEFT + ((width - LEFT - RIGHT) * step) / steps;
  const y = (loss: number) => height - BOTTOM - ((height - TOP - BOTTOM) * loss) / most;
  const points = losses.map((loss, i) => `${x((i + 1) * every).toFixed(1)} ${y(loss).toFixed(1)}`);
  return { x, y, path: `M${points.join("L")}`, ticks: Array.from({ length: most + 1 }, (_, i) => i) };
}
