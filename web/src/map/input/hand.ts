/** Gestures of a pointer: zoom, pan, point, and choose a cell. */
import type { State } from "../../state";
import { focusOn } from "./commands";
import type { Layout } from "../geometry/rulers";
import { strongest } from "./strongest";
import type { Screen } from "../screen";
import { panBy, positionAt, toViewport, zoomAt } from "../geometry/viewport";

const PAUSE = 300; // milliseconds between two gestures
const DRAWER_AFTER = 220; // milliseconds in which a second click makes a double-click

export class Hand {
  clicking = false; // the focus changes by a click on this map
  private at: { x: number; y: number } | null = null;
  private zoomed = -Infinity;
  private drawer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private state: State,
    private surface: Screen,
  ) {}

  get resting(): boolean {
    return this.at !== null;
  }

  /** The cell under the pointer; also when the map moved and the pointer did not. */
  here(): { row: number; column: number } | null {
    const { view, axes, layout } = this.surface;
    const here = this.at && positionAt(view, this.at.x, this.at.y, axes.shape, layout);
    if (!this.at) return null;
    const { hover } = this.state;
    const next = here && { query: axes.queries.token(here.row), key: axes.keys.token(here.column) };
    const before = hover.peek();
    if (before?.query !== next?.query || before?.key !== next?.key) hover.value = next;
    return here;
  }

  /** Start of the plot in the canvas. */
  origin(): Layout {
    return this.surface.layout;
  }

  /** Farther away than the whole map is the sentence, for a gesture that begins there. */
  zoom(factor: number, x: number, y: number): void {
    const begins = performance.now() - this.zoomed > PAUSE;
    this.zoomed = performance.now();
    if (factor < 1 && !this.state.viewport.value) {
      if (begins) this.state.view.value = "sentence";
      return;
    }
    const { view, axes, layout } = this.surface;
    this.state.viewport.value = toViewport(zoomAt(view, factor, x, y, axes.shape, layout), axes.shape, layout);
  }

  pan(dx: number, dy: number): void {
    const { view, axes, layout } = this.surface;
    this.state.viewport.value = toViewport(panBy(view, dx, dy, axes.shape, layout), axes.shape, layout);
  }

  hover(x: number, y: number): void {
    this.at = { x, y };
    this.surface.changed();
  }

  leave(): void {
    this.at = null;
    this.state.hover.value = null;
  }

  click(x: number, y: number): void {
    const { state, surface } = this;
    const { axes, layer, level, view, layout } = surface;
    const at = positionAt(view, x, y, axes.shape, layout);
    if (!at) return;
    surface.focusCanvas();
    const focus = ({ row, column }: { row: number; column: number }) => {
      if (surface.layer !== layer) return;
      this.clicking = true;
      focusOn(state, { query: axes.queries.token(row), key: axes.keys.token(column) });
      this.clicking = false;
    };
    // A block stands for many cells; what a reader means is the one that gave it its color.
    if (level > 0) void strongest(layer, at, level).then((cell) => focus(cell ?? at), () => focus(at));
    else focus(at);
    clearTimeout(this.drawer);
    this.drawer = setTimeout(() => (state.drawer.value = "cell"), state.drawer.value ? 0 : DRAWER_AFTER);
  }

  doubleClick(): void {
    clearTimeout(this.drawer);
  }

  close(): void {
    clearTimeout(this.drawer);
  }
}
