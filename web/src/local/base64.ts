/** Bytes that are in the page's file as base64, most of them packed with gzip. */
type Decoding = { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const { fromBase64: native } = Uint8Array as unknown as Decoding; // not in every browser yet
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function unpacked(text: string): Promise<ArrayBuffer> {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter(); // a Blob's stream takes twice as long
  void writer.write(fromBase64(text)).catch(() => undefined); // what is wrong with it, the reader says
  void writer.close().catch(() => undefined);
  return new Response(readable).arrayBuffer();
}
