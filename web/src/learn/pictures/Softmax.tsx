/** Softmax over one word's scores: e to each, their sum, and each divided by it. */
import { percent } from "../../weights/words";
import { useWords } from "../../words/words";
import type { Pointing } from "./props";
import { numbers, shares as bars, WordTable } from "./WordTable";

interface SoftmaxProps extends Pointing {
  words: readonly string[];
  scores: readonly number[];
  weights: readonly number[];
  formula: string;
}

export function Softmax({ words, scores, weights, formula, spotlight, ...handlers }: SoftmaxProps) {
  const say = useWords();
  const lit = words[spotlight] ?? "";
  const powers = scores.map(Math.exp);
  const of = (what: "score" | "softmax.exp" | "weight") => (key: number) => `${lit} → ${words[key]}: ${say(what)}`;
  const columns = [
    numbers(`${say("score")} ${formula}`, of("score"), scores),
    { ...numbers(say("softmax.exp"), of("softmax.exp"), powers, (value) => large(value ?? 0)), foot: large(total(powers)) },
    { ...bars(say("softmax.share"), of("weight"), weights), foot: percent(total(weights)) },
  ];
  return (
    <div class="rg-stack">
      <WordTable label={say("softmax", { word: lit })} corner={say("from", { word: lit })} words={words} columns={columns} spotlight={spotlight} foot={say("softmax.sum")} {...handlers} />
      <p class="rg-note">{say("softmax.note")}</p>
    </div>
  );
}

const total = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0);

/** "12.3", "0.00012", "4.9 × 10⁸" */
export function large(value: number): string {
  if (!Number.isFinite(value)) return "∞";
  if (value !== 0 && (value >= 1e5 || value < 1e-3)) {
    const [digits = "", power = ""] = value.toExponential(1).split("e");
    return `${digits} × 10${[...power.replace("+", "")].map((mark) => RAISED[mark] ?? mark).join("")}`;
  }
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

const RAISED: Record<string, string> = Object.fromEntries([...("-0123456789")].map((mark, i) => [mark, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i] ?? ""]));
