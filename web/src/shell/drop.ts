/** A saved trace that is dropped on the page. */
import { useEffect } from "preact/hooks";
import { readAsText } from "../image/grid";
import { openFile, type State } from "../state";
import { lookInto } from "./address";
import { sayIn } from "../words/words";

/** Takes files that are dropped on the page, or on its part of one. */
export function useDrop(state: State, element: { current: HTMLElement | null }, whole: boolean): void {
  useEffect(() => {
    const target: Document | HTMLElement = whole ? document : (element.current as HTMLElement);
    const over = (dragged: Event) => {
      const event = dragged as DragEvent;
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const drop = (dropped: Event) => {
      const event = dropped as DragEvent;
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      const model = state.models.value.find((each) => each.name === state.trace.value?.model && each.task === "vision");
      if (model && file.type.startsWith("image/")) readAsText(file, (text) => void lookInto(state, { model: model.name, text }));
      else if (!state.source.abilities.open)
        state.error.value = sayIn(state.language.value)("drop.none", { file: file.name });
      else if (!file.name.endsWith(".safetensors"))
        state.error.value = sayIn(state.language.value)("drop.other", { file: file.name });
      else void openFile(state, file);
    };
    target.addEventListener("dragover", over);
    target.addEventListener("drop", drop);
    return () => {
      target.removeEventListener("dragover", over);
      target.removeEventListener("drop", drop);
    };
  }, [state, whole]);
}
