/** Controls of a lesson: those of its subject alone. */
import { useId } from "preact/hooks";
import { Choice } from "../weights/Choice";
import { useWords, type Key } from "../words/words";
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
  const say = useWords();
  const settings = settingsOf(lesson, chosen);
  const trained = settings.projections === "trained" || lesson.own === true;
  const choice = <T extends string | number>(name: Key, options: readonly (readonly [T, string])[], value: T, then: (value: T) => Chosen) => (
    <Choice name={say(name)} options={options} value={value} onChoose={(each) => onChoose(then(each))} />
  );
  const some = (name: Key, options: readonly (number | null)[], value: number | null, then: (value: number | null) => Chosen) =>
    choice(name, options.map((each) => [each ?? 0, String(each ?? say("all"))] as const), value ?? 0, (each) => then(each || null));
  const drawn: Record<Control, () => preact.ComponentChildren> = {
    score: () => choice("similarity", SCORES.map(([each, label]) => [each, label ?? say(each)] as const), settings.score, (score) => ({ score })),
    head_dim: () =>
      !trained && some("dimensions", OPTIONS.head_dim, settings.head_dim, (head_dim) => ({ head_dim })),
    heads: () => !trained && choice("heads", numbered(OPTIONS.heads), settings.heads, (heads) => ({ heads })),
    mask: () => choice("mask", OPTIONS.mask.map((each) => [each, say(each)] as const), settings.mask, (mask) => ({ mask })),
    window: () =>
      settings.mask === "window" && choice("sides", numbered(OPTIONS.window), settings.window, (window) => ({ window })),
    temperature: () => <Slider name={say("temperature")} values={TEMPERATURES} place={TEMPERATURES.findIndex((each) => each === settings.temperature)} onChoose={(place) => onChoose({ temperature: TEMPERATURES[place] ?? 1 })} />,
    positions: () =>
      choice("positions", [["off", say("off")], ["on", say("on")]], settings.positions ? "on" : "off", (each) => ({ positions: each === "on" })),
    projections: () =>
      choice("matrices", OPTIONS.projections.map((each) => [each, say(each)] as const), settings.projections, (projections) => ({ projections })),
    layer: () => trained && choice("layer", numbered(lesson.name === "cross" ? OPTIONS.layer.slice(0, DECODER) : OPTIONS.layer), settings.layer, (layer) => ({ layer })),
    head: () => trained && choice("head", numbered(OPTIONS.head), settings.head, (head) => ({ head })),
    top_k: () => some("top_k", OPTIONS.top_k, settings.top_k, (top_k) => ({ top_k })),
    top_p: () => choice("top_p", numbered(OPTIONS.top_p), settings.top_p, (top_p) => ({ top_p })),
    step: () => null, // these three are in the picture
    moment: () => null,
    struck: () => null,
    swap: () => <Swap words={words} swap={settings.swap} onChoose={(swap) => onChoose({ swap })} />,
  };
  return (
    <div class="rg-row rg-controls" role="group" aria-label={say("change")}>
      {lesson.controls.map((name) => <div key={name} class="rg-controls__one">{drawn[name]()}</div>)}
    </div>
  );
}

const DECODER = 2; // layers of the shipped decoder
const SCORES = [
  ["dot", "q·k"],
  ["scaled_dot", "q·k / √d"],
  ["cosine", null],
  ["gaussian", null],
  ["average", null],
] as const;

const numbered = <T extends number>(options: readonly T[]) => options.map((each): [number, string] => [each, String(each)]);

/** A choice among numbers in order, by their place. */
export function Slider({ name, values, place, onChoose }: { name: string; values: readonly number[]; place: number; onChoose(place: number): void }) {
  const id = useId();
  const value = values[place];
  return (
    <span class="rg-choice rg-slider">
      <label for={id} class="rg-choice__name rg-note">{name}</label>
      <input id={id} type="range" min={0} max={values.length - 1} step={1} value={place} aria-valuetext={String(value)} onInput={(event) => onChoose(Number(event.currentTarget.value))} />
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
  const say = useWords();
  const [first, second] = places(swap, words.length);
  const pick = (name: string, value: number, then: (place: number) => [number, number]) => (
    <Choice name={name} label="" look="list" options={words.map((word, i) => [i, `${i + 1} ${word}`])} value={value} onChoose={(place) => onChoose(then(place))} />
  );
  return (
    <span class="rg-choice" role="group" aria-label={say("swap.group")}>
      <span class="rg-choice__name rg-note">{say("swap")}</span>
      {pick(say("swap.first"), first, (place) => [place, second])}
      <span aria-hidden="true">⇄</span>
      {pick(say("swap.second"), second, (place) => [first, place])}
    </span>
  );
}
