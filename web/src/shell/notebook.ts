/** Manners of a page inside a notebook: its theme, its keys, its wheel, and no second picture. */

/** True if the notebook around is dark; null where it does not say. JupyterLab and Notebook 7, VS Code
 * and Colab each say it in an attribute of their own. */
export function hostIsDark(document: Document): boolean | null {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  if (vscodeThemeKind) return !vscodeThemeKind.endsWith("light");
  const colab = document.documentElement.getAttribute("theme");
  return colab ? colab === "dark" : null;
}

/** Calls back whenever the notebook around may have changed its theme; returns what stops it. */
export function followHost(document: Document, changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  observer.observe(document.documentElement, { attributeFilter: ["theme"] });
  return () => observer.disconnect();
}

/** Keys pressed inside stay inside: a notebook takes letters as commands. JupyterLab listens before
 * the page does, and passes over what is in an element with this attribute. Chords, such as the one
 * that saves, are the notebook's all the same, unless a field could use them. */
export function keepKeys(element: HTMLElement): () => void {
  const keep = (event: KeyboardEvent) => {
    event.stopPropagation();
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (!chord || event.defaultPrevented || (event.target as Element).closest("input, textarea, select")) return;
    const copy = new KeyboardEvent(event.type, event);
    if (element.parentElement?.dispatchEvent(copy) === false) event.preventDefault();
  };
  element.setAttribute("data-lm-suppress-shortcuts", "true");
  element.addEventListener("keydown", keep);
  return () => element.removeEventListener("keydown", keep);
}

/** True if a turn of the wheel is the map's: a notebook scrolls until the page in it is clicked. */
export function takesWheel(map: Element, { ctrlKey, metaKey }: Pick<WheelEvent, "ctrlKey" | "metaKey">): boolean {
  return ctrlKey || metaKey || map.matches(".regard--whole *, .regard:focus-within *");
}

/** Hides the picture that the saved notebook keeps, whose address begins so; returns what shows it again. */
export function hidePicture(document: Document, beginning: string): () => void {
  if (!beginning) return () => undefined;
  const style = document.createElement("style");
  style.textContent = `img[src^="${beginning}"] { display: none !important }`;
  document.head.append(style);
  return () => style.remove();
}
