/** The inspector's two scales for cells in the document: a ground for each number, and what is read on it. */
import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { cssColour, diverging, INKS, inks, sequential, unpack, type Ramp } from "../colour";
import { fraction, type Colouring } from "../map/scales";
import { rgb } from "../shell/Thumbnail";

export type Kind = "weight" | "signed";
export type Colour = { background: string; color: string };
/** The colours of a number among numbers whose size is at most `most`. */
export type Colours = (kind: Kind, value: number, most: number) => Colour;

export const ColoursContext = createContext<Colours | null>(null);

/** Empty until the theme has been read. */
export function useColours(): (kind: Kind, value: number | null, most: number) => Colour | undefined {
  const colours = useContext(ColoursContext);
  return (kind, value, most) => (colours && value !== null ? colours(kind, value, most) : undefined);
}

/** The colours of the theme that an element has, read again when it changes. */
export function useTheme(element: RefObject<HTMLElement | null>, dark: boolean): Colours | null {
  const [colours, keep] = useState<Colours | null>(null);
  useLayoutEffect(() => {
    if (!element.current) return;
    const panel = rgb(getComputedStyle(element.current).getPropertyValue("--rg-panel").trim());
    const [weights, signed] = [scale(sequential(panel)), scale(diverging(panel))];
    keep(() => (kind: Kind, value: number, most: number) => (kind === "weight" ? weights : signed)(by(kind, most), value));
  }, [dark]);
  return colours;
}

function by(kind: Kind, most: number): Colouring {
  return { kind: "linear", low: kind === "weight" ? 0 : -most, high: most, diverging: kind === "signed" };
}

function scale(ramp: Ramp): (by: Colouring, value: number) => Colour {
  const inkOf = inks(ramp);
  return (colouring, value) => {
    const place = Math.round(fraction(colouring, value) * (ramp.length - 1));
    return {
      background: cssColour(unpack(ramp[place] as number)),
      color: cssColour(INKS[inkOf[place] as 0 | 1]),
    };
  };
}
