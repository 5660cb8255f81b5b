/** The left rail: the model and the text. */
import { enter, inspect } from "../../learn/go";
import { LANGUAGES, useWords } from "../../words/words";
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
  const say = useWords();
  return (
    <header class="rg-row rg-rail__brand">
      <h1 class="rg-panel__title">regard</h1>
      {state.source.abilities.explain && <Ways state={state} />}
      <div class="rg-row">
        <Choice name={say("language")} label="" look="list" options={LANGUAGES} value={state.language.value} onChoose={(language) => (state.language.value = language)} />
        <ThemeButton state={state} />
        <button
          type="button"
          class="rg-button rg-button--bare rg-button--square"
          aria-label={say("help")}
          title={`${say("help")} (?)`}
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
  const say = useWords();
  return (
    <Choice
      name="what to do"
      label=""
      look="joined"
      options={[["inspect", say("inspect"), say("lookInto")], ["learn", say("learn"), say("learnHow")]]}
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

const SIGNS: Record<Theme, string> = { system: "◐", light: "○", dark: "●" };

function ThemeButton({ state }: { state: State }) {
  const say = useWords();
  const theme = state.theme.value;
  const themes: Theme[] = matchMedia("(prefers-color-scheme: dark)").matches ? ["system", "light", "dark"] : ["system", "dark", "light"]; // the first press shows another one
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] as Theme;
  return (
    <button
      type="button"
      class="rg-button rg-button--bare rg-button--square"
      aria-label={say("theme", { theme: say(`theme.${theme}`), next: say(`theme.${next}`) })}
      title={say("theme", { theme: say(`theme.${theme}`), next: say(`theme.${next}`) })}
      onClick={() => (state.theme.value = next)}
    >
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </button>
  );
}
