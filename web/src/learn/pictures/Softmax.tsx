/** Softmax over one word's scores: e to each, their sum, and each divided by it. */
import { percent } from "../../weights/words";
import { useWords } from "../../words/words";
import type { Pointing } from "./props";
import { large, softmax } from "./softmax";
import { numbers, shares as bars, WordTable } from "./WordTable";

interface SoftmaxProps extends Pointing {
  words: readonly string[];
  scores: readonly number[];
  formula: string;
}

export function Softmax({ words, scores, formula, spotlight, ...handlers }: SoftmaxProps) {
  const say = useWords();
  const lit = words[spotlight] ?? "";
  const { shares, sum } = softmax(scores);
  const weights = shares.map(({ weight }) => weight);
  const of = (what: "score" | "softmax.exp" | "weight") => (key: number) => `${lit} → ${words[key]}: ${say(what)}`;
  const columns = [
    numbers(`${say("score")} ${formula}`, of("score"), scores),
    { ...numbers(say("softmax.exp"), of("softmax.exp"), shares.map(({ exp }) => exp), (value) => large(value ?? 0)), foot: large(sum) },
    { ...bars(say("softmax.share"), of("weight"), weights), foot: percent(weights.reduce((total, weight) => total + weight, 0)) },
  ];
  return (
    <div class="rg-stack">
      <WordTable label={say("softmax", { word: lit })} corner={say("from", { word: lit })} words={words} columns={columns} spotlight={spotlight} foot={say("softmax.sum")} {...handlers} />
      <p class="rg-note">{say("softmax.note")}</p>
    </div>
  );
}
