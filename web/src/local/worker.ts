/** The models' own thread, so that the page never waits for it. */
import { engine } from "./engine";
import { answered, type Numbered, type Reply } from "./messages";
import { study } from "./study/study";
import type { Kept } from "./model";

const answers = { ...engine(), ...study };
const port = self as unknown as { postMessage(reply: Reply, transfer: Transferable[]): void; onmessage: unknown };

let last: Promise<unknown> = Promise.resolve();
const AT_ONCE = ["open", "fill", "stop"];

port.onmessage = async ({ data }: MessageEvent<Numbered>) => {
  const { id } = data;
  const run = () => answered(answers, data, (written) => port.postMessage({ id, written }, []));
  try {
    const found = await (AT_ONCE.includes(data.what) ? run() : (last = last.then(run, run)));
    const { numbers = [] } = (found ?? {}) as Partial<Kept>;
    const buffers = new Set(numbers.map(([, { values }]) => values.buffer));
    port.postMessage({ id, answer: found }, [...buffers]);
  } catch (error) {
    port.postMessage({ id, refusal: error instanceof Error ? error.message : String(error) }, []);
  }
};
