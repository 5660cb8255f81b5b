/** Answers the page's questions with the models of its file; runs in a worker, or wherever it is called. */
import type { AblationRequest, TraceInfo, TraceRequest } from "../source";
import { unpacked } from "./base64";
import type { ModelFile } from "./config";
import type { Show } from "./messages";
import type { Kept, Model, Run, Traced } from "./model";
import { compiled, Native } from "./native";
import { Reader } from "./reader";
import { Viewer } from "./viewer";
import { Writer } from "./writer";

const EVERY = 50; // ms between two looks at what was asked meanwhile

/** Models by name, in the order of the file. */
export const models = new Map<string, Model>();

export const modelOf = (name: string): Model => {
  const found = models.get(name);
  if (!found) throw new Error("The model has not been opened; reload the page.");
  return found;
};

/** The first of the libraries that this browser can run. */
async function best([text = "", ...others]: string[]): Promise<WebAssembly.Module> {
  try {
    return compiled(await unpacked(text));
  } catch (error) {
    if (others.length) return best(others);
    throw error;
  }
}

let library: Promise<WebAssembly.Module> | null = null;
let bare: Native | null = null;

/** The library without a model. */
export async function arithmetic(): Promise<Native> {
  if (!library) throw new Error("The library has not been opened; reload the page.");
  return (bare ??= new Native(await library));
}

export function engine() {
  let turn: Promise<unknown> = Promise.resolve(); // what the file holds is taken piece by piece
  const nothing = (): Kept => ({ numbers: [], plain: [] });
  let [kept, code, waiting] = [nothing, null as WebAssembly.Module | null, [] as string[]];
  let filling: Model | null = null;
  let stopped = false;
  /** A trace, which is shown as it is written and can be stopped. */
  const traced = async (wanted: TraceRequest, show: Show): Promise<Traced> => {
    kept = nothing; // the numbers of the one before are the page's already
    stopped = false;
    const model = modelOf(wanted.model);
    const run = model.tracing(wanted);
    try {
      for (let before = performance.now(), step = run.next(); ; step = run.next()) {
        if (step.done) {
          kept = step.value.kept;
          return { info: step.value.info, run: step.value.run };
        }
        if (performance.now() - before < EVERY) continue;
        if ((wanted.num_beams ?? model.file.decoding?.num_beams) === 1) show(model.spelled(step.value)); // of several beams the best is another one soon
        await new Promise((done) => setTimeout(done));
        if (stopped) throw new DOMException("stopped", "AbortError");
        before = performance.now();
      }
    } finally {
      run.return(null as never); // of one that was stopped, what the engine has of it
    }
  };
  /** Opens the next model, which is filled from here on. */
  const next = async () => {
    const text = waiting.shift();
    if (text === undefined || !code) return;
    const file = JSON.parse(new TextDecoder().decode(await unpacked(text))) as ModelFile;
    filling = new (file.reading?.image ? Viewer : file.reading ? Reader : Writer)(file, code);
    filling.warm();
    models.set(file.info.name, filling);
  };
  const inTurn = <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const found = turn.then(run);
    turn = found;
    return found;
  };
  return {
    /** Takes models, a ModelFile each as JSON, and libraries, the best first: packed, as all of a file. */
    open: ({ models: texts, engines }: { models: string[]; engines: string[] }) => {
      const found = (library = best(engines));
      return inTurn(async () => {
        models.clear();
        waiting = [...texts];
        code = await found;
        await next();
      });
    },
    /** Takes the next of their bytes; gives the name of the model that is whole with it. */
    fill: ({ piece }: { piece: string }) =>
      inTurn(async () => {
        if (!filling?.fill(new Uint8Array(await unpacked(piece)))) return null;
        const { name } = filling.file.info;
        await next();
        return name;
      }),
    trace: ({ wanted }: { wanted: TraceRequest }, show: Show) => traced(wanted, show),
    /** Stops the trace that is being made. */
    stop: (_: object) => void (stopped = true),
    /** Numbers of the trace asked for before it. */
    kept: (_: object) => kept(),
    score: ({ model, run, hidden }: { model: string; run: Run; hidden: string[] }) => modelOf(model).score(run, hidden),
    ablate: ({ run, info, request }: { run: Run; info: TraceInfo; request: AblationRequest }) => modelOf(info.model).ablate(run, info, request),
  };
}
