/** Help on the page and its keys. */
import { useEffect, useRef } from "preact/hooks";
import { KEYS } from "./keys";
import type { State } from "../state";
import { filled, useWords } from "../words/words";

export function Help({ state }: { state: State }) {
  const say = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const shown = state.help.value;
  useEffect(() => {
    if (shown && !dialog.current?.open) dialog.current?.showModal();
    else if (!shown) dialog.current?.close();
  }, [shown]);
  const close = () => {
    state.help.value = false;
  };
  return (
    <dialog
      ref={dialog}
      class="rg-help"
      aria-labelledby="rg-help-title"
      onClose={close}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div class="rg-help__body">
        <div class="rg-panel__head">
          <h2 id="rg-help-title" class="rg-panel__title">{say("help.title")}</h2>
          <button type="button" class="rg-button rg-button--bare" onClick={close}>{say("drawer.close")}</button>
        </div>
        <p>{filled(say("help.about"), { why: <em>{say("drawer.why")}</em> })}</p>
        <h3 class="rg-section">{say("help.keys")}</h3>
        <div>
          {KEYS.map(({ keys, means }) => (
            <div key={means} class="rg-help__row">
              <span class="rg-row">
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
              <span>{say(means)}</span>
            </div>
          ))}
        </div>
        <p class="rg-note">{say("help.map")}</p>
      </div>
    </dialog>
  );
}
