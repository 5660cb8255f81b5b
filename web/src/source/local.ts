/** Answers of the models that are in the file itself: no server, no network. */
import { pixelsOf } from "../image/pixelsOf";
import { signal } from "@preact/signals";
import type { Ask } from "../local/ask";
import type { Asked } from "../local/messages";
import type { Traced } from "../local/model";
import type { AblationRequest, InsideRequest, LessonRequest, ModelInfo, NextRequest, Reliance, Source, TraceInfo, TraceRequest, Way } from "../source";
import { positionsOf } from "../weights/units";
import { PHRASES } from "../words/interface";
import { answersFrom, type Answers } from "./kept";
import { sourceOver, type Binary } from "./requests";

type Pieces = Iterable<string> | AsyncIterable<string>;

const WHY = ["lens", "attribution", "measures"];
const KEPT = 8; // traces; the oldest goes first

interface Made {
  info: TraceInfo;
  run: Traced["run"];
  answers: Promise<Answers>; // follow the text, which is shown before them
}

/** `ask` reaches the models, which are being opened; their weights come in pieces as base64 of gzip, one model after the
 * other, and behind them `words`: a WordFile as JSON, for the lessons. */
export function localSource(own: readonly ModelInfo[], weights: Pieces, ask: Ask, words: (() => string) | null = null): Source {
  const named = own.map(({ name }) => name);
  const ready = new Map(named.map((name) => [name, settled()]));
  const open = async () => {
    const asked: Promise<void>[] = [];
    for await (const piece of weights) {
      asked.push(ask({ what: "fill", piece }).then((name) => ready.get(name ?? "")?.resolve()));
    }
    await Promise.all(asked);
    throw new Error("This file is cut off, so a model in it is not whole; get it again."); // else all are ready
  };
  open().catch((error: Error) => ready.forEach(({ reject }) => reject(error)));
  for (const { promise } of ready.values()) promise.catch(() => undefined); // said when a text is traced
  const opened = (name: string) => ready.get(name)?.promise;
  let table: Promise<void> | null = null;
  const study = async (question: Asked) => {
    await opened(own.at(-1)?.name ?? ""); // then the file is read
    await (table ??= ask({ what: "words", file: words?.() ?? "" }));
    return ask(question);
  };
  const made = new Map<string, Promise<Made>>();
  let turn: Promise<unknown> = Promise.resolve();
  const ids = new Map<string, string>(); // of requests: the same again has the same id

  const written = signal("");
  const trace = async (wanted: TraceRequest, stop?: AbortSignal): Promise<TraceInfo> => {
    if (!named.includes(wanted.model))
      throw new Error(`This file holds ${named.join(", ")}; for ${wanted.model}, run \`regard export page ${wanted.model}\`.`);
    const key = JSON.stringify(wanted);
    const id = ids.get(key) ?? `local-${ids.size + 1}`;
    ids.set(key, id);
    return (await found(id, wanted, stop)).info;
  };
  /** A trace that is there, or is made when those before it are: what the worker keeps is of the last one. */
  const found = (id: string, wanted: TraceRequest, stop?: AbortSignal): Promise<Made> => {
    const before = made.get(id);
    if (before) return before;
    const making = turn.then(() => make(id, wanted, stop));
    const forget = () => void (made.get(id) === making && made.delete(id));
    stop?.addEventListener("abort", forget);
    turn = making.catch(forget);
    made.set(id, making);
    for (const oldest of [...made.keys()].slice(0, -KEPT)) made.delete(oldest);
    return making;
  };
  const make = async (id: string, wanted: TraceRequest, stop?: AbortSignal): Promise<Made> => {
    await opened(wanted.model);
    const image = own.some(({ name, task }) => name === wanted.model && task === "vision") ? await pixelsOf(wanted.text) : undefined;
    const seen = { ...wanted, image };
    stop?.throwIfAborted();
    const asked = ask({ what: "trace", wanted: seen }, (text) => (written.value = text));
    const rest = asked.then(() => ask({ what: "kept" }));
    rest.catch(() => undefined);
    stop?.addEventListener("abort", () => void ask({ what: "stop" }));
    const { info, run } = await asked.finally(() => {
      written.value = "";
      stop?.throwIfAborted();
    });
    info.id = id;
    const answers = rest.then(({ numbers, plain }) => kept(info, new Map(numbers), new Map(plain)));
    answers.catch(() => undefined); // said when a number is asked for
    return { info, run, answers };
  };
  /** A trace, which is made again if it has gone. */
  const of = (id: string): Promise<Made> => {
    const [wanted] = [...ids].find(([, each]) => each === id) ?? [];
    if (!wanted) throw new Error("This text is no longer open here; look at it again.");
    return found(id, JSON.parse(wanted) as TraceRequest);
  };
  const placed = async (path: string): Promise<[Made, string]> => {
    const [, , id = "", ...rest] = path.split("/");
    return [await of(decodeURIComponent(id)), rest.join("/")];
  };

  return sourceOver(
    {
      async json(path, body, stop) {
        if (path === "/models") return own;
        if (path === "/traces") return body ? trace(body as TraceRequest, stop) : [];
        if (path === "/explain") return study({ what: "explain", request: body as LessonRequest });
        if (path === "/inside") return study({ what: "inside", request: body as InsideRequest });
        if (path === "/next") return study({ what: "next", request: body as NextRequest });
        const [{ info, run, answers }, key] = await placed(path);
        if (!key) return info;
        const [of = "", query] = key.split("?");
        const { step, axis, against, way } = Object.fromEntries(new URLSearchParams(query));
        if (of === "reliance") return reliance(info, way as Way, (hidden) => ask({ what: "score", model: info.model, run, hidden }), stop);
        if (WHY.includes(of)) {
          return ask({ what: "why", model: info.model, run, of, step: Number(step), axis: axis ?? "", against: against === undefined ? null : Number(against) });
        }
        if (key === "ablate") return ask({ what: "ablate", run, info, request: body as AblationRequest });
        return (await answers).json(key);
      },
      async binary(path) {
        const [{ answers }, key] = await placed(path);
        return (await answers).binary(key);
      },
    },
    { trace: true, ablate: true, export: false, explain: words !== null, open: false, why: true },
    { draws: [PHRASES["page.draws"][0]], written },
  );
}

