/** Taking the view along: as a picture, as numbers, as one file, as a link. */
import { nameOfText } from "../image/grid";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { TraceInfo } from "../source";
import { inView } from "../map/input/commands";
import { pngFile, save, svgFile } from "../picture/files";
import { picture } from "../picture/picture";
import { attempt, type State } from "../state";
import { write } from "../url";
import { headWords } from "../weights/words";
import { useWords, type Say } from "../words/words";
import { addressOf } from "./address";
import { faceOf } from "./drawer/Drawer";
import { Menu, MenuItem } from "./Menu";

type Kind = "svg" | "png" | "drawer.svg" | "drawer.png" | "npz" | "html"; // a server writes the last two

export function ExportMenu({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const place = useRef<HTMLDivElement>(null);
  const copied = useSignal(false);
  const saving = useSignal<Kind | null>(null);
  const served = state.source.abilities.export;
  const kinds: Kind[] = ["svg", "png", ...(faceOf(state) ? (["drawer.svg", "drawer.png"] as const) : []), ...(served ? (["npz", "html"] as const) : [])];
  const made = async (kind: Kind): Promise<Blob> => {
    if (kind === "npz" || kind === "html")
      return state.source.download(state.source.exportUrl(trace.id, kind, kind === "html" ? address(state) : part(state)));
    const view = place.current?.closest(".rg-app")?.querySelector(kind.startsWith("drawer") ? ".rg-drawer" : ".rg-hero") as HTMLElement; // the menu stands beside it
    const svg = picture(view, titleOf(say, state, trace));
    return kind.endsWith("svg") ? svgFile(svg) : pngFile(svg);
  };
  const take = async (kind: Kind) => {
    saving.value = kind;
    await attempt(state, async () => save(await made(kind), `regard.${kind}`));
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
        {kinds.map((kind) => (
          <MenuItem key={kind} busy={saving.value === kind} onChoose={() => void take(kind)}>
            {saving.value === kind ? say("export.preparing") : labelOf(kind, state, say)}
          </MenuItem>
        ))}
        {served && <MenuItem onChoose={() => void copy()}>{say(copied.value ? "export.copied" : "export.link")}</MenuItem>}
      </Menu>
    </div>
  );
}

/** Label of an entry of the menu. The numbers are the map's, also where the sentence is shown or two maps are. */
export function labelOf(kind: Kind, { view, other }: Pick<State, "view" | "other">, say: Say): string {
  if (kind === "html") return say("export.html");
  const [, drawer, picture] = /^(drawer)?\.?(svg|png)$/.exec(kind) ?? [];
  if (picture) return say(drawer ? "export.drawer" : "export.picture", { kind: picture.toUpperCase() });
  if (view.value === "sentence") return say("export.numbers");
  return say(other.value ? "export.first" : "export.these");
}

/** Title of a picture: the model, the text, and the map where the view does not name it. */
export function titleOf(say: Say, state: Pick<State, "view" | "tap" | "head">, { model, text }: Pick<TraceInfo, "model" | "text">): string {
  const name = model.replace(/^.*\//, "");
  const tap = state.tap.value;
  const map = tap && state.view.value === "map" ? `${tap.name}, ${headWords(say, state.head.value)}: ` : "";
  return `${name} · ${map}${nameOfText(text).replace(/\s+/g, " ").trim()}`;
}

/** Part of the map that is in view, for a file of its numbers. */
function part(state: State): Record<string, string> {
  const place = inView(state) ?? { row: 0, column: 0, height: 1, width: 1 };
  const all = { tap: state.tapName.value, head: state.head.value, quantity: state.quantity.value, group: state.group.value, ...place };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}

/** The view as an address that needs no trace: the file has its own. */
function address(state: State): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(write({ ...addressOf(state), trace: null, other: null })));
}
