/** Data of the flow: a whole small map per head, or single rows and columns of a long one. */
import type { Looks, TapInfo, TraceInfo } from "../source";
import type { State } from "../state";
import { useLoaded, type Loaded } from "../weights/loaded";
import { fetchRows, fitsWhole, grouped, shownQuantity, type Weights } from "../weights/matrix";
import { knows, lookers, units, type Unit } from "../weights/units";
import type { Pointed } from "../links/Links";
import type { Chosen } from "./heads";
import type { Asked } from "./lines";

/** Everything one drawing needs, of one moment: while the next loads, this one stays whole. */
export interface Picture {
  trace: TraceInfo;
  tap: TapInfo;
  heads: Chosen[];
  quantity: "weight" | "norm";
  queries: Unit[];
  keys: Unit[];
  tokens: Weights[] | null; // by head, per token; null where the map is too long to hold whole
  maps: Weights[] | null; // the same by unit
}

const LONGEST_UNIT = 32; // tokens of one followed word or sentence in a long map
const LINES_ASKED = 240;

export function usePicture(state: State, heads: Chosen[]): Loaded<Picture> {
  const trace = state.trace.value;
  const tap = state.tap.value;
  const group = state.group.value;
  const quantity = tap ? shownQuantity(state.quantity.value, tap) : "weight";
  const valid = tap ? heads.filter(({ head }) => head === "mean" || head < tap.heads) : [];
  const key = trace && tap && valid.length ? JSON.stringify([trace.id, tap.name, valid, quantity, group]) : null;
  return useLoaded(key, async (signal) => {
    const [info, layer] = [trace as TraceInfo, tap as TapInfo];
    const [queryAxis, keyAxis] = [info.axes[layer.queries], info.axes[layer.keys]];
    if (!queryAxis || !keyAxis) throw new Error("this trace does not name the tokens of this layer");
    const shown = knows(queryAxis, group) && knows(keyAxis, group) ? group : "token";
    const [queries, keys] = [lookers(queryAxis, shown), units(keyAxis, shown)];
    const base = { trace: info, tap: layer, heads: valid, quantity, queries, keys };
    if (!fitsWhole(layer)) return { ...base, tokens: null, maps: null };
    const all = { first: 0, end: layer.rows };
    const tokens = await Promise.all(
      valid.map(({ head }) => fetchRows(state.source, info.id, layer, head, quantity, all, signal)),
    );
    return { ...base, tokens, maps: tokens.map((map) => grouped(map, queries, keys)) };
  });
}

/** The rows and columns of a long map that are followed, as far as their largest weights. */
export function useAsked(state: State, picture: Picture | null, followed: readonly Pointed[]): Loaded<Asked[]> {
  const needed = picture && !picture.maps && followed.length > 0;
  const name = needed
    ? JSON.stringify([picture.trace.id, picture.tap.name, picture.heads, picture.quantity, picture.queries.length, followed])
    : null;
  return useLoaded(name, (signal) => {
    const { trace, tap, heads, quantity, queries, keys } = picture as Picture;
    const k = Math.max(8, Math.floor(LINES_ASKED / heads.length));
    const asks: Promise<Asked>[] = [];
    for (const { side, index } of followed) {
      const unit = (side === "query" ? queries : keys)[index];
      if (!unit) continue;
      if (unit.end - unit.first > LONGEST_UNIT) throw new Error(`“${unit.label.slice(0, 24)}…” is too long to follow; show words or tokens instead`);
      for (let position = unit.first; position < unit.end; position++) {
        heads.forEach(({ head }, slot) => {
          const request = { tap: tap.name, head, k, quantity, [side]: position };
          const of = side === "key" ? tap.rows : tap.causal ? Math.min(position + 1, tap.columns) : tap.columns;
          const asked = (looks: Looks): Asked => ({ slot, side, position, looks, of });
          asks.push(state.source.looks(trace.id, request, signal).then(asked));
        });
      }
    }
    return Promise.all(asks);
  });
}
