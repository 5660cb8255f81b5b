/** What a lesson lets be changed, and nothing else. */
import { useId } from "preact/hooks";
import { Choice } from "../weights/Choice";
import { settingsOf, type Lesson } from "./lessons";
import { OPTIONS, TEMPERATURES, type Chosen, type Control } from "./settings";
import { places } from "./words";

interface ControlsProps {
  lesson: Lesson;
  chosen: Chosen;
  words: readonly string[];
  onChoose(chosen: Chosen): void;
}

export function Controls({ lesson, chosen, words, onChoose }: ControlsProps) {
  if (!lesson.controls.length) return null;
  const settings = settingsOf(lesson, chosen);
  const choice = <T extends string | number>(name: string, options: readonly (readonly [T, string])[], value: T, then: (value: T) => Chosen) => (
    <Choice name={name} options={options.map(([each, label]) => ({ value: each, label }))} value={value} onChoose={(each) => onChoose(then(each))} />
  );
  const drawn: Record<Control, () => preact.ComponentChildren> = {
    score: () => choice("similarity", SCORES, settings.score, (score) => ({ score })),
    head_dim: () =>
      choice(
        "dimensions",
        OPTIONS.head_dim.map((each) => [each ?? "all", String(each ?? "all")] as const),
        settings.head_dim ?? "all",
        (each) => ({ head_dim: each === "all" ? null : Number(each) }),
      ),
    heads: () => choice("heads", numbered(OPTIONS.heads), settings.heads, (heads) => ({ heads })),
    mask: () => choice("mask", OPTIONS.mask.map((each) => [each, each] as const), settings.mask, (mask) => ({ mask })),
    window: () =>
      settings.mask === "window" && choice("words on each side", numbered(OPTIONS.window), settings.window, (window) => ({ window })),
    temperature: () => <Temperature value={settings.temperature} onChoose={(temperature) => onChoose({ temperature })} />,
    positions: () =>
      choice("positions", [["off", "off"], ["on", "on"]], settings.positions ? "on" : "off", (each) => ({ positions: each === "on" })),
    projections: () =>
      choice("matrices", [["none", "none"], ["random", "random"]], settings.projections, (projections) => ({ projections })),
    swap: () => <Swap words={words} swap={settings.swap} onChoose={(swap) => onChoose({ swap })} />,
  };
  return (
    <div class="rg-controls" role="group" aria-label="what to change">
      {lesson.controls.map((name) => <div key={name} class="rg-controls__one">{drawn[name]()}</div>)}
    </div>
  );
}

const SCORES = [
  ["dot", "q·k"],
  ["scaled_dot", "q·k / √d"],
  ["cosine", "cosine"],
  ["gaussian", "gaussian"],
  ["average", "average"],
] as const;

const numbered = <T extends number>(options: readonly T[]) => options.map((each): [number, string] => [each, String(each)]);

function Temperature({ value, onChoose }: { value: number; onChoose(value: number): void }) {
  const id = useId();
  return (
    <span class="rg-slider">
      <label for={id} class="rg-choice__name">temperature</label>
      <input
        id={id}
        type="range"
        min={0}
        max={TEMPERATURES.length - 1}
        step={1}
        value={TEMPERATURES.findIndex((each) => each === value)}
        aria-valuetext={String(value)}
        onInput={(event) => onChoose(TEMPERATURES[Number(event.currentTarget.value)] ?? 1)}
      />
      <output class="rg-slider__value rg-number" for={id}>{value}</output>
    </span>
  );
}

interface SwapProps {
  words: readonly string[];
  swap: readonly [number, number];
  onChoose(swap: [number, number]): void;
}

function Swap({ words, swap, onChoose }: SwapProps) {
  const [first, second] = places(swap, words.length);
  const pick = (name: string, value: number, then: (place: number) => [number, number]) => (
    <select
      class="rg-select"
      aria-label={name}
      value={value}
      onChange={(event) => onChoose(then(Number(event.currentTarget.value)))}
    >
      {words.map((word, i) => (
        <option key={i} value={i} selected={i === value}>{`${i + 1} ${word}`}</option>
      ))}
    </select>
  );
  return (
    <span class="rg-choice" role="group" aria-label="words that change places">
      <span class="rg-choice__name">change places</span>
      {pick("first word", first, (place) => [place, second])}
      <span aria-hidden="true">⇄</span>
      {pick("second word", second, (place) => [first, place])}
    </span>
  );
}
