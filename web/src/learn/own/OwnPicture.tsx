/** The pictures that ask for their numbers themselves: of the trained translator, and of a training. */
import type { State } from "../../state";
import { useWords } from "../../words/words";
import type { Lesson } from "../lessons";
import type { Pointing } from "../pictures/props";
import type { Chosen, Settings } from "../settings";
import { Block, Layers } from "./Inside";
import { Cross } from "./Cross";
import { Next } from "./Next";
import { Training } from "./Training";
import type { ComponentChildren } from "preact";
import type { Loaded } from "../../weights/loaded";
import { Yours } from "./Yours";

const TRANSLATOR = "en-de";

export interface OwnProps extends Pointing {
  state: State;
  lesson: Lesson;
  settings: Settings;
  text: string;
  words: readonly string[];
  onSet(chosen: Chosen): void;
}

export function OwnPicture(props: OwnProps) {
  const say = useWords();
  const { name } = props.lesson;
  if (name === "training") return <Training {...props} />;
  if (!props.words.length) return <p class="rg-note">{say("model.empty")}</p>;
  if (name === "block") return <Block {...props} />;
  if (name === "layers") return <Layers {...props} />;
  if (name === "next") return <Next {...props} />;
  const models = props.state.models.value.filter(({ task }) => task === "translation").map(({ name: each }) => each);
  const model = models.includes(TRANSLATOR) ? TRANSLATOR : models[0]; // the one of the other lessons, if it can be had
  if (!model) return <p class="rg-note">{say("model.none")}</p>;
  return name === "cross" ? <Cross {...props} model={model} /> : <Yours {...props} model={model} />;
}

interface AskedProps<T> {
  loaded: Loaded<T>;
  children(value: T): ComponentChildren;
}

export function Asked<T>({ loaded: { value, loading, error }, children }: AskedProps<T>) {
  const say = useWords();
  if (error) return <p class="rg-note" role="alert">{error}</p>;
  if (!value) return <p class="rg-note" role="status">{say("model.running", { model: "en-de" })}</p>;
  return <div class="rg-stack" aria-busy={loading}>{children(value)}</div>;
}
