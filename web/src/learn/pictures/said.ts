/** Numbers as the lessons write them, and the sentence for one that is pointed at. */

/** Two decimals with a true minus; nothing is "−0.00". */
export function brief(value: number | null): string {
  if (value === null) return "−∞";
  const text = value.toFixed(2);
  return (text === "-0.00" ? "0.00" : text).replace("-", "−");
}

/** Six digits that mean something. */
export function exact(value: number | null): string {
  if (value === null) return "−∞, hidden by the mask";
  return (Math.abs(value) < 1e-12 ? "0" : value.toPrecision(6)).replace("e-", "e−").replace(/^-/, "−");
}

/** Attributes of whatever shows a number; `useSaid` reads them of what is under the pointer. */
export function saying(what: string, value: number | null): { "data-says": string; "data-value": string } {
  return { "data-says": `${what}: ${exact(value)}`, "data-value": value === null ? "-Infinity" : String(value) };
}
