/** Softmax in its two steps, as it is defined. */

export interface Share {
  exp: number; // e to the score
  weight: number; // divided by the sum
}

export function softmax(scores: readonly number[]): { shares: Share[]; sum: number } {
  const exps = scores.map(Math.exp);
  const sum = exps.reduce((total, each) => total + each, 0);
  // The weights by way of the largest score, which they do not depend on, so that none is too large.
  const most = Math.max(...scores);
  const reduced = scores.map((score) => Math.exp(score - most));
  const whole = reduced.reduce((total, each) => total + each, 0);
  return { shares: exps.map((exp, i) => ({ exp, weight: (reduced[i] ?? 0) / whole })), sum };
}

/** "12.3", "0.00012", "4.9 × 10⁸" */
export function large(value: number): string {
  if (!Number.isFinite(value)) return "∞";
  if (value !== 0 && (value >= 1e5 || value < 1e-3)) {
    const [digits = "", power = ""] = value.toExponential(1).split("e");
    return `${digits} × 10${[...power.replace("+", "")].map((mark) => RAISED[mark] ?? mark).join("")}`;
  }
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

const RAISED: Record<string, string> = Object.fromEntries([...("-0123456789")].map((mark, i) => [mark, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i] ?? ""]));
