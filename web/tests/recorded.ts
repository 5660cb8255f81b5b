/** What a real server answered, which tests/studio/test_recorded.py records. */
import recorded from "../../tests/fixtures/answers.json";
import { embeddedSource, type Embedded } from "../src/source/embedded";
import type { Cell, ModelInfo, Source, TraceInfo } from "../src/source";

export const kept = recorded.kept as unknown as Embedded;
export const traces = recorded.traces as unknown as TraceInfo[];
const [model] = recorded.models as unknown as ModelInfo[];
export { model };

/** The server's answers to questions about the first trace. */
export const tiles = Object.entries(recorded.answers).flatMap(([asked, answer]) => ("f32" in answer ? [{ asked, answer }] : []));
export const cells = Object.values(recorded.answers).flatMap((answer) => ("f32" in answer ? [] : [answer as unknown as Cell]));

/** A server that has answered these questions, and no others. */
export function recordedSource(): Source {
  const file = embeddedSource(kept);
  return {
    ...file,
    abilities: { ...file.abilities, trace: true, export: true },
    models: () => Promise.resolve(recorded.models as unknown as ModelInfo[]),
    traces: () => Promise.resolve([]),
    async trace({ text, hypothesis = 0 }) {
      const found = traces.find((each) => each.text === text) as TraceInfo;
      return { ...found, generation: found.generation && { ...found.generation, shown: hypothesis ?? 0 } };
    },
  };
}
