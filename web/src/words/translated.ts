/** What a server or a page's own model says in English, in the page's language where the table has such a sentence; any other stays as it is. */
import { PHRASES } from "./interface";
import type { Key, Say } from "./words";

const literal = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
const SENTENCES = Object.entries(PHRASES)
  .filter(([key]) => /^(server|page)\./.test(key))
  .map(([key, [english]]) => ({
    key: key as Key,
    names: [...english.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
    pattern: new RegExp(`^${literal(english).replace(/\{\w+\}/g, "(.+?)")}$`, "is"),
  }));

/** True of the note on a text that seems to be in another language. */
export const isDoubt = (note: string): boolean => note.startsWith("the text seems to be in another language");

export function translated(say: Say, said: string): string {
  const sentence = said.replace(/, another model, or (?:force=True|"force": true)\./, ", or choose another model."); // options are Python's
  for (const { key, names, pattern } of SENTENCES) {
    const found = pattern.exec(sentence);
    if (found) return say(key, Object.fromEntries(names.map((name, i) => [name, found[i + 1] as string])));
  }
  return sentence;
}
