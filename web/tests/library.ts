/** The native engine's library in WebAssembly, as the tests load it. */
import inline from "../../src/regard/runtime/native/libraries/wasm32.wasm?url&inline";
import { fromBase64 } from "../src/local/base64";

export const library = fromBase64(inline.slice(inline.indexOf(",") + 1));

/** Bytes as a page's file has them. */
export async function packed(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const found = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(found.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}
