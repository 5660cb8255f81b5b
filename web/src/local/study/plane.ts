/** The directions that keep most of some vectors, as `regard.course.explanation.vectors.principal` finds them. */

export type Matrix = number[][];

export const at = (values: ArrayLike<number>, i: number): number => values[i] as number;

export const product = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += at(one, i) * at(other, i);
  return sum;
};

/** x · w, of (rows, inner) and (inner, columns). */
export function times(x: Matrix, w: Matrix): Matrix {
  const columns = (w[0] ?? []).map((_, i) => w.map((row) => at(row, i)));
  return x.map((row) => columns.map((column) => product(row, column)));
}

/** (d, dim): the eigenvectors of XᵀX with the largest eigenvalues; the largest entry of each is positive. */
export function principal(x: Matrix, dim: number): Matrix {
  const width = x[0]?.length ?? 0;
  const few = x.length < width; // then XXᵀ is smaller: for its eigenvectors u, the others are Xᵀu
  const turned = Array.from({ length: width }, (_, i) => x.map((row) => at(row, i)));
  const [values, vectors] = eigen(few ? squares(x) : squares(turned));
  const order = values.map((_, i) => i).sort((one, other) => at(values, other) - at(values, one)).slice(0, dim);
  const columns = order.map((i) => {
    const vector = vectors.map((row) => at(row, i));
    const direction = few ? turned.map((row) => product(row, vector)) : vector;
    const most = direction.reduce((largest, value) => (Math.abs(value) > Math.abs(largest) ? value : largest), 0);
    const length = (Math.sign(most) || 1) * (Math.sqrt(product(direction, direction)) || 1);
    return direction.map((value) => value / length);
  });
  return turned.map((_, i) => Array.from({ length: dim }, (__, place) => columns[place]?.[i] ?? 0));
}

/** The products of all rows with each other. */
const squares = (rows: Matrix): Matrix => rows.map((row) => rows.map((other) => product(row, other)));

const SWEEPS = 60;

/** Eigenvalues, and eigenvectors as columns, of a symmetric matrix: Jacobi's rotations (Golub & Van Loan, section 8.5). */
function eigen(a: Matrix): [number[], Matrix] {
  const n = a.length;
  const v = a.map((_, i) => a.map((__, j) => Number(i === j)));
  const whole = a.reduce((sum, row) => sum + product(row, row), 0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const off = a.reduce((sum, row, i) => sum + product(row, row) - at(row, i) ** 2, 0);
    if (off <= 1e-30 * whole) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const [up, uq] = [a[p] as number[], a[q] as number[]];
        if (at(up, q) === 0) continue;
        const theta = (at(uq, q) - at(up, p)) / (2 * at(up, q));
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const turn = (row: number[]) => ([row[p], row[q]] = [c * at(row, p) - t * c * at(row, q), t * c * at(row, p) + c * at(row, q)]);
        a.forEach(turn);
        for (let k = 0; k < n; k++) [up[k], uq[k]] = [c * at(up, k) - t * c * at(uq, k), t * c * at(up, k) + c * at(uq, k)];
        v.forEach(turn);
      }
  }
  return [a.map((row, i) => at(row, i)), v];
}
