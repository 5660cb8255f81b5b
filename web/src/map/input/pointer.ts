/** Wheel, pinch, drag, click and double-click, passed to the map in its plot's pixels. */
import { takesWheel } from "../../shell/notebook";
import type { Hand } from "./hand";

const STILL = 4; // pixels that a click may move
const TWICE = 2; // a double-click zooms by so much

/** Factor of a turn of the wheel: browsers count in pixels, lines or pages. */
export function wheelFactor({ deltaY, deltaMode, ctrlKey }: Pick<WheelEvent, "deltaY" | "deltaMode" | "ctrlKey">): number {
  const pixels = deltaY * [1, 16, 400][deltaMode]!;
  // A pinch on a touchpad comes as a wheel with the control key, in small steps.
  const bounded = Math.max(-300, Math.min(300, pixels));
  return Math.exp(-bounded * (ctrlKey ? 0.01 : 0.002));
}

/** Listens on the canvas; gives back what stops it. */
export function listen(canvas: HTMLCanvasElement, target: Hand): () => void {
  const held = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const within = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    const { left, top } = target.origin();
    return { x: event.clientX - box.left - left, y: event.clientY - box.top - top };
  };
  const stop = new AbortController();
  const on = <Name extends keyof HTMLElementEventMap>(name: Name, handle: (event: HTMLElementEventMap[Name]) => void) =>
    canvas.addEventListener(name, handle, { signal: stop.signal, passive: false });

  on("wheel", (event) => {
    if (!takesWheel(canvas, event)) return;
    event.preventDefault();
    const { x, y } = within(event);
    target.hover(x, y);
    if (!event.ctrlKey && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      target.pan(-(event.deltaX || event.deltaY), 0);
    } else target.zoom(wheelFactor(event), x, y);
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
    if (!before) return target.hover(now.x, now.y);
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    held.set(event.pointerId, now);
    if (other) {
      moved = Infinity;
      const gap = (point: { x: number; y: number }) => Math.hypot(point.x - other.x, point.y - other.y);
      // Each finger in turn: the middle moves by half, the distance sets the zoom.
      target.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      target.zoom(gap(now) / Math.max(1, gap(before)), (now.x + other.x) / 2, (now.y + other.y) / 2);
      return;
    }
    target.hover(now.x, now.y);
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (moved > STILL) {
      target.pan(now.x - before.x, now.y - before.y);
      canvas.classList.add("rg-map__canvas--dragged");
    }
  });

  const release = (event: PointerEvent) => {
    const was = held.delete(event.pointerId);
    canvas.classList.remove("rg-map__canvas--dragged");
    if (was && event.type === "pointerup" && !held.size && moved <= STILL) {
      const { x, y } = within(event);
      target.click(x, y);
    }
  };
  on("pointerup", release);
  on("pointercancel", release);
  on("pointerleave", () => target.leave());
  on("dblclick", (event) => {
    event.preventDefault();
    const { x, y } = within(event);
    target.doubleClick();
    target.zoom(TWICE, x, y);
  });
  return () => stop.abort();
}
