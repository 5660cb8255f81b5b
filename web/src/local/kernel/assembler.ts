/** WebAssembly's binary format, as much of it as one module of SIMD functions needs. */

/** Unsigned LEB128: seven bits a byte, the lowest first. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    bytes.push(value ? low | 0x80 : low);
  } while (value);
  return bytes;
}

/** Signed LEB128: the last byte's bit 6 is the sign. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  for (;;) {
    const low = value & 0x7f;
    value >>= 7;
    if (value === (low & 0x40 ? -1 : 0)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

const vector = (items: number[][]) => [...unsigned(items.length), ...items.flat()];
const sized = (bytes: number[]) => [...unsigned(bytes.length), ...bytes];
const section = (id: number, bytes: number[]) => [id, ...sized(bytes)];
const text = (name: string) => sized([...name].map((letter) => letter.charCodeAt(0)));
const simd = (code: number) => [0xfd, ...unsigned(code)];
const memory = (align: number, offset: number) => [align, ...unsigned(offset)]; // align: log₂ of bytes

export const TYPES = { i32: 0x7f, v128: 0x7b } as const;
const EMPTY = 0x40; // a block that leaves nothing

/** Instructions by the names of the text format. */
export const op = {
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  constant: (value: number) => [0x41, ...signed(value)],
  add: [0x6a],
  subtract: [0x6b],
  lessUnsigned: [0x49],
  loop: (body: number[]) => [0x03, EMPTY, ...body, 0x0b],
  repeatIf: (depth = 0) => [0x0d, ...unsigned(depth)],
  multiply: [0x6c],
  f32Add: [0x92],
  f32Multiply: [0x94],
  f32OfI32: [0xb2],
  f32Load: (offset = 0) => [0x2a, ...memory(2, offset)],
  f32Store: (offset = 0) => [0x38, ...memory(2, offset)],
  load: (offset = 0) => [...simd(0), ...memory(2, offset)],
  zeros: [...simd(12), ...new Array<number>(16).fill(0)],
  lane: (index: number) => [...simd(27), index], // of four i32
  lowI8ToI16: simd(135),
  highI8ToI16: simd(136),
  i32x4Add: simd(174),
  dotI16: simd(186), // a₀b₀ + a₁b₁, a₂b₂ + a₃b₃, … of eight i16 as four i32
} as const;

export interface Function {
  name: string;
  locals: number[]; // types of those that are not parameters
  body: number[];
}

/** A module whose functions all take so many i32, return nothing, and share the imported memory
 * `e.m`. */
export function assembled(parameters: number, functions: Function[]): Uint8Array<ArrayBuffer> {
  const type = [0x60, ...vector(new Array(parameters).fill([TYPES.i32])), ...vector([])];
  const code = functions.map(({ locals, body }) =>
    sized([...vector(locals.map((each) => [1, each])), ...body, 0x0b]),
  );
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
    ...section(1, vector([type])),
    ...section(2, vector([[...text("e"), ...text("m"), 0x02, 0x00, ...unsigned(1)]])),
    ...section(3, vector(functions.map(() => [0]))),
    ...section(7, vector(functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]))),
    ...section(10, vector(code)),
  ]);
}
