/** The tokens of an axis as the drawer writes them. */
import { useMemo } from "preact/hooks";
import type { AxisInfo } from "../../source";
import { markOf, tokenLabel } from "../../weights/units";

/** A function from a token to its label; how words begin is read from the axis once. */
export function useLabels(axis: AxisInfo | undefined): (token: string) => string {
  const style = useMemo(() => markOf(axis?.tokens.slice(0, 1000) ?? []), [axis]);
  return (token) => tokenLabel(token, style);
}
