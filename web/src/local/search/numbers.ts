/** Logits as probabilities, and the largest of many numbers. */

/** log softmax of a row. */
export function logSoftmax(logits: Float32Array): Float32Array {
  const shift = logSumExp(logits);
  return logits.map((value) => value - shift);
}

export function logSumExp(logits: Float32Array): number {
  let largest = -Infinity;
  for (let i = 0; i < logits.length; i++) if ((logits[i] as number) > largest) largest = logits[i] as number;
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp((logits[i] as number) - largest);
  return largest + Math.log(sum);
}

/** The places of the k largest, best first; of equals the first. */
export function largest(values: ArrayLike<number>, k: number): number[] {
  const best: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (best.length === k && !(value > (values[best[k - 1] as number] as number))) continue;
    let at = best.length;
    while (at > 0 && value > (values[best[at - 1] as number] as number)) at--;
    best.splice(at, 0, i);
    if (best.length > k) best.pop();
  }
  return best;
}
