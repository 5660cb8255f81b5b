/** Logits as probabilities, and the largest of many numbers. */

/** log softmax of a row. */
export function logSoftmax(logits: Float32Array): Float32Array {
  const shift = logSumExp(logits);
  const found = new Float32Array(logits.length);
  for (let i = 0; i < found.length; i++) found[i] = (logits[i] as number) - shift;
  return found;
}

export function logSumExp(logits: Float32Array): number {
  let largest = -Infinity;
  for (let i = 0; i < logits.length; i++) if ((logits[i] as number) > largest) largest = logits[i] as number;
  if (largest === -Infinity) return largest;
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp((logits[i] as number) - largest);
  return largest + Math.log(sum);
}

/** The places of the k largest, best first; of equals the first. */
export function largest(values: ArrayLike<number>, k: number): number[] {
  const best: number[] = [];
  let least = -Infinity; // that a value must exceed, once there are k
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (best.length === k && !(value > least)) continue;
    let at = best.length;
    while (at > 0 && value > (values[best[at - 1] as number] as number)) at--;
    best.splice(at, 0, i);
    if (best.length > k) best.pop();
    least = values[best[best.length - 1] as number] as number;
  }
  return best;
}
