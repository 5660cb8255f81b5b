/** What a translator leaves as it is, and how it reads capitals: `rules.json`, which Python reads as well. */
import rules from "../../../../src/regard/tasks/translation/rules.json";

export { rules };

const WORD = "\\p{L}\\p{N}_"; // what \w is in Python

/** A rule, or one of several, as the source of a regular expression with the flag u, with its parts in their places. */
export function pattern(rule: string | readonly string[], parts: Record<string, string> = {}): string {
  const known: Record<string, string> = { ...rules.parts, ...parts };
  let whole = typeof rule === "string" ? rule : rule.join("|");
  while (/\{\{[A-Z]+\}\}/.test(whole)) whole = whole.replace(/\{\{([A-Z]+)\}\}/g, (_, name: string) => known[name] as string);
  let inside = false; // of a class
  return whole.replace(/\[\^\\W\\d_\]|\[\^\\W_\]|\\[^]|[[\]]/g, (part) => {
    if (part === "[^\\W\\d_]") return "[\\p{L}\\p{Nl}\\p{No}]";
    if (part === "[^\\W_]") return "[\\p{L}\\p{N}]";
    if (part === "[" || part === "]") inside = part === "[";
    if (part === "\\w") return inside ? WORD : `[${WORD}]`;
    return { "\\W": `[^${WORD}]`, "\\d": "\\p{Nd}" }[part] ?? part;
  });
}

export const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
export const NONE = "(?!)";
/** Letters of a class. */
export const inClass = (letters: string) => escaped(letters).replaceAll("-", "\\-");
/** The expression of any of some letters. */
export const oneOf = (letters: string) => (letters ? `[${inClass(letters)}]` : NONE);
