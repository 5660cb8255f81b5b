/** A saved trace that is dropped on the page. */
import { openFile, type State } from "../state";
import { sayIn } from "../words/words";

export const dropping = (state: State) => ({
  onDragOver: (event: DragEvent) => void (event.dataTransfer?.types.includes("Files") && event.preventDefault()),
  onDrop: (event: DragEvent) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    const say = sayIn(state.language.value);
    if (!state.source.abilities.open) state.error.value = say("drop.none", { file: file.name });
    else if (!file.name.endsWith(".safetensors")) state.error.value = say("drop.other", { file: file.name });
    else void openFile(state, file);
  },
});
