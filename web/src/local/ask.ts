/** Carries questions to a worker and its answers back. */
import type { Asked, Reply } from "./messages";

export type Ask = <Answer>(question: Asked) => Promise<Answer>;

/** `script` is worker.ts as it was built. */
export function threaded(script: string): Ask {
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ("refusal" in data) asked?.reject(new Error(data.refusal));
    else asked?.resolve(data.answer as never);
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values())
      reject(new Error("This browser does not let the page start its worker; open it in a current Chromium or Firefox."));
    waiting.clear();
  };
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      worker.postMessage({ id: last, ...question });
    });
}
