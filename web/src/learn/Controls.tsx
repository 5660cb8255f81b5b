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
  const here = { head_dim: !trained, heads: !trained, layer: trained, head: trained, window: settings.mask === "window" };
  const few = (name: keyof typeof OPTIONS) => {
    const all: readonly (string | number | boolean | null)[] = name === "layer" && lesson.name === "cross" ? OPTIONS.layer.slice(0, DECODER) : OPTIONS[name];
    const named = (each: (typeof all)[number]) => (typeof each === "boolean" ? say(each ? "on" : "off") : each === null ? say("all") : typeof each === "number" ? String(each) : (FORMULAS[each] ?? say(each as Key)));
    return <Choice key={name} name={say(NAMES[name] ?? (name as Key))} options={all.map((each, i) => [i, named(each)])} value={all.indexOf(settings[name])} onChoose={(i) => onChoose({ [name]: all[i] })} />;
  };
  const drawn = (name: Control) => {
    if (name === "temperature")
      return <Slider key={name} name={say(name)} values={TEMPERATURES} place={TEMPERATURES.findIndex((each) => each === settings.temperature)} onChoose={(place) => onChoose({ temperature: TEMPERATURES[place] ?? 1 })} />;
    if (name === "swap") return <Swap key={name} words={words} swap={settings.swap} onChoose={(swap) => onChoose({ swap })} />;
    return name in OPTIONS && (here[name as keyof typeof here] ?? true) && few(name as keyof typeof OPTIONS); // the others are in the picture
  };
  return (
    <div class="rg-row rg-controls" role="group" aria-label={say("change")}>
      {lesson.controls.map(drawn)}
    </div>
  );
}

const DECODER = 2; // layers of the shipped decoder
const NAMES: Partial<Record<Control, Key>> = { score: "similarity", head_dim: "dimensions", window: "sides", projections: "matrices" };
const FORMULAS: Record<string, string> = { dot: "q·k", scaled_dot: "q·k / √d" };

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