/** A promise, and what settles it. */
function settled() {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((done, failed) => ([resolve, reject] = [done, failed]));
  return { promise, resolve, reject };
}

/** Word by word, so that the next question does not wait for all of them. */
async function reliance(info: TraceInfo, way: Way, score: (hidden: string[]) => Promise<number[]>, signal?: AbortSignal): Promise<Reliance[]> {
  const axis = info.labels?.length ? Object.values(info.axes)[0] : info.axes["source"];
  if (!axis) throw new Error("What an output depends on is known for a translation or a label.");
  const { tokens, words } = axis;
  const whole = await score([]);
  const found: Reliance[] = [];
  for (const [first, end] of words ?? tokens.map((_, at): [number, number] => [at, at + 1])) {
    signal?.throwIfAborted();
    const changed = await score(positionsOf({ first, end }).flatMap((position) => hiding(info, position, way)));
    const change = changed.reduce((sum, log, step) => sum + log - whole[step]!, 0);
    found.push({ first, end, change, changes: changed.map((log, step) => Math.exp(log) - Math.exp(whole[step]!)) });
  }
  return found;
}

/** The parts that hide a position of the source: itself, or the looks at it in some of the attention. */
function hiding({ taps }: TraceInfo, key: number, way: Way): string[] {
  if (way === "anywhere") return [String(key)];
  return taps.filter((tap) => tap.keys === "source" && (way === "across") === (tap.queries !== tap.keys)).flatMap(({ name, heads, rows }) =>
    Array.from({ length: heads * rows }, (_, i) => [i % heads, Math.floor(i / heads)]).filter(([, query]) => way === "across" || query !== key).map(([head, query]) => `${name}:${head}:${query}:${key}`),
  );
}

function kept(trace: TraceInfo, numbers: Map<string, Binary>, plain: Map<string, unknown>): Answers {
  return answersFrom({
    trace,
    numbers: (key) => numbers.get(key) ?? null,
    plain: (key) => plain.get(key),
    missing: (what) => new Error(`${what} is not made in this page; run \`regard look\` to see it.`),
  });
}
