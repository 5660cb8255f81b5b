/** Taking the view along: as a figure, as numbers, as one file, as a link. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TraceInfo } from "../source";
import { inView } from "../map/input/commands";
import { isLong } from "../color/survey";
import { onOneScale, oneShape, paneOf } from "../compare/panes";
import { sentence, type State, type View } from "../state";
import { leastCertain } from "../generation/timeline";
import { crossTap } from "../translation/aligned";
import { write } from "../url";
import { shownQuantity } from "../weights/matrix";
import { addressOf } from "./address";

const KINDS = ["svg", "pdf", "png", "npz", "html"] as const;

export function ExportMenu({ state, trace }: { state: State; trace: TraceInfo }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const copied = useSignal(false);
  const saving = useSignal<string | null>(null);
  useEffect(() => {
    const outside = (event: Event) => {
      if (menu.current?.open && !event.composedPath().includes(menu.current)) menu.current.open = false;
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, []);
  const links = state.source.abilities.export
    ? KINDS.flatMap((kind) => {
        const asked = kind === "html" ? address(state) : kind === "npz" ? part(state) : { ...part(state), ...lines(state, trace) };
        const url = state.source.exportUrl(trace.id, kind, asked);
        return url ? [{ kind, label: labelOf(kind, state.view.value), url }] : [];
      })
    : [];
  // Fetched rather than followed, so that a refusal is read on the page and not saved as a file.
  const take = async (kind: string, url: string) => {
    saving.value = kind;
    try {
      save(await state.source.download(url), `regard.${kind}`);
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
  if (!links.length) return null;
  return (
    <details
      class="rg-menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        event.preventDefault();
        menu.current.open = false;
        menu.current.querySelector("summary")?.focus();
      }}
    >
      <summary class="rg-button">export</summary>
      <ul class="rg-menu__list">
        {links.map(({ kind, label, url }) => (
          <li key={kind}>
            <a
              class="rg-menu__item"
              href={url}
              download={`regard.${kind}`}
              aria-busy={saving.value === kind}
              onClick={(event) => {
                event.preventDefault();
                void take(kind, url);
              }}
            >
              {saving.value === kind ? "preparing" : label}
            </a>
          </li>
        ))}
        <li>
          <button type="button" class="rg-menu__item" onClick={() => void copy()}>
            {copied.value ? "link copied" : "copy the link to this view"}
          </button>
        </li>
      </ul>
    </details>
  );
}

/** What an entry of the menu gives. Not every view has a figure and numbers of its own: then they are the map's. */
export function labelOf(kind: (typeof KINDS)[number], view: View): string {
  if (kind === "html") return "one HTML file";
  if (kind !== "npz") return `${view === "why" ? "figure of the map" : "figure"}, ${kind.toUpperCase()}`;
  if (view === "map") return "these numbers, NPZ";
  return view === "compare" ? "numbers of the first map, NPZ" : "numbers of the map, NPZ";
}

/** What of the map is in view: what a figure shows and a file holds. */
function part(state: State): Record<string, string> {
  const { row = 0, column = 0, height = 1, width = 1 } = inView(state) ?? {};
  const place = { row, column, height, width };
  return {
    tap: state.tapName.value,
    head: String(state.head.value),
    quantity: state.quantity.value,
    scale: exported(state),
    group: state.group.value,
    ...Object.fromEntries(Object.entries(place).map(([name, value]) => [name, String(value)])),
  };
}

type Drawn =
  | "view" | "tap" | "head" | "heads" | "quantity" | "locked" | "aligned" | "pieces" | "step"
  | "order" | "pattern" | "shade" | "other" | "otherViewport" | "difference" | "scale" | "group";

/** What a figure of the view on screen needs besides its map; of the map and of "why", whose figure is the map, nothing. */
export function lines(state: Pick<State, Drawn>, trace: TraceInfo): Record<string, string> {
  const view = state.view.value;
  const tap = state.tap.value;
  if (view === "heads") return { view, order: state.order.value, pattern: state.pattern.value, shade: state.shade.value };
  if (view === "compare") return compared(state, trace);
  if (!tap || (view !== "flow" && view !== "translation" && view !== "generation")) return {};
  const quantity = shownQuantity(state.quantity.value, tap);
  if (view === "flow") {
    const heads = state.heads.value.filter((head) => head !== null);
    return {
      view,
      quantity,
      heads: (heads.length ? heads : [state.head.value]).join(","),
      ...(state.locked.value.length && { focus: state.locked.value.join(",") }),
    };
  }
  if (view === "generation") {
    const steps = trace.generation?.steps ?? [];
    const chosen = state.step.value;
    return { view, quantity, tap: tap.name, step: String(chosen !== null && chosen < steps.length ? chosen : leastCertain(steps)) };
  }
  const cross = crossTap(trace.taps.filter((each) => each.kind === "cross"), tap);
  return { view, quantity, tap: cross?.name ?? tap.name, group: state.pieces.value, at_output: String(state.aligned.value === "output") };
}

/** The second map and how both are shown. One of the same shape shares the window of the first. */
function compared(state: Pick<State, Drawn>, trace: TraceInfo): Record<string, string> {
  const tap = state.tap.value;
  const second = paneOf(state.other.value);
  if (!tap || !second) return {};
  const first = { trace, tap, head: state.head.value };
  const shared = oneShape(first, second);
  const own = { trace: { value: second.trace }, tap: { value: second.tap }, group: state.group, viewport: state.otherViewport };
  const place = shared ? {} : (inView(own) ?? {});
  return {
    view: "compare",
    ...(second.trace.id !== trace.id && { other_trace: second.trace.id }),
    other_tap: second.tap.name,
    other_head: String(second.head),
    ...Object.fromEntries(Object.entries(place).map(([name, value]) => [`other_${name}`, String(value)])),
    ...(state.difference.value && shared
      ? { difference: "true" }
      : { one_scale: String(onOneScale([first, second], state.scale.value)) }),
  };
}

/** A figure has the named scales: an automatic one is the one of them that it is most like. */
function exported({ scale, tap }: State): string {
  if (scale.value !== "auto") return scale.value;
  return tap.value?.causal && isLong(tap.value.rows, tap.value.columns) ? "row" : "linear";
}

/** The view as an address that needs no trace: the file has its own. */
function address(state: State): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(write({ ...addressOf(state), trace: null, other: null })));
}

function save(contents: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(contents);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
