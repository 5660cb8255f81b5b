/** The pictures that ask for their numbers themselves: of the trained translator, and of a training. */
import type { State } from "../../state";
import { useWords } from "../../words/words";
import type { Lesson } from "../lessons";
import type { Pointing } from "../pictures/props";
import type { Chosen, Settings } from "../settings";
import { Block } from "./Block";
import { Cross } from "./Cross";
import { Layers } from "./Layers";
import { Next } from "./Next";
import { Training } from "./Training";
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
