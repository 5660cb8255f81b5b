/** Outputs of each word before and after two words change places, and their distance. */
import type { Lesson as Answer } from "../../source";
import { useWords } from "../../words/words";
import { permutation, places } from "../words";
import type { PictureProps } from "./props";
import { distance, reach, rowOf } from "./rows";
import { Bar, shares, strips, WordTable } from "./WordTable";

export function Order({ answers, settings, spotlight, onPoint, onChoose }: PictureProps) {
  const [before, after] = answers as [Answer, Answer];
  const say = useWords();
  const { tokens } = before.explanation;
  const moved = permutation(settings.swap, tokens.length); // its own inverse
  const here = tokens.map((_, i) => rowOf(before.explanation, i).output);
  const there = tokens.map((_, i) => rowOf(after.explanation, moved[i] ?? i).output);
  const changes = here.map((one, i) => distance(one, there[i] as number[]));
  const most = reach([...here, ...there]);
  const farthest = Math.max(...changes, 1e-9);
  const [first, second] = places(settings.swap, tokens.length);
  const word = (i: number) => ({ word: tokens[i] ?? "" });
  const columns = [
    strips(say("order.here"), (i) => say("arrows.output", word(i)), here, most),
    strips(say("order.swapped", { first: tokens[first] ?? "", second: tokens[second] ?? "" }), (i) => `${say("arrows.output", word(i))} ⇄`, there, most),
    { ...shares(say("order.change"), (i) => say("order.moved", word(i)), changes), cell: (i: number) => <Bar value={changes[i]! < 1e-9 ? 0 : changes[i]! / farthest} text={inWords(changes[i]!)} /> },
  ];
  const names = tokens.map((token, i) => <>{token}{(i === first || i === second) && <span aria-hidden="true"> ⇄</span>}</>);
  return <WordTable label={say("order")} words={names} columns={columns} spotlight={spotlight} onPoint={onPoint} onChoose={onChoose} />;
}

/** Distance in three decimals; none that is not zero is written as 0. */
function inWords(change: number): string {
  if (change < 1e-9) return "0";
  return change < 0.001 ? "< 0.001" : change.toFixed(3);
}
