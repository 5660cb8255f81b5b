/** The random numbers of sampling, as `regard.generation` draws them: numpy's Philox, for a seed and a stream. */

const MASK = (1n << 64n) - 1n;
const MULTIPLIERS = [0xd2e7470ee14c6c93n, 0xca5a826395121157n] as const;
const WEYL = [0x9e3779b97f4a7c15n, 0xbb67ae8584caa73bn] as const;
const ROUNDS = 10;

/** `length` numbers in [0, 1): sample 0 of text 0, as a page looks at one text. */
export function uniformDraws(seed: number, length: number): Float64Array {
  const key = state([...words(BigInt(seed)), 0, 0]);
  const found = new Float64Array(length);
  for (let at = 0; at < length; at += 4)
    philox(BigInt(at / 4 + 1), key).forEach((bits, i) => {
      if (at + i < length) found[at + i] = Number(bits >> 11n) * 2 ** -53;
    });
  return found;
}

/** Philox4x64-10 (Salmon et al. 2011) of one counter. */
function philox(count: bigint, [one, other]: [bigint, bigint]): bigint[] {
  let [a, b, c, d] = [count, 0n, 0n, 0n];
  for (let round = 0; round < ROUNDS; round++) {
    const [left, right] = [MULTIPLIERS[0] * a, MULTIPLIERS[1] * c];
    [a, b, c, d] = [(right >> 64n) ^ b ^ one, right & MASK, (left >> 64n) ^ d ^ other, left & MASK];
    [one, other] = [(one + WEYL[0]) & MASK, (other + WEYL[1]) & MASK];
  }
  return [a, b, c, d];
}

/** numpy's SeedSequence: two numbers of 64 bits from a pool that all of the entropy was mixed into. */
function state(entropy: number[]): [bigint, bigint] {
  let factor = 0x43b0d7e5;
  const hashed = (value: number) => {
    value = (value ^ factor) >>> 0;
    factor = Math.imul(factor, 0x931e8875) >>> 0;
    value = Math.imul(value, factor) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  const mixed = (x: number, y: number) => {
    const value = (Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715)) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  const pool = Array.from({ length: 4 }, (_, i) => hashed(entropy[i] ?? 0));
  for (let from = 0; from < 4; from++)
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mixed(pool[to] as number, hashed(pool[from] as number));
  for (const more of entropy.slice(4)) for (let to = 0; to < 4; to++) pool[to] = mixed(pool[to] as number, hashed(more));
  let last = 0x8b51f9dd;
  const out = pool.map((value) => {
    value = (value ^ last) >>> 0;
    last = Math.imul(last, 0x58f38ded) >>> 0;
    value = Math.imul(value, last) >>> 0;
    return BigInt((value ^ (value >>> 16)) >>> 0);
  });
  return [(out[0] as bigint) | ((out[1] as bigint) << 32n), (out[2] as bigint) | ((out[3] as bigint) << 32n)];
}

/** Words of 32 bits, the lowest first. */
function words(value: bigint): number[] {
  const found = [Number(value & 0xffffffffn)];
  for (let rest = value >> 32n; rest; rest >>= 32n) found.push(Number(rest & 0xffffffffn));
  return found;
}
