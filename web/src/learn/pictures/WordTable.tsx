/** Numbers of each word in columns: as they are, as bars, or as strips; the word in the spotlight is marked. */
import type { ComponentChildren } from "preact";
import { percent } from "../../weights/words";
import type { Pointing } from "./props";
import { brief, saying } from "./said";
import { useWords } from "../../words/words";
import { useColors } from "../../color/theme";

export interface Column {
  title: ComponentChildren;
  look: "number" | "share" | "strip";
  cell(row: number): ComponentChildren;
  says?(row: number): object; // attributes of its cell
  foot?: ComponentChildren;
}

type Says = (row: number) => string; // of which word a number is
type Values = readonly (number | null)[];

export function numbers(title: ComponentChildren, says: Says, values: Values, write: (value: number | null) => string = brief): Column {
  return { title, look: "number", cell: (row) => write(values[row] ?? null), says: (row) => saying(says(row), values[row] ?? null) };
}

export function shares(title: ComponentChildren, says: Says, values: Values, color?: string): Column {
  return { title, look: "share", cell: (row) => <Bar value={values[row] ?? 0} color={color} />, says: (row) => saying(says(row), values[row] ?? 0) };
}

export function strips(title: ComponentChildren, says: Says, rows: readonly (readonly number[])[], most: number): Column {
  return { title, look: "strip", cell: (row) => <Strip name={says(row)} values={rows[row] ?? []} most={most} /> };
}

/** A weight as a share of a line, with its number. */
export function Bar({ value, color, text = percent(value) }: { value: number; color?: string | undefined; text?: string }) {
  return (
    <span class="rg-share">
      <span class="rg-track" style={{ "--part": `${100 * value}%`, ...(color && { "--line": color }) }} />
      <span class="rg-share__number rg-number">{text}</span>
    </span>
  );
}

interface WordTableProps extends Partial<Pointing> {
  label: string;
  corner?: ComponentChildren;
  words: readonly ComponentChildren[];
  columns: readonly Column[];
  look?: string;
  row?(row: number): string; // its class besides
  before?(row: number | "head" | "foot"): ComponentChildren; // cells before the word's
  foot?: ComponentChildren;
  footSpan?: number; // columns that it stands under
}

export function WordTable({ label, corner, words, columns, spotlight, look = "", row, before, foot, footSpan = 1, onPoint, onChoose }: WordTableProps) {
  const classOf = (kind: Column["look"]) => `rg-table__${kind}${kind === "number" ? " rg-number" : ""}`;
  return (
    <table class={`rg-table ${columns.length > 4 ? "rg-table--many " : ""}${look}`} style={{ "--columns": columns.length }} aria-label={label} onPointerLeave={() => onPoint?.(null)}>
      <thead>
        <tr>
          {before?.("head")}
          <td>{corner}</td>
          {columns.map((each, i) => <th key={i} scope="col" class={`rg-table__${each.look}`}>{each.title}</th>)}
        </tr>
      </thead>
      <tbody>
        {words.map((word, i) => (
          <tr key={i} class={`${i === spotlight ? "rg-table__row--lit " : ""}${row?.(i) ?? ""}`}>
            {before?.(i)}
            <th scope="row" class="rg-table__word" onPointerEnter={() => onPoint?.(i)} onClick={() => onChoose?.(i)}>{word}</th>
            {columns.map((each, j) => <td key={j} class={classOf(each.look)} {...each.says?.(i)}>{each.cell(i)}</td>)}
          </tr>
        ))}
      </tbody>
      {foot && (
        <tfoot>
          <tr>
            {before?.("foot")}
            <th scope="row" colSpan={footSpan}>{foot}</th>
            {columns.map((each, j) => <td key={j} class={classOf(each.look)}>{each.foot}</td>)}
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface Version {
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

interface StripProps {
  name: string; // what is said of a cell, before its number
  values: readonly number[];
  most: number; // the size that has the full color
}

export function Strip({ name, values, most }: StripProps) {
  const color = useColors();
  return (
    <span class="rg-strip">
      {values.map((value, i) => (
        <span key={i} class="rg-strip__cell" style={color("signed", value, most)} {...saying(`${name}, number ${i + 1}`, value)} />
      ))}
    </span>
  );
}
