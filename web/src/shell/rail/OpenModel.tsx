/** Opening another model: of the hub's cache, of the hub, in a folder; or a trace that was saved. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { Offer } from "../../source";
import { openFile, openModel, sentence, type State } from "../../state";
import { translated } from "../../words/translated";
import { filled, useWords } from "../../words/words";

export function OpenModel({ state, onOpen }: { state: State; onOpen(name: string): void }) {
  const id = useId();
  const say = useWords();
  const offer = useSignal<Offer | null>(null);
  const name = useSignal("");
  const refused = useSignal<string | null>(null);
  const opening = useSignal(false);
  const look = (open: boolean) => {
    if (open) state.source.offer().then((found) => (offer.value = found), (error: unknown) => (refused.value = sentence(error)));
  };
  const choose = async (wanted: string) => {
    if (!wanted.trim()) return;
    opening.value = true;
    refused.value = null;
    try {
      onOpen((await openModel(state, wanted.trim())).name);
    } catch (error) {
      refused.value = sentence(error);
    } finally {
      opening.value = false;
    }
  };
  const cached = offer.value?.cached ?? [];
  return (
    <details class="rg-ask__part" onToggle={(event) => look(event.currentTarget.open)}>
      <summary class="rg-ask__name rg-note">{say("ask.another")}</summary>
      <p class="rg-note">
        {filled(say("ask.folder"), { command: <code>regard look FOLDER "a text"</code> })}
      </p>
      <label class="rg-note" for={`${id}-name`}>{say("ask.hub")}</label>
      <div class="rg-ask__row">
        <input
          id={`${id}-name`}
          class="rg-field"
          list={`${id}-cached`}
          placeholder={cached[0] ?? "openai-community/gpt2"}
          spellcheck={false}
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault(); // the form around looks at the text
            void choose(name.value);
          }}
        />
        <datalist id={`${id}-cached`}>{cached.map((each) => <option key={each} value={each} />)}</datalist>
        <button type="button" class="rg-button" disabled={opening.value} onClick={() => void choose(name.value)}>
          {say(opening.value ? "ask.opening" : "ask.open")}
        </button>
      </div>
      {refused.value && <p class="rg-note rg-note--error" role="alert">{translated(say, refused.value)}</p>}
      <p class="rg-note">
        {cached.length > 0 && (
          <>
            {say("ask.here")}{" "}
            {cached.map((each, i) => (
              <>
                {i > 0 && ", "}
                <button key={each} type="button" class="rg-link" disabled={opening.value} onClick={() => void choose(each)}>{each}</button>
              </>
            ))}
            .{" "}
          </>
        )}
        {offer.value && (offer.value.download ? say("ask.fetched") : filled(say("ask.fetch"), { command: <code>regard studio --download</code> }))}
      </p>
      <label class="rg-note">
        {say("ask.trace")}{" "}
        <input
          type="file"
          accept=".safetensors"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file) void openFile(state, file);
          }}
        />
      </label>
    </details>
  );
}
