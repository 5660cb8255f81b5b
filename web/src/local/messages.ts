/** Messages between the page and its worker. */
import type { AblationRequest, TraceInfo, TraceRequest } from "../source";
import type { Study } from "./study/study";
import type { Run } from "./model";

export type Question =
  | { what: "open"; models: string[]; engines: string[] } // a ModelFile each as JSON, and libraries, the best first: packed, as all of a file
  | { what: "fill"; piece: string } // the next of their bytes → the name of the model that is whole with it
  | { what: "trace"; wanted: TraceRequest }
  | { what: "stop" } // the trace that is being made
  | { what: "kept" } // of the trace asked for before it
  | { what: "score"; model: string; run: Run; hidden: number[] }
  | { what: "ablate"; run: Run; info: TraceInfo; request: AblationRequest };

export type Asked = Question | Study;
export type Numbered = { id: number } & Asked;
export type Reply = { id: number } & ({ answer: unknown } | { refusal: string } | { written: string }); // so far
