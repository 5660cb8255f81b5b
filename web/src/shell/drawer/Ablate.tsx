/** Output without this edge, this head, this token. */
import { short } from "../../weights/numbers";
import { Ranked } from "../../weights/Ranked";
import { percent } from "../../weights/words";
import { translated } from "../../words/translated";
import { useWords } from "../../words/words";
import type { Ablation, AblationRequest, Cell, TapInfo, TraceInfo } from "../../source";
import { nameOf } from "../../off/parts";
import { off, rewrites, toggle } from "../../off/switch";
import { ablate, ablationAt, stepOf, type State } from "../../state";
import { useLabels } from "./labels";

export interface CellProps {
  state: State;
  trace: TraceInfo;
  tap: TapInfo;
  cell: Cell;
}

export function Ablate({ state, trace, tap, cell }: CellProps) {
  const say = useWords();
  const label = useLabels(trace.axes[tap.keys]);
  const at = { query: cell.query, key: cell.key };
  const choices: [AblationRequest["what"], string, string][] = [
    ["edge", say("drawer.edge"), say("drawer.edge.title")],
    ["head", say("head.n", { head: cell.head }), say("drawer.head.title")],
    ["token", `“${label(cell.key_token)}”`, say("drawer.token.title")],
  ];
  const output = useLabels(trace.axes[trace.generation?.axis ?? tap.queries]);
  const step = stepOf(state, tap, cell.query);
  const token = step === null ? undefined : trace.generation?.steps[step]?.token;
  const writes = rewrites(state);
  const without = off(state);
  const isOff = (what: AblationRequest["what"]) => {
    const request = ablationAt(state, what, at);
    return request !== null && without.includes(nameOf(request, trace));
  };
  const press = (what: AblationRequest["what"]) => {
    const request = ablationAt(state, what, at);
    void (writes && request ? toggle : ablate)(state, request as AblationRequest);
  };
  const answered = state.ablation.value && concerns(state.ablated.value, tap.name, cell) ? state.ablation.value : null;
  return (
    <section class="rg-ablate" aria-label={say("drawer.off")}>
      <h3 class="rg-section">
        {say("drawer.off")}
        <span class="rg-note">
          {" "}
          {step !== null
            ? say("drawer.off.step", { step: step + 1, word: token === undefined ? "" : ` “${output(token)}”` })
            : say(trace.generation ? "drawer.off.most" : trace.labels?.length ? "drawer.off.label" : "drawer.off.output")}
        </span>
      </h3>
      <div class="rg-row">
        {choices.map(([what, name, title]) => (
          <button
            key={what}
            type="button"
            class="rg-button"
            title={writes && isOff(what) ? say("changed.back") : title}
            disabled={state.ablating.value || (writes && state.busy.value)}
            aria-pressed={writes ? isOff(what) : answered?.what === what}
            onClick={() => press(what)}
          >
            {name}
          </button>
        ))}
      </div>
      <p class="rg-note">
        {writes ? say("drawer.written") : trace.generation && !state.source.abilities.trace ? say("drawer.elsewhere") : ""}
      </p>
      <div role="status" aria-busy={state.ablating.value}>
        {answered && <Change answer={answered} label={output} most={state.ablated.value?.step === null} before={writes} ofLabel={Boolean(trace.labels?.length)} />}
      </div>
    </section>
  );
}

function concerns(request: AblationRequest | null, tap: string, cell: Cell): boolean {
  if (!request || request.tap !== tap) return false;
  if (request.what === "token") return request.key === cell.key;
  return request.head === cell.head && (request.what === "head" || (request.query === cell.query && request.key === cell.key));
}

interface ChangeProps {
  answer: Ablation;
  label: (token: string) => string;
  most: boolean; // of all steps, this one changes most
  before: boolean; // the output is another one by now
  ofLabel: boolean; // a classifier's
}

function Change({ answer, label, most, before, ofLabel }: ChangeProps) {
  const say = useWords();
  const rows = beside(answer);
  return (
    <div class="rg-change">
      <p class="rg-change__delta">
        <span class="rg-change__number rg-number" style={{ color: `var(--rg-${answer.delta < 0 ? "loss" : "gain"})` }}>
          Δ {answer.delta < 0 ? "" : "+"}
          {short(answer.delta)}
        </span>
        <span class="rg-note rg-number">
          p(“{label(answer.token)}”) {short(answer.before)} → {short(answer.after)}
        </span>
      </p>
      <p class="rg-note">
        {ofLabel ? say("drawer.label") : say("drawer.step", { step: answer.step + 1 })}{before && ` ${say("drawer.was")}`}{most && !ofLabel && `, ${say("drawer.most")}`}
      </p>
      <Ranked
        rows={rows.map(({ token, before, after }) => ({
          label: label(token), share: after ?? 0, own: token === answer.token, aside: `${before === null ? "–" : percent(before)} →`, title: say("drawer.probability"),
        }))}
      />
      <p class="rg-note">{translated(say, answer.note)}</p>
    </div>
  );
}

/** The candidates of both sides in one list; null where a token is not among a side's. */
export function beside(answer: Ablation, most = 6) {
  const find = (list: Ablation["candidates_before"], token: string) =>
    list.find((each) => each.token === token)?.probability ?? null;
  const tokens = [answer.token, ...[...answer.candidates_after, ...answer.candidates_before].map((each) => each.token)];
  const rows = [...new Set(tokens)].map((token) => ({
    token,
    before: token === answer.token ? answer.before : find(answer.candidates_before, token),
    after: token === answer.token ? answer.after : find(answer.candidates_after, token),
  }));
  rows.sort((a, b) => Math.max(b.before ?? 0, b.after ?? 0) - Math.max(a.before ?? 0, a.after ?? 0));
  return rows.slice(0, most);
}
