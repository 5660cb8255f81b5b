/** Values as text: short ones for cells and ticks, full ones for the tooltip. */
import type { Quantity } from "../source";

/** Three significant digits in at most eight characters. */
export function short(value: number): string {
  if (Number.isNaN(value)) return "";
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size < 0.001 || size >= 10000 ? value.toExponential(2) : value.toPrecision(3);
  return text.replace("e+", "e").replaceAll("-", "−");
}

/** Number as it is printed in a cell: two digits of a weight or none where it is less than one percent, and
 * of the others what five characters hold. */
export function inCell(value: number, quantity: Quantity): string {
  if (quantity === "score") return brief(value);
  if (quantity === "norm") return Math.abs(value) < 0.01 ? "" : brief(value);
  return Math.abs(value) < 0.01 ? "" : value.toFixed(2).replace("-", "−");
}

function brief(value: number): string {
  const size = Math.abs(value);
  if (!(size < 9995)) return short(Number(value.toPrecision(1))).replace(".00", "");
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0).replace("-", "−");
}

/** The fewest digits that give back exactly this 32-bit number. */
export function full(value: number): string {
  if (!Number.isFinite(value)) return short(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return plain(text);
  }
  return plain(value.toPrecision(9));
}

/** A tick's label: no digits that say nothing. */
export function tick(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size < 0.001 || size >= 10000 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  return text.replace(".0e", "e").replace("e+", "e").replaceAll("-", "−");
}

export function count(number: number): string {
  return number.toLocaleString("en");
}

function plain(text: string): string {
  const value = Number(text);
  return Math.abs(value) >= 1e-6 || value === 0 ? value.toString() : text;
}
