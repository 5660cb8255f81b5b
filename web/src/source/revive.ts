/** A trace that the server no longer has is made again, unseen: it keeps few, and forgets all with a restart. */
import type { TraceInfo, TraceRequest } from "../source";
import type { Transport } from "./requests";

/** The server's refusal, with HTTP's number for it. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const GONE = 404;

/** Remembers what each trace was asked with, and asks again where an answer needs a trace that is gone. */
export function reviving(transport: Transport): Transport {
  const requests = new Map<string, object>();
  const underWay = new Map<string, Promise<boolean>>();

  /** True if the server has the trace again, under the same id. */
  const again = (id: string) => {
    const known = underWay.get(id);
    if (known) return known;
    const asked = requests.get(id);
    const work = (async () => asked !== undefined && ((await transport.json("/traces", asked)) as TraceInfo).id === id)();
    const settled = work.catch(() => false).finally(() => underWay.delete(id));
    underWay.set(id, settled);
    return settled;
  };
  const twice = async <T>(path: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      const id = /^\/traces\/([^/?]+)/.exec(path)?.[1];
      if (!(error instanceof Refused) || error.status !== GONE || !id) throw error;
      if (!(await again(decodeURIComponent(id)))) throw error;
      return ask();
    }
  };
  const remember = (path: string, body: object | null, answer: unknown) => {
    const trace = answer as Partial<TraceInfo> | null;
    if (path === "/traces" && body && trace?.id) requests.set(trace.id, body);
    else if (trace?.by_text && /^\/traces\/[^/?]+$/.test(path) && trace.id && trace.model !== undefined && trace.text !== undefined) {
      const plain: TraceRequest = { model: trace.model, text: trace.text };
      requests.set(trace.id, plain);
    }
  };
  return {
    async json(path, body, signal) {
      const answer = await twice(path, () => transport.json(path, body, signal));
      remember(path, body, answer);
      return answer;
    },
    binary: (path, signal) => twice(path, () => transport.binary(path, signal)),
  };
}
