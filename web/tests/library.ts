/** The native engine's library in WebAssembly, as the tests load it. */
import inline from "../../src/regard/runtime/native/libraries/wasm32.wasm?url&inline";
import { fromBase64 } from "../src/local/base64";

export const library = fromBase64(inline.slice(inline.indexOf(",") + 1));

const stream = new Blob([library]).stream().pipeThrough(new CompressionStream("gzip"));
const bytes = new Uint8Array(await new Response(stream).arrayBuffer());

/** The same as a page's file has it. */
export const packed = btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
