/** One word's weights in several versions side by side, a column for each. */
import { useWords } from "../../words/words";
import type { Pointing } from "./props";
import { numbers, shares, WordTable } from "./WordTable";

export interface Version {
  title: string;
  weights: readonly number[];
  scores?: readonly (number | null)[]; // what the softmax made them of
  color?: string;
}

interface BarsProps extends Partial<Pointing> {
  words: readonly string[];
  versions: readonly Version[];
  spotlight: number;
  from?: string; // what looks, where it is not the word in the spotlight
}

export function Bars({ words, versions, spotlight, from, ...handlers }: BarsProps) {
  const say = useWords();
  const lit = from ?? words[spotlight] ?? "";
  const columns = versions.flatMap(({ title, scores, weights, color }) => {
    const bars = shares(title, (key) => `${lit} → ${words[key]}: ${say("weight")}, ${title}`, weights, color);
    return scores ? [numbers(say("score"), (key) => `${lit} → ${words[key]}: ${title}`, scores), bars] : [bars];
  });
  return <WordTable label={say("where", { word: lit })} corner={say("from", { word: lit })} words={words} columns={columns} spotlight={spotlight} {...handlers} />;
}
