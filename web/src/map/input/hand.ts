/** Gestures on a map: wheel and pinch zoom, a drag pans, a click chooses a cell, a double-click zooms in. */
import { takesWheel } from "../../shell/notebook";
import type { State } from "../../state";
import { panBy, positionAt, toViewport, zoomAt, type View } from "../geometry/viewport";
import type { Screen } from "../screen";
import { focusOn } from "./commands";
import { strongest } from "./strongest";

const PAUSE = 300; // milliseconds between two gestures
const DRAWER_AFTER = 220; // milliseconds in which a second click makes a double-click
const STILL = 4; // pixels that a click may move
const TWICE = 2; // a double-click zooms by so much

interface Point {
  x: number;
  y: number;
}

/** Factor of a turn of the wheel: browsers count in pixels, lines or pages. */
export function wheelFactor({ deltaY, deltaMode, ctrlKey }: Pick<WheelEvent, "deltaY" | "deltaMode" | "ctrlKey">): number {
  const pixels = deltaY * [1, 16, 400][deltaMode]!;
  // A pinch on a touchpad comes as a wheel with the control key, in small steps.
  const bounded = Math.max(-300, Math.min(300, pixels));
  return Math.exp(-bounded * (ctrlKey ? 0.01 : 0.002));
}

/** Listens on the canvas; `close` stops it. */
export function handOver(canvas: HTMLCanvasElement, state: State, screen: Screen) {
  const held = new Map<number, Point>();
  let at: Point | null = null; // the pointer, in pixels of the plot
  let clicking = false; // the focus changes by a click on this map
  let zoomed = -Infinity;
  let moved = 0;
  let drawer: ReturnType<typeof setTimeout> | undefined;
  const stop = new AbortController();
  const on = <Name extends keyof HTMLElementEventMap>(name: Name, handle: (event: HTMLElementEventMap[Name]) => void) =>
    canvas.addEventListener(name, handle, { signal: stop.signal, passive: false });

  const within = (event: MouseEvent): Point => {
    const box = canvas.getBoundingClientRect();
    const { left, top } = screen.layout;
    return { x: event.clientX - box.left - left, y: event.clientY - box.top - top };
  };
  const look = (view: View) => (state.viewport.value = toViewport(view, screen.axes.shape, screen.layout));
  const pan = (dx: number, dy: number) => look(panBy(screen.view, dx, dy, screen.axes.shape, screen.layout));
  /** Farther away than the whole map is the sentence, for a gesture that begins there. */
  const zoom = (factor: number, { x, y }: Point) => {
    const begins = performance.now() - zoomed > PAUSE;
    zoomed = performance.now();
    if (factor >= 1 || state.viewport.value) look(zoomAt(screen.view, factor, x, y, screen.axes.shape, screen.layout));
    else if (begins) state.view.value = "sentence";
  };
  const hover = (point: Point) => {
    at = point;
    screen.changed();
  };
  const leave = () => {
    at = null;
    state.hover.value = null;
  };
  const click = ({ x, y }: Point) => {
    const { axes, layer, level, view, layout } = screen;
    const cell = positionAt(view, x, y, axes.shape, layout);
    if (!cell) return;
    canvas.focus({ preventScroll: true });
    const focus = ({ row, column }: { row: number; column: number }) => {
      if (screen.layer !== layer) return;
      clicking = true;
      focusOn(state, { query: axes.queries.token(row), key: axes.keys.token(column) });
      clicking = false;
    };
    // A block stands for many cells; what a reader means is the one that gave it its color.
    if (level > 0) void strongest(layer, cell, level).then((found) => focus(found ?? cell), () => focus(cell));
    else focus(cell);
    clearTimeout(drawer);
    drawer = setTimeout(() => (state.drawer.value = "cell"), state.drawer.value ? 0 : DRAWER_AFTER);
  };

  on("wheel", (event) => {
    if (!takesWheel(canvas, event)) return;
    event.preventDefault();
    hover(within(event));
    if (!event.ctrlKey && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) pan(-(event.deltaX || event.deltaY), 0);
    else zoom(wheelFactor(event), within(event));
  });
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, within(event));
    if (held.size === 1) moved = 0;
  });
  on("pointermove", (event) => {
    const now = within(event);
    const before = held.get(event.pointerId);
    if (!before) return hover(now);
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    held.set(event.pointerId, now);
    if (other) {
      moved = Infinity;
      const gap = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y);
      // Each finger in turn: the middle moves by half, the distance sets the zoom.
      pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      return zoom(gap(now) / Math.max(1, gap(before)), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    }
    hover(now);
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (moved > STILL) pan(now.x - before.x, now.y - before.y);
  });
  const release = (event: PointerEvent) => {
    const was = held.delete(event.pointerId);
    if (was && event.type === "pointerup" && !held.size && moved <= STILL) click(within(event));
  };
  on("pointerup", release);
  on("pointercancel", release);
  on("pointerleave", leave);
  on("dblclick", (event) => {
    event.preventDefault();
    clearTimeout(drawer);
    zoom(TWICE, within(event));
  });
  return {
    clicking: () => clicking,
    /** The pointer is taken to point at nothing, as where the map moved under it without its having been moved. */
    rest: () => void (at && leave()),
    /** The cell under the pointer; also when the map moved and the pointer did not. */
    here() {
      if (!at) return null;
      const { view, axes, layout } = screen;
      const here = positionAt(view, at.x, at.y, axes.shape, layout);
      const next = here && { query: axes.queries.token(here.row), key: axes.keys.token(here.column) };
      const before = state.hover.peek();
      if (before?.query !== next?.query || before?.key !== next?.key) state.hover.value = next;
      return here;
    },
    close() {
      clearTimeout(drawer);
      stop.abort();
    },
  };
}
