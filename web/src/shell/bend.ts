/** From the sentence to its map: each ribbon bends into the column and the row that it is of. */
import { look } from "../map/input/commands";
import type { State } from "../state";

const SVG = "http://www.w3.org/2000/svg";

/** The ribbons of the sentence as they are; what is returned lets them bend, once the map is there. */
export function taken(hero: HTMLElement): (state: State) => void {
  const { left, top } = hero.getBoundingClientRect();
  const shapes = [...hero.querySelectorAll<SVGPathElement>("[data-cell]")].map((path) => {
    const origin = path.ownerSVGElement!.getBoundingClientRect();
    const moved = [origin.left - left, origin.top - top] as const;
    let at = 0;
    const d = path.getAttribute("d")!.replace(/-?[\d.]+/g, (number) => String(Number(number) + moved[at++ % 2]!));
    const { stroke, strokeWidth, strokeOpacity } = getComputedStyle(path);
    return { d, look: { fill: "none", stroke, strokeWidth, strokeOpacity }, cell: path.dataset["cell"]!.split(" ").map(Number) };
  });
  return (state) => {
    const seen = look(state);
    const map = hero.querySelector<HTMLElement>(".rg-map");
    const duration = parseFloat(getComputedStyle(hero).getPropertyValue("--rg-glide"));
    if (!seen || !map || !duration || !shapes.length) return;
    const [frame, canvas] = [hero.getBoundingClientRect(), map.querySelector("canvas")!.getBoundingClientRect()];
    const edge = (side: "left" | "top") => canvas[side] - frame[side] + parseFloat(map.style.getPropertyValue(`--rg-map-${side}`));
    const [x0, y0] = [edge("left"), edge("top")];
    const sheet = hero.appendChild(document.createElementNS(SVG, "svg"));
    sheet.setAttribute("class", "rg-bend");
    const { axes, view } = seen;
    for (const { d, look, cell: [query = 0, key = 0, first] } of shapes) {
      const [x, y] = [x0 + (axes.keys.of(key) + 0.5 - view.column) * view.cell, y0 + (axes.queries.of(query) + 0.5 - view.row) * view.cell];
      const [column, row] = [`${x} ${y0}`, `${x0} ${y}`];
      const bent = `M${first ? row : column}C${x} ${y} ${x} ${y} ${first ? column : row}`;
      const path = sheet.appendChild(document.createElementNS(SVG, "path"));
      path.animate([{ ...look, d: `path("${d}")` }, { ...look, d: `path("${bent}")`, strokeWidth: `${view.cell}px`, strokeOpacity: 0 }], { duration, easing: "ease-in-out" });
    }
    setTimeout(() => sheet.remove(), duration);
  };
}
