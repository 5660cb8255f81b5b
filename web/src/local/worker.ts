/** The translator's own thread, so that the page never waits for it. */
import { engine } from "./engine";
import type { Numbered, Reply } from "./messages";

const answer = engine();
const port = self as unknown as { postMessage(reply: Reply, transfer: Transferable[]): void; onmessage: unknown };

port.onmessage = ({ data }: MessageEvent<Numbered>) => {
  const { id } = data;
  try {
    const found = answer(data);
    const numbers = typeof found === "object" && found && "numbers" in found ? found.numbers : [];
    const buffers = new Set(numbers.map(([, { values }]) => values.buffer));
    port.postMessage({ id, answer: found }, [...buffers]);
  } catch (error) {
    port.postMessage({ id, refusal: error instanceof Error ? error.message : String(error) }, []);
  }
};
