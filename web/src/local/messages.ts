/** Messages between the page and its worker. */
import type { Ablation, AblationRequest, TraceInfo, TraceRequest } from "../source";
import type { Kept, Run, Traced } from "./translator";

export type Question =
  | { what: "open"; model: string } // a ModelFile as JSON
  | { what: "fill"; piece: string } // base64; the next of its bytes
  | { what: "trace"; wanted: TraceRequest }
  | { what: "kept" } // of the trace asked for before it
  | { what: "score"; run: Run; hidden: number[] }
  | { what: "ablate"; run: Run; info: TraceInfo; request: AblationRequest };

export type Numbered = { id: number } & Question;
export type Reply = { id: number } & ({ answer: Traced | Kept | Ablation | number | null } | { refusal: string });
