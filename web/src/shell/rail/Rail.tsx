/** The left rail: the model and the text. */
import { enter, inspect } from "../../learn/go";
import { sayIn } from "../../words/words";
import type { State, Theme } from "../../state";
import { Choice } from "../../weights/Choice";
import { AskForm } from "./AskForm";

export function Rail({ state }: { state: State }) {
  return (
    <div class="rg-rail">
      <Brand state={state} />
      {state.source.abilities.trace ? <AskForm state={state} /> : <Fixed state={state} />}
    </div>
  );
}

/** The name, the way between inspector and lessons, and what is the same in both. */
export function Brand({ state }: { state: State }) {
  return (
    <header class="rg-rail__brand">
      <h1 class="rg-panel__title">regard</h1>
      {state.source.abilities.explain && <Ways state={state} />}
      <div class="rg-row">
        <ThemeButton state={state} />
        <button
          type="button"
          class="rg-button rg-button--bare rg-button--square"
          aria-label="help and keys"
          title="help and keys (?)"
          onClick={() => (state.help.value = true)}
        >
          ?
        </button>
      </div>
    </header>
  );
}

function Ways({ state }: { state: State }) {
  const learning = state.learn.value !== null;
  const say = sayIn(state.language.value);
  const name = (way: "inspect" | "learn") => (learning ? say(way) : way);
  return (
    <Choice
      name="what to do"
      label=""
      look="joined"
      options={[["inspect", name("inspect"), "look into a model"], ["learn", name("learn"), "from words to attention, step by step"]]}
      value={learning ? "learn" : "inspect"}
      onChoose={(way) => learning === (way === "learn") || (way === "learn" ? enter : inspect)(state)}
    />
  );
}

/** Text and model of a trace, where no model can be run. */
function Fixed({ state }: { state: State }) {
  const trace = state.trace.value;
  if (!trace) return null;
  return (
    <section class="rg-fixed" aria-label="model">
      <p class="rg-fixed__model">{trace.model}</p>
      {(state.source.leftOut ?? []).map((note) => (
        <p key={note} class="rg-note">{note}</p>
      ))}
    </section>
  );
}

const THEMES: Theme[] = ["system", "light", "dark"];
const SIGNS: Record<Theme, string> = { system: "◐", light: "○", dark: "●" };

function ThemeButton({ state }: { state: State }) {
  const theme = state.theme.value;
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme;
  return (
    <button
      type="button"
      class="rg-button rg-button--bare rg-button--square"
      aria-label={`theme: ${theme}; switch to ${next}`}
      title={`theme: ${theme}`}
      onClick={() => (state.theme.value = next)}
    >
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </button>
  );
}
