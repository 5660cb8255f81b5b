/** One word's attention from left to right: lines to every word, scores, weights, and what they sum to. */
import { useRef } from "preact/hooks";
import { curve, ROW } from "../../links/layout";
import { useSize } from "../../weights/size";
import { percent } from "../../weights/words";
import { useWords } from "../../words/words";
import type { Pointing } from "./props";
import { reach, type Row } from "./rows";
import { saying } from "./said";
import { numbers, shares, Strip, strips, WordTable } from "./WordTable";

interface LooksProps extends Pointing {
  words: readonly string[];
  row: Row;
  formula: string; // of the score
  named: boolean; // the columns are called query, key and value
}

const THICKEST = 14; // px, of a line with all the weight

export function Looks({ words, row: { looks, output }, formula, named, spotlight, onPoint, onChoose }: LooksProps) {
  const say = useWords();
  const lines = useRef<HTMLTableCellElement>(null);
  const { width } = useSize(lines);
  const lit = words[spotlight] ?? "";
  const given = looks.map((look) => look.given);
  const weights = looks.map(({ weight }) => weight);
  const most = Math.max(reach([output]), reach(given));
  const middle = (place: number) => (place + 0.5) * ROW;
  const of = (what: "score" | "weight") => (key: number) => `${lit} → ${looks[key]?.word}: ${say(what)}`;
  const what = say(named ? "given.value" : "given");
  const columns = [
    numbers(formula === "0" ? say("score") : formula, of("score"), looks.map(({ score }) => score)),
    { ...shares(say("weight"), of("weight"), weights), foot: percent(weights.reduce((sum, weight) => sum + weight, 0)) },
    { ...strips(what, (key) => `${what}: ${looks[key]?.word}`, given, most), foot: <Strip name={say("arrows.output", { word: lit })} values={output} most={most} /> },
  ];
  const before = (place: number | "head" | "foot") => {
    if (place === "head") return [<th key="query" scope="col" class="rg-attention__query">{say(named ? "query" : "word")}</th>, <td key="lines" />];
    if (place === "foot") return <td class="rg-attention__query" />;
    const query = <td key="query" class="rg-table__word rg-attention__query" onPointerEnter={() => onPoint(place)} onClick={() => onChoose(place)}>{words[place]}</td>;
    if (place > 0) return query;
    return [
      query,
      <td key="lines" ref={lines} class="rg-attention__lines" rowSpan={looks.length} aria-hidden="true">
        <svg width={width} height={looks.length * ROW}>
          {looks.filter(({ weight }) => weight > 0).map(({ weight, key }) => (
            <path key={key} fill="none" stroke="var(--rg-accent)" d={curve(middle(spotlight), middle(key), width)} stroke-width={0.75 + THICKEST * weight} stroke-opacity={0.25 + 0.7 * weight} {...saying(of("weight")(key), weight)} />
          ))}
        </svg>
      </td>,
    ];
  };
  return (
    <WordTable
      look="rg-attention"
      label={say("gets", { word: lit })}
      corner={say(named ? "key" : "looksAt")}
      words={looks.map(({ word }) => word)}
      columns={columns}
      spotlight={spotlight}
      before={before}
      footSpan={2}
      foot={<>{say("sum")} <strong>{lit}</strong></>}
      onPoint={onPoint}
      onChoose={onChoose}
    />
  );
}
