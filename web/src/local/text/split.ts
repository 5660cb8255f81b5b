/** Cuts a text into the parts within which subwords are merged. */

export type PreTokenizer =
  | { type: "Metaspace"; replacement: string; prepend_scheme: string; split: boolean }
  | { type: "Split"; pattern: { Regex?: string; String?: string }; behavior: string; invert: boolean }
  | { type: "BertPreTokenizer" }
  | { type: "ByteLevel"; add_prefix_space: boolean; use_regex: boolean }
  | { type: "Sequence"; pretokenizers: PreTokenizer[] };

type Splitter = (text: string) => string[];

const PUNCTUATION = /[!-\/:-@[-`{-~\p{P}]|[^\s!-\/:-@[-`{-~\p{P}]+/gu; // each by itself, and what is between
const WORDS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu; // GPT-2's

export function splitter(settings: PreTokenizer): Splitter {
  if (settings.type === "Sequence") {
    const steps = settings.pretokenizers.map(splitter);
    return (text) => steps.reduce((parts, step) => parts.flatMap(step), [text]);
  }
  if (settings.type === "Metaspace" && settings.prepend_scheme === "always") {
    const { replacement: mark, split } = settings;
    return (text) => {
      const marked = text.replaceAll(" ", mark);
      const whole = marked.startsWith(mark) ? marked : mark + marked;
      return split ? whole.split(new RegExp(`(?=${mark})`, "u")) : [whole];
    };
  }
  if (settings.type === "BertPreTokenizer") return (text) => text.match(PUNCTUATION) ?? [];
  if (settings.type === "ByteLevel" && settings.use_regex && !settings.add_prefix_space)
    return (text) => (text.match(WORDS) ?? []).map((part) => [...new TextEncoder().encode(part)].map((byte) => BYTES[byte]).join(""));
  if (settings.type === "Split" && settings.pattern.Regex && settings.behavior === "Isolated" && !settings.invert) {
    const pattern = new RegExp(inJavaScript(settings.pattern.Regex), "gv");
    return (text) => {
      const parts: string[] = [];
      let end = 0;
      for (const match of text.matchAll(pattern)) {
        if (!match[0]) continue;
        parts.push(text.slice(end, match.index), match[0]);
        end = match.index + match[0].length;
      }
      return [...parts, text.slice(end)].filter(Boolean);
    };
  }
  throw new Error(`This page does not know how to split a text by ${JSON.stringify(settings).slice(0, 80)}.`);
}

/** A letter for each byte, as GPT-2's vocabulary spells them: those that print are themselves. */
export const BYTES: readonly string[] = (() => {
  let others = 256;
  const prints = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(prints(byte) ? byte : others++));
})();

/** Oniguruma's [ab&&c] is [[ab]&&c] in JavaScript; all else that tokenizers use is the same. */
export function inJavaScript(pattern: string): string {
  return pattern.replace(/\[((?:\\p\{\w+\}|\\.|[^\\\[\]&])+)&&/g, "[[$1]&&");
}
