/** The interface's words in each language, in one table. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { phrases as phrasesDe } from "./interface.de";
import { phrases as phrasesEn } from "./interface.en";
import { phrases as phrasesHi } from "./interface.hi";
import { lessons as lessonsDe } from "./lessons.de";
import { lessons as lessonsEn } from "./lessons.en";
import { lessons as lessonsHi } from "./lessons.hi";

export type Key = keyof typeof phrasesEn | keyof typeof lessonsEn;
export type Language = "en" | "de" | "hi";
export type Say = (key: Key, values?: Record<string, string | number>) => string;

export const LANGUAGES: readonly (readonly [Language, string])[] = [["en", "English"], ["de", "Deutsch"], ["hi", "हिन्दी"]];

export const TABLE: Record<Language, Record<Key, string>> = {
  en: { ...phrasesEn, ...lessonsEn },
  de: { ...phrasesDe, ...lessonsDe },
  hi: { ...phrasesHi, ...lessonsHi },
};

/** Says things in a language. */
export function sayIn(language: Language): Say {
  return (key, values = {}) => TABLE[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export const WordsContext = createContext<Say>(sayIn("en"));

export function useWords(): Say {
  return useContext(WordsContext);
}
