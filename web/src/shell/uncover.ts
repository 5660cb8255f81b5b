/** Scrolling of the picture into sight above a drawer that comes from below. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** `root` scrolls by itself only where the page is narrow; anywhere else this changes nothing. */
export function useUncovered(root: RefObject<HTMLElement | null>, open: boolean): void {
  useEffect(() => {
    const app = root.current;
    const hero = app?.querySelector("#rg-hero");
    if (!open || !app || !hero || app.scrollHeight <= app.clientHeight) return;
    app.scrollTop += hero.getBoundingClientRect().top - app.getBoundingClientRect().top;
  }, [root, open]);
}
