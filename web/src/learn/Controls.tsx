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
  const drawn: Record<Control, () => preact.ComponentChildren> = {
    score: () => choice("similarity", SCORES.map(([each, label]) => [each, label ?? say(each)] as const), settings.score, (score) => ({ score })),
    head_dim: () =>
      !trained && choice(
        "dimensions",
        OPTIONS.head_dim.map((each) => [each ?? "all", each === null ? say("all") : String(each)] as const),
        settings.head_dim ?? "all",
        (each) => ({ head_dim: each === "all" ? null : Number(each) }),
      ),
    heads: () => !trained && choice("heads", numbered(OPTIONS.heads), settings.heads, (heads) => ({ heads })),
    mask: () => choice("mask", OPTIONS.mask.map((each) => [each, say(each)] as const), settings.mask, (mask) => ({ mask })),
    window: () =>
      settings.mask === "window" && choice("sides", numbered(OPTIONS.window), settings.window, (window) => ({ window })),
    temperature: () => <Temperature value={settings.temperature} onChoose={(temperature) => onChoose({ temperature })} />,
    positions: () =>
      choice("positions", [["off", say("off")], ["on", say("on")]], settings.positions ? "on" : "off", (each) => ({ positions: each === "on" })),
    projections: () =>
      choice("matrices", OPTIONS.projections.map((each) => [each, say(each)] as const), settings.projections, (projections) => ({ projections })),
    layer: () => trained && choice("layer", numbered(lesson.name === "cross" ? OPTIONS.layer.slice(0, DECODER) : OPTIONS.layer), settings.layer, (layer) => ({ layer })),
    head: () => trained && choice("head", numbered(OPTIONS.head), settings.head, (head) => ({ head })),
    top_k: () =>
      choice("top_k", OPTIONS.top_k.map((each) => [each ?? "all", each === null ? say("all") : String(each)] as const), settings.top_k ?? "all",
        (each) => ({ top_k: each === "all" ? null : Number(each) })),
    top_p: () => choice("top_p", OPTIONS.top_p.map((each) => [each, String(each)] as const), settings.top_p, (top_p) => ({ top_p })),
    step: () => null, // these three are in the picture
    moment: () => null,
    struck: () => null,
    swap: () => <Swap words={words} swap={settings.swap} onChoose={(swap) => onChoose({ swap })} />,
  };
  return (
    <div class="rg-controls" role="group" aria-label={say("change")}>
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

function Temperature({ value, onChoose }: { value: number; onChoose(value: number): void }) {
  const id = useId();
  const say = useWords();
  return (
    <span class="rg-slider">
      <label for={id} class="rg-choice__name">{say("temperature")}</label>
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
  const say = useWords();
  const [first, second] = places(swap, words.length);
  const pick = (name: string, value: number, then: (place: number) => [number, number]) => (
    <Choice name={name} label="" look="list" options={words.map((word, i) => [i, `${i + 1} ${word}`])} value={value} onChoose={(place) => onChoose(then(place))} />
  );
  return (
    <span class="rg-choice" role="group" aria-label={say("swap.group")}>
      <span class="rg-choice__name">{say("swap")}</span>
      {pick(say("swap.first"), first, (place) => [place, second])}
      <span aria-hidden="true">⇄</span>
      {pick(say("swap.second"), second, (place) => [first, place])}
    </span>
  );
}
