/** The models' own thread, so that the page never waits for it. */
import { engine } from "./engine";
import type { Numbered, Reply } from "./messages";
import { isStudy, study } from "./study/study";
import type { Kept } from "./model";

const answer = engine();
const port = self as unknown as { postMessage(reply: Reply, transfer: Transferable[]): void; onmessage: unknown };

port.onmessage = async ({ data }: MessageEvent<Numbered>) => {
  const { id } = data;
  try {
    const found = await (isStudy(data) ? study(data) : answer(data));
    const { numbers = [] } = (found ?? {}) as Partial<Kept>;
    const buffers = new Set(numbers.map(([, { values }]) => values.buffer));
    port.postMessage({ id, answer: found }, [...buffers]);
  } catch (error) {
    port.postMessage({ id, refusal: error instanceof Error ? error.message : String(error) }, []);
  }
};
