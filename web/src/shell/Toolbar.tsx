/** Over the picture: its text, how near it is, what the drawer is of, and how the map's numbers are shown. */
import { batch, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { fit } from "../map/input/commands";
import type { Quantity, TapInfo, TraceInfo } from "../source";
import type { State } from "../state";
import { Choice } from "../weights/Choice";
import { knows } from "../weights/units";
import { captionWords } from "../weights/words";
import { filled, useWords, type Key } from "../words/words";
import { facesOf } from "./drawer/Drawer";
import { ExportMenu } from "./ExportMenu";
import { TextLine } from "./TextLine";
import { uncover } from "./uncover";
import { short } from "../weights/numbers";
import { isDoubt, translated } from "../words/translated";
import { LEVELS, levelOf, zoomTo } from "./zoom";

export function Toolbar({ state, trace }: { state: State; trace: TraceInfo | null }) {
  const say = useWords();
  const { drawer, other } = state;
  const tap = state.tap.value;
  const onMap = trace && tap && state.view.value === "map";
  const bar = useRef<HTMLDivElement>(null);
  const chosen = useRef(false);
  const level = levelOf(state);
  useEffect(() => {
    if (chosen.current && level !== "products") uncover(bar.current); // those are in a drawer, which sees to itself
    chosen.current = false;
  }, [level]);
  return (
    <>
      <div class="rg-row rg-bar" ref={bar}>
        {trace && (
          <Choice
            name={say("zoom")}
            label=""
            look="joined"
            options={LEVELS.map((each) => [each, say(each === "sentence" && trace.task === "vision" ? "image" : `zoom.${each}`), say(`zoom.${each}.title`)] as const)}
            value={level}
            onChoose={(next) => {
              chosen.current = true;
              void zoomTo(state, next);
            }}
          />
        )}
        {state.source.abilities.trace && <TextLine state={state} />}
        {trace && (
          <div class="rg-row rg-bar__end">
            {facesOf(state, trace).map((face) => (
              <button key={face} type="button" class="rg-button" aria-pressed={drawer.value === face} title={say(`drawer.${face}.title`)} onClick={() => (drawer.value = drawer.value === face ? "" : face)}>
                {say(`drawer.${face}`)}
              </button>
            ))}
            <ExportMenu state={state} trace={trace} />
          </div>
        )}
      </div>
      {onMap && (
        <div class="rg-row rg-bar rg-bar--map">
          <Shown state={state} trace={trace} tap={tap} />
          <button
            type="button"
            class="rg-button rg-bar__end"
            aria-pressed={other.value !== null}
            title={say("pin.title")}
            onClick={() => {
              other.value = other.value ? null : { trace, tap, head: state.head.value };
              bar.current?.scrollIntoView({ block: "nearest" }); // in a low window this button stands after the pictures
            }}
          >
            {say("pin")}
          </button>
        </div>
      )}
    </>
  );
}

const SCALES = ["auto", "linear", "log", "row"] as const;
const GROUPS = ["token", "word", "sentence"] as const;
const REDUCES = ["max", "mean"] as const;
const BLOCKS_FROM = 256; // positions; a smaller map always shows its single cells

/** How the numbers are shown; `lines` have no scores and no colors of their own. */
export function Shown({ state, trace, tap, lines }: { state: State; trace: TraceInfo; tap: TapInfo; lines?: boolean }) {
  const say = useWords();
  const axes = [trace.axes[tap.queries], trace.axes[tap.keys]];
  const named = (name: string, all: readonly string[]) => all.map((each) => [each, say(`${name}.${each}` as Key)] as const);
  const groups = named("group", GROUPS.filter((group) => (lines ? axes.every((axis) => knows(axis, group)) : axes.some((axis) => knows(axis, group)))));
  const quantities = tap.quantities.filter((each: Quantity) => !lines || each !== "score").map((each) => [each, say(each), say(`quantity.${each}`)] as const);
  const chosen = (name: "quantity" | "scale" | "group" | "reduce", look: "joined" | "list", options: readonly (readonly [string, string, string?])[], forgets?: "ends" | "viewport") => (
    <Choice
      name={say(name)}
      label={look === "joined" ? "" : say(name)}
      look={look}
      options={options}
      value={state[name].value}
      onChoose={(value) =>
        batch(() => {
          (state[name] as Signal<string>).value = value;
          if (forgets) state[forgets].value = null;
        })
      }
    />
  );
  return (
    <>
      {quantities.length > 1 && chosen("quantity", "joined", quantities, "ends")}
      {!lines && chosen("scale", "list", named("scale", SCALES), "ends")}
      {groups.length > 1 && chosen("group", "list", groups, "viewport") /* it counts rows and columns, which are others then */}
      {!lines && Math.max(tap.rows, tap.columns) > BLOCKS_FROM && chosen("reduce", "list", named("reduce", REDUCES))}
      {!lines && state.viewport.value && <button type="button" class="rg-button" title={say("view.fit.title")} onClick={() => fit(state)}>{say("view.fit")}</button>}
    </>
  );
}

export function ReceiptLine({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const tap = state.tap.value;
  const { row_sum_error, difference, rows, dtype } = trace.receipt;
  const { value: quantity } = state.quantity;
  const meant = quantity === "weight" ? [] : [say(`quantity.${quantity}`)];
  const caption = tap && state.view.value === "map" ? [captionWords(say, quantity, tap, [state.head.value]), ...meant] : []; // the words have their own
  const said = [...caption, ...[...(tap?.notes ?? []), ...(trace.notes ?? []).filter((note) => !isDoubt(note))].map((note) => translated(say, note))];
  return (
    <footer class="rg-row rg-receipt">
      <p class="rg-note">{said.join(" · ")}</p>
      <p class="rg-note" title={say("receipt.title", { rows })}>
        {filled(say("receipt", { rows, dtype }), { sums: <span class="rg-number">{short(row_sum_error)}</span>, most: <span class="rg-number">{short(difference)}</span> })}
      </p>
    </footer>
  );
}
