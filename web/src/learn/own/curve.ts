/** A recorded loss as a curve in pixels. */

const [LEFT, RIGHT, TOP, BOTTOM] = [34, 14, 12, 26];

/** The loss around a step: of the mean over `every` steps that ends with it. */
export function lossAt(losses: readonly number[], every: number, step: number): number {
  const place = Math.max(0, Math.min(losses.length - 1, Math.ceil(step / every) - 1));
  return losses[place] ?? 0;
}

export function curveOf(losses: readonly number[], every: number, width: number, height: number) {
  const steps = losses.length * every;
  const most = Math.ceil(Math.max(...losses));
  const x = (step: number) => LEFT + ((width - LEFT - RIGHT) * step) / steps;
  const y = (loss: number) => height - BOTTOM - ((height - TOP - BOTTOM) * loss) / most;
  const points = losses.map((loss, i) => `${x((i + 1) * every).toFixed(1)} ${y(loss).toFixed(1)}`);
  return { x, y, path: `M${points.join("L")}`, ticks: Array.from({ length: most + 1 }, (_, i) => i) };
}
