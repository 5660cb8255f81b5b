/** Scrolling of a part of the page into sight: of the picture above a drawer that comes from below, or of what leads to it. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** The page scrolls by itself only where it is narrow; anywhere else this changes nothing. */
export function uncover(part: Element | null | undefined): void {
  const app = part?.closest(".rg-app");
  if (part && app && app.scrollHeight > app.clientHeight) app.scrollTop += part.getBoundingClientRect().top - app.getBoundingClientRect().top;
}

export function useUncovered(root: RefObject<HTMLElement | null>, open: boolean): void {
  useEffect(() => {
    if (open) uncover(root.current?.querySelector("#rg-hero"));
  }, [root, open]);
}
