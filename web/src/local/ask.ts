/** Carries questions to a worker and its answers back. */
import type { Answer, Asked, Reply, Show, What } from "./messages";

export type Ask = <W extends What>(question: Asked<W>, show?: Show) => Promise<Answer<W>>;

/** `script` is worker.ts as it was built. What is asked first is a part of it: a message would wait for the page. */
export function threaded(script: string, first: Asked): Ask {
  const begins = `onmessage({ data: ${JSON.stringify({ id: 0, ...first })} })`;
  const worker = new Worker(URL.createObjectURL(new Blob([script, begins], { type: "text/javascript" })));
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void; show: Show | undefined }>();
  let [last, failure] = [0, null as Error | null];
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.id);
    if ("written" in data) return asked?.show?.(data.written);
    waiting.delete(data.id);
    if ("refusal" in data) asked?.reject(new Error(data.refusal));
    else asked?.resolve(data.answer as never);
  };
  worker.onerror = () => {
    failure = new Error("This browser does not let the page start its worker; open it in a current Chromium or Firefox.");
    for (const { reject } of waiting.values()) reject(failure);
  };
  return (question, show) =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure);
      waiting.set(++last, { resolve, reject, show });
      worker.postMessage({ id: last, ...question });
    });
}
