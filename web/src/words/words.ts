/** The page's words in each language, in one table. */
import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { PHRASES } from "./interface";
import { LESSON_TEXTS } from "./lessons";

const TEXTS = { ...PHRASES, ...LESSON_TEXTS };
export type Key = keyof typeof TEXTS;
export type Language = "en" | "de" | "hi";
export interface Say {
  (key: Key, values?: Record<string, string | number>): string;
  knows(key: string): boolean;
}

export const LANGUAGES: readonly (readonly [Language, string])[] = [["en", "English"], ["de", "Deutsch"], ["hi", "हिन्दी"]];

const tableOf = (place: number) => Object.fromEntries(Object.entries(TEXTS).map(([key, each]) => [key, each[place]])) as Record<Key, string>;
export const TABLE: Record<Language, Record<Key, string>> = { en: tableOf(0), de: tableOf(1), hi: tableOf(2) };

/** Says things in a language. */
export function sayIn(language: Language): Say {
  const say = (key: Key, values: Record<string, string | number> = {}) => TABLE[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  return Object.assign(say, { knows: (key: string) => key in TABLE.en });
}

/** A phrase with elements in its braces. */
export function filled(phrase: string, parts: Record<string, ComponentChildren>): ComponentChildren[] {
  return phrase.split(/\{(\w+)\}/).map((piece, i) => (i % 2 ? parts[piece] : piece));
}

export const WordsContext = createContext<Say>(sayIn("en"));

export function useWords(): Say {
  return useContext(WordsContext);
}
