/** What each lesson shows of the answers: one picture, made of the parts beside this file. */
import type { Lesson as Answer } from "../../source";
import { Arrows, pointed, type Arrow } from "./Arrows";
import { Bars } from "./Bars";
import { HeadMaps } from "./HeadMaps";
import { Looks } from "./Looks";
import { Matrix } from "./Matrix";
import { Order } from "./Order";
import type { Point } from "./plane";
import { matrixOf, rowOf } from "./rows";
import type { PictureProps } from "./props";

const STEPS_NAMED = 5; // of the values laid tip to tail, the heaviest

export function Picture(props: PictureProps) {
  switch (props.lesson.name) {
    case "words":
      return <Vectors {...props} />;
    case "scale":
      return <Scaled {...props} />;
    case "qkv":
      return <Parts {...props} />;
    case "heads":
      return <Heads {...props} />;
    case "order":
      return <Order {...props} />;
    case "masks":
      return <Masked {...props} />;
    default:
      return <Attention {...props} />;
  }
}

function Vectors({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const [{ explanation, geometry }] = answers as [Answer];
  const plane = geometry?.planes[0];
  const arrows = (plane?.arrows.embedding ?? []).map(
    (to, word): Arrow => ({
      name: explanation.tokens[word] ?? "",
      says: pointed(explanation.tokens[word] ?? "", to),
      to,
      look: word === spotlight ? "lit" : "plain",
      word,
    }),
  );
  return (
    <div class="rg-abreast">
      <Matrix
        name="vector"
        kind="signed"
        rows={explanation.tokens}
        columns={null}
        across="numbers"
        values={matrixOf(explanation, "vectors") ?? []}
        spotlight={spotlight}
        onPoint={onPoint}
        onChoose={onChoose}
      />
      {plane && <Arrows title="the same vectors as arrows" kept={plane.kept} arrows={arrows} onPoint={onPoint} onChoose={onChoose} />}
    </div>
  );
}

function Attention({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const [{ explanation }] = answers as [Answer];
  return (
    <Looks
      words={explanation.tokens}
      row={rowOf(explanation, spotlight)}
      formula={tempered(explanation.settings)}
      spotlight={spotlight}
      onPoint={onPoint}
      onChoose={onChoose}
    />
  );
}

function Scaled({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const versions = answers.map(({ explanation }) => {
    const { looks } = rowOf(explanation, spotlight);
    return {
      title: `softmax(${tempered(explanation.settings)})`,
      scores: looks.map(({ score }) => score),
      weights: looks.map(({ weight }) => weight),
    };
  });
  const words = answers[0]?.explanation.tokens ?? [];
  return <Bars words={words} versions={versions} spotlight={spotlight} onPoint={onPoint} onChoose={onChoose} />;
}

/** The whole of what softmax gets. */
function tempered({ formula, temperature }: Answer["explanation"]["settings"]): string {
  if (temperature === 1) return formula;
  return `${/[−/]/.test(formula) ? `(${formula})` : formula} / ${temperature}`;
}

function Parts({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const [{ explanation, geometry }] = answers as [Answer];
  const [, looking, giving] = geometry?.planes ?? [];
  if (!geometry || !looking || !giving) return null;
  const lit = geometry.token;
  const keys = (looking.arrows.key ?? []).map(
    (to, word): Arrow => ({
      name: explanation.key_tokens[word] ?? "",
      says: pointed(`key of ${explanation.key_tokens[word]}`, to),
      to,
      look: "plain",
      word,
    }),
  );
  const query = looking.arrows.query?.[geometry.spotlight] ?? [0, 0];
  keys.push({ name: "query", says: pointed(`query of ${lit}`, query), to: query, look: "query" });

  const least = [...geometry.weights].sort((a, b) => b - a)[STEPS_NAMED - 1] ?? 0;
  const steps = geometry.path.slice(1).map((to, word): Arrow => {
    const from = geometry.path[word] as Point;
    const name = explanation.key_tokens[word] ?? "";
    const weight = geometry.weights[word] ?? 0;
    return { name, says: `${name}: weight ${weight.toPrecision(4)} × its value`, to, from, look: "step", named: weight >= least, word };
  });
  const values = (giving.arrows.value ?? []).map(
    (to, word): Arrow => ({
      name: "",
      says: pointed(`value of ${explanation.key_tokens[word]}`, to),
      to,
      look: "faint",
      word,
    }),
  );
  const end = giving.arrows.attended?.[0] ?? [0, 0];
  const output: Arrow = { name: "output", says: pointed(`output of ${lit}`, end), to: end, look: "output" };
  const handlers = { onPoint, onChoose };
  return (
    <div class="rg-abreast">
      <Arrows title={`the query of ${explanation.tokens[spotlight] ?? lit} among the keys`} kept={looking.kept} arrows={keys} {...handlers} />
      <Arrows title="weighted values, tip to tail" kept={giving.kept} arrows={[...values, ...steps, output]} {...handlers} />
    </div>
  );
}

function Heads({ state, answers, spotlight, onPoint, onChoose, onSay }: PictureProps) {
  const [{ explanation }] = answers as [Answer];
  const { tokens, key_tokens: keys, settings } = explanation;
  const heads = Array.from({ length: settings.heads }, (_, head) => matrixOf(explanation, "weights", head) ?? []);
  const values = Float32Array.from(heads.flat(2), (value) => value ?? NaN);
  const versions = heads.map((weights, head) => ({
    title: `head ${head}`,
    weights: (weights[spotlight] ?? []).map((weight) => weight ?? 0),
    color: `var(--rg-head-${head % 8})`,
  }));
  return (
    <div class={`rg-heads-and-bars${heads.length > 4 ? " rg-heads-and-bars--many" : ""}`}>
      <HeadMaps
        state={state}
        maps={{ values, heads: heads.length, height: tokens.length, width: keys.length }}
        rows={tokens}
        columns={keys}
        spotlight={spotlight}
        onSay={onSay}
      />
      <Bars words={keys} versions={versions} spotlight={spotlight} onPoint={onPoint} onChoose={onChoose} />
    </div>
  );
}

function Masked({ answers, spotlight, onPoint, onChoose }: PictureProps) {
  const [{ explanation }] = answers as [Answer];
  const hidden = matrixOf(explanation, "masked") ?? [];
  const weights = (matrixOf(explanation, "weights") ?? []).map((row, i) =>
    row.map((weight, j) => (hidden[i]?.[j] === null ? null : weight)),
  );
  return (
    <Matrix
      name="weight"
      kind="weight"
      rows={explanation.tokens}
      columns={explanation.key_tokens}
      across="keys"
      values={weights}
      spotlight={spotlight}
      onPoint={onPoint}
      onChoose={onChoose}
    />
  );
}
