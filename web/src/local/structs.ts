/** Structs in the engine's memory, where interface.ts says that their fields are. */

interface Layout {
  bytes: number;
  fields: Readonly<Record<string, readonly [kind: string, at: number]>>;
}
export type Fields<Of extends Layout> = Record<keyof Of["fields"], number>;

const READ: Record<string, (view: DataView, at: number) => number> = {
  int32_t: (view, at) => view.getInt32(at, true),
  int64_t: (view, at) => Number(view.getBigInt64(at, true)),
  float: (view, at) => view.getFloat32(at, true),
  double: (view, at) => view.getFloat64(at, true),
  pointer: (view, at) => view.getUint32(at, true),
};
const WRITE: Record<string, (view: DataView, at: number, value: number) => void> = {
  int32_t: (view, at, value) => view.setInt32(at, value, true),
  int64_t: (view, at, value) => view.setBigInt64(at, BigInt(value), true),
  float: (view, at, value) => view.setFloat32(at, value, true),
  double: (view, at, value) => view.setFloat64(at, value, true),
  pointer: (view, at, value) => view.setUint32(at, value, true),
};

/** The struct that is at a place of this memory. */
export function structAt<Of extends Layout>({ bytes, fields }: Of, memory: ArrayBufferLike, place = 0): Fields<Of> {
  const view = new DataView(memory, place, bytes);
  return Object.fromEntries(Object.entries(fields).map(([name, [kind, at]]) => [name, READ[kind]?.(view, at)])) as Fields<Of>;
}

/** Structs side by side; a field that is not given is 0. */
export function structsOf<Of extends Layout>({ bytes, fields }: Of, all: readonly Partial<Fields<Of>>[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(bytes * all.length));
  all.forEach((values, i) => {
    for (const [name, value] of Object.entries(values) as [string, number][]) {
      const [kind, at] = fields[name] as readonly [string, number];
      WRITE[kind]?.(view, bytes * i + at, value);
    }
  });
  return new Uint8Array(view.buffer);
}
