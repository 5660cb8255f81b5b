/** Help on the page and its keys. */
import { useEffect, useRef } from "preact/hooks";
import { KEYS } from "./keys";
import type { State } from "../state";

export function Help({ state }: { state: State }) {
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
          <h2 id="rg-help-title" class="rg-panel__title">help</h2>
          <button type="button" class="rg-button rg-button--bare" onClick={close}>close</button>
        </div>
        <p class="rg-help__about">
          A model weighs all words it can see before it writes or reads one: that is attention. This page shows every
          such weight. In the translation a ribbon is as wide as the weight; in the map each row is a word that looks
          and each column a word that is looked at, darker for more. A weight says where the model looked; <em>why</em>{" "}
          measures what would change without it.
        </p>
        <h3 class="rg-section">keys</h3>
        <div>
          {KEYS.map(({ keys, means }) => (
            <div key={means} class="rg-help__row">
              <span class="rg-row">
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
              <span>{means}</span>
            </div>
          ))}
        </div>
        <p class="rg-note">
          On the map: use the wheel or pinch to zoom at the pointer, drag to pan, double-click to zoom in, click to open the equation. In a notebook, the wheel scrolls the notebook until you click, or hold ctrl.
        </p>
      </div>
    </dialog>
  );
}
