/** The native engine's library in WebAssembly, as the tests load it. */
import fused from "../../src/regard/engine/native/libraries/wasm32-relaxed.wasm?url&inline";
import plain from "../../src/regard/engine/native/libraries/wasm32.wasm?url&inline";
import { fromBase64 } from "../src/local/base64";

const bytes = (url: string) => fromBase64(url.slice(url.indexOf(",") + 1));
export const library = bytes(plain);

/** Bytes as a page's file has them. */
export async function packed(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const found = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(found.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}

/** The libraries as a page has them. */
export const engines = async () => Promise.all([bytes(fused), library].map(packed));
