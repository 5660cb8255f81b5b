/** Picture of each lesson, made of the parts beside this file. */
import type { Lesson as Answer } from "../../source";
import { useWords } from "../../words/words";
import { knowsQueries } from "../lessons";
import { Arrows, pointed, type Arrow } from "./Arrows";
import { Bar, Bars, shares, strips, WordTable } from "./WordTable";
import { Looks } from "./Looks";
import { Matrix } from "./Matrix";
import type { Point } from "./plane";
import { distance, matrixOf, reach, rowOf } from "./rows";
import type { PictureProps } from "./props";
import { permutation, places } from "../words";
import { Softmax } from "./Softmax";

export function Picture(props: PictureProps) {
  const { name } = props.lesson;
  if (name === "words") return <Vectors {...props} />;
  if (name === "qkv") return <Parts {...props} />;
  if (name === "heads") return <Heads {...props} />;
  if (name === "order") return <Order {...props} />;
  if (name === "masks") return <Masked {...props} />;
  return <Attention {...props} />;
}

/** A word's row: as lines and sums, in the two steps of softmax, or with two scores. */
function Attention({ lesson, answers, spotlight, onPoint, onChoose }: PictureProps) {
  const [{ explanation }] = answers as [Answer];
  const words = explanation.tokens;
  const row = rowOf(explanation, spotlight);
  const named = knowsQueries(lesson);
  const formula = tempered(explanation.settings, named);
  const shared = { words, spotlight, onPoint, onChoose };
  if (lesson.name === "softmax") return <Softmax {...shared} formula={formula} scores={row.looks.map(({ score }) => score ?? -Infinity)} weights={row.looks.map(({ weight }) => weight)} />;
  if (lesson.name !== "scale") return <Looks {...shared} formula={formula} named={named} row={row} />;
  const versions = answers.map(({ explanation: each }) => {
    const { looks } = rowOf(each, spotlight);
    return { title: `softmax(${tempered(each.settings, named)})`, scores: looks.map(({ score }) => score), weights: looks.map(({ weight }) => weight) };
  });
  return <Bars {...shared} versions={versions} />;
}

/** Arrows from the origin, one for each word. */
function arrowsOf(points: readonly Point[] = [], names: readonly string[], says: (word: string) => string, look: (word: number) => Arrow["look"]): Arrow[] {
  return points.map((to, word) => ({ name: names[word] ?? "", says: pointed(says(names[word] ?? ""), to), to, look: look(word), word }));
}

function Vectors({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const say = useWords();
  const [{ explanation, geometry }] = answers as [Answer];
  const plane = geometry?.planes[0];
  const arrows = arrowsOf(plane?.arrows.embedding, explanation.tokens, (word) => word, (word) => (word === spotlight ? "lit" : "plain"));
  const handlers = { onPoint, onChoose };
  return (
    <div class="rg-abreast">
      <Matrix name={say("vector")} kind="signed" rows={explanation.tokens} columns={null} across={say("numbers")} values={matrixOf(explanation, "vectors") ?? []} spotlight={spotlight} {...handlers} />
      {plane && <Arrows title={say("vectors.arrows")} kept={plane.kept} arrows={arrows} {...handlers} />}
    </div>
  );
}

/** The whole of what softmax gets; of two words a and b, before there are queries and keys. */
function tempered({ formula: written, temperature }: Answer["explanation"]["settings"], named: boolean): string {
  const formula = named ? written : written.replaceAll("q", "a").replaceAll("k", "b");
  if (temperature === 1) return formula;
  return `${/[−/]/.test(formula) ? `(${formula})` : formula} / ${temperature}`;
}

function Parts({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const say = useWords();
  const [{ explanation, geometry }] = answers as [Answer];
  const [, looking, giving] = geometry?.planes ?? [];
  if (!geometry || !looking || !giving) return null;
  const lit = geometry.token;
  const names = explanation.key_tokens;
  const keys = arrowsOf(looking.arrows.key, names, (word) => say("arrows.key", { word }), () => "plain");
  const query = looking.arrows.query?.[geometry.spotlight] ?? [0, 0];
  keys.push({ name: say("query"), says: pointed(say("arrows.query", { word: lit }), query), to: query, look: "query" });

  const steps = geometry.path.slice(1).map((to, word): Arrow => {
    const from = geometry.path[word] as Point;
    const name = names[word] ?? "";
    const weight = geometry.weights[word] ?? 0;
    return { name, says: `${name}: ${say("weight")} ${weight.toPrecision(4)} × ${say("value")}`, to, from, look: "step", word };
  });
  const values = arrowsOf(giving.arrows.value, names, (word) => say("arrows.value", { word }), () => "faint");
  const end = giving.arrows.attended?.[0] ?? [0, 0];
  const output: Arrow = { name: say("output"), says: pointed(say("arrows.output", { word: lit }), end), to: end, look: "output" };
  const handlers = { onPoint, onChoose };
  return (
    <div class="rg-abreast">
      <Arrows title={say("arrows.keys", { word: explanation.tokens[spotlight] ?? lit })} kept={looking.kept} arrows={keys} {...handlers} />
      <Arrows title={say("arrows.values")} kept={giving.kept} arrows={[...values, ...steps, output]} {...handlers} />
    </div>
  );
}

function Heads({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const [{ explanation }] = answers as [Answer];
  const say = useWords();
  const { tokens, key_tokens: keys, settings } = explanation;
  const heads = Array.from({ length: settings.heads }, (_, head) => matrixOf(explanation, "weights", head) ?? []);
  const versions = heads.map((weights, head) => ({
    title: say("head.n", { head }),
    weights: (weights[spotlight] ?? []).map((weight) => weight ?? 0),
    color: `var(--rg-head-${head % 8})`,
  }));
  return (
    <div class="rg-abreast">
      <div class="rg-headmaps">
        {versions.map(({ title, color }, head) => (
          <div key={head}>
            <Matrix bare name={`${title}: ${say("weight")}`} kind="weight" rows={tokens} columns={keys} across={say("keys")} values={heads[head]!} spotlight={spotlight} onPoint={onPoint} onChoose={onChoose} />
            <span class="rg-headmaps__name" style={{ "--line": color }}>{title}</span>
          </div>
        ))}
      </div>
      <Bars words={keys} versions={versions} spotlight={spotlight} onPoint={onPoint} onChoose={onChoose} />
    </div>
  );
}

function Masked({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const say = useWords();
  const pointing = { spotlight, onPoint, onChoose };
  const [{ explanation }] = answers as [Answer];
  const hidden = matrixOf(explanation, "masked") ?? [];
  const weights = (matrixOf(explanation, "weights") ?? []).map((row, i) =>
    row.map((weight, j) => (hidden[i]?.[j] === null ? null : weight)),
  );
  return (
    <Matrix name={say("weight")} kind="weight" rows={explanation.tokens} columns={explanation.key_tokens} across={say("keys")} values={weights} {...pointing} />
  );
}

function Order({ answers, settings, spotlight, onPoint, onChoose }: PictureProps) {
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
