/** Taking the view along: as a picture, as numbers, as one file, as a link. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { TraceInfo } from "../source";
import { inView } from "../map/input/commands";
import { pngFile, save, svgFile } from "../picture/files";
import { picture } from "../picture/picture";
import { sentence, type State, type View } from "../state";
import { write } from "../url";
import { headWords } from "../weights/words";
import { useWords, type Say } from "../words/words";
import { addressOf } from "./address";
import { Menu, MenuItem } from "./Menu";

const PICTURES = ["svg", "png"] as const; // the page draws them itself
const FILES = ["npz", "html"] as const; // a server writes them
type Kind = (typeof PICTURES | typeof FILES)[number];

export function ExportMenu({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const place = useRef<HTMLDivElement>(null);
  const copied = useSignal(false);
  const saving = useSignal<Kind | null>(null);
  const served = state.source.abilities.export;
  const made = async (kind: Kind): Promise<Blob> => {
    if (kind === "npz" || kind === "html")
      return state.source.download(state.source.exportUrl(trace.id, kind, kind === "html" ? address(state) : part(state)));
    const view = place.current?.closest(".rg-app")?.querySelector<HTMLElement>(".rg-hero");
    if (!view) throw new Error("There is no view to draw; look at a text first.");
    const svg = picture(view, titleOf(state, trace));
    return kind === "svg" ? svgFile(svg) : pngFile(svg);
  };
  const take = async (kind: Kind) => {
    saving.value = kind;
    try {
      save(await made(kind), `regard.${kind}`);
    } catch (error) {
      state.error.value = sentence(error);
    }
    saving.value = null;
  };
  const copy = async () => {
    await navigator.clipboard.writeText(window.location.href);
    copied.value = true;
    window.setTimeout(() => (copied.value = false), 1500);
  };
  return (
    <div ref={place}>
      <Menu label={say("export")} look="rg-button">
        {[...PICTURES, ...(served ? FILES : [])].map((kind) => (
          <MenuItem key={kind} busy={saving.value === kind} onChoose={() => void take(kind)}>
            {saving.value === kind ? say("export.preparing") : labelOf(kind, state.view.value, say)}
          </MenuItem>
        ))}
        {served && <MenuItem onChoose={() => void copy()}>{say(copied.value ? "export.copied" : "export.link")}</MenuItem>}
      </Menu>
    </div>
  );
}

/** Label of an entry of the menu. Not every view has numbers of its own: then they are the map's. */
export function labelOf(kind: Kind, view: View, say: Say): string {
  if (kind === "html") return say("export.html");
  if (kind !== "npz") return say("export.picture", { kind: kind.toUpperCase() });
  if (view === "map") return say("export.these");
  return say(view === "compare" ? "export.first" : "export.numbers");
}

/** Title of a picture: the model, the text, and the map where the view does not name it. */
export function titleOf(state: Pick<State, "view" | "tap" | "head">, { model, text }: Pick<TraceInfo, "model" | "text">): string {
  const name = model.replace(/^.*\//, "");
  const tap = state.tap.value;
  const map = tap && state.view.value === "map" ? `${tap.name}, ${headWords(state.head.value)}: ` : "";
  return `${name} · ${map}${text.replace(/\s+/g, " ").trim()}`;
}

/** Part of the map that is in view, for a file of its numbers. */
function part(state: State): Record<string, string> {
  const { row = 0, column = 0, height = 1, width = 1 } = inView(state) ?? {};
  const place = { row, column, height, width };
  return {
    tap: state.tapName.value,
    head: String(state.head.value),
    quantity: state.quantity.value,
    group: state.group.value,
    ...Object.fromEntries(Object.entries(place).map(([name, value]) => [name, String(value)])),
  };
}

/** The view as an address that needs no trace: the file has its own. */
function address(state: State): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(write({ ...addressOf(state), trace: null, other: null })));
}
