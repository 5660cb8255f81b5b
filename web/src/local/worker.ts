/** The models' own thread, so that the page never waits for it. */
import { engine } from "./engine";
import type { Numbered, Reply } from "./messages";
import { isStudy, study } from "./study/study";
import type { Kept } from "./model";

const answer = engine();
const port = self as unknown as { postMessage(reply: Reply, transfer: Transferable[]): void; onmessage: unknown };

let last: Promise<unknown> = Promise.resolve();
const AT_ONCE = ["open", "fill", "stop"];

port.onmessage = async ({ data }: MessageEvent<Numbered>) => {
  const { id } = data;
  const run = () => (isStudy(data) ? study(data) : answer(data, (written) => port.postMessage({ id, written }, [])));
  try {
    const found = await (AT_ONCE.includes(data.what) ? run() : (last = last.then(run, run)));
    const { numbers = [] } = (found ?? {}) as Partial<Kept>;
    const buffers = new Set(numbers.map(([, { values }]) => values.buffer));
    port.postMessage({ id, answer: found }, [...buffers]);
  } catch (error) {
    port.postMessage({ id, refusal: error instanceof Error ? error.message : String(error) }, []);
  }
};
