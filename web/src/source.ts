/** Source of a page's answers: a server, a notebook's kernel, the file itself, or a model in it. */
import type { ReadonlySignal } from "@preact/signals";
import type { Connection } from "./source/connection";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type TraceInfo = Schemas["TraceInfo"];
export type TapInfo = Schemas["TapInfo"];
export type AxisInfo = Schemas["AxisInfo"];
export type Summary = Schemas["Summary"];
export type HeadInfo = Schemas["HeadInfo"];
export type PatternScore = Schemas["PatternScore"];
export type PatternName = PatternScore["name"];
export type Candidate = Schemas["Candidate"];
export type Near = Schemas["Near"];
export type Cell = Schemas["Cell"];
export type Looks = Schemas["Looks"];
export type Looked = Schemas["Looked"];
export type Ablation = Schemas["Ablation"];
export type Lens = Schemas["Lens"];
export type Attribution = Schemas["Attribution"];
export type Measures = Schemas["Measures"];
export type Reliance = Schemas["Reliance"];
export type Offer = Schemas["Offer"];
export type ModelInfo = Schemas["ModelInfo"];
export type GenerationInfo = Schemas["GenerationInfo"];
export type Working = Schemas["Working"];
/** The parts of an explanation that the lessons show. */
export type Explanation = Pick<Schemas["Explanation"], "tokens" | "key_tokens"> & {
  settings: Pick<Schemas["Settings"], "source" | "tap" | "formula" | "heads" | "head_dim" | "temperature">;
  steps: Pick<Schemas["regard__course__explanation__record__Step"], "name" | "per_head" | "values">[];
};
export type Lesson = Omit<Schemas["Lesson"], "explanation"> & { explanation: Explanation };
export type Geometry = Schemas["Geometry"];
export type Inside = Schemas["Inside"];
export type NextWord = Schemas["NextWord"];
export type InsideRequest = Schemas["InsideRequest"];
export type NextRequest = Pick<Schemas["NextRequest"], "text"> & Partial<Schemas["NextRequest"]>;
export type LessonRequest = Pick<Schemas["LessonRequest"], "text"> & Partial<Schemas["LessonRequest"]>;
export type Way = "anywhere" | "across" | "within";
export type Quantity = "weight" | "norm" | "score";
export type Reduce = "max" | "mean";
export type Group = "token" | "word" | "sentence";
export type Head = number | "mean";

/** Its parts that are off and its looks have the names of off/parts.ts. */
export type TraceRequest = Pick<Schemas["TraceRequest"], "model" | "text"> & Partial<Schemas["TraceRequest"]> & { num_beams?: number };

/** A rectangle of cells; at level l a cell covers 2^l × 2^l positions of the (grouped) map. */
export interface TileRequest {
  tap: string;
  head: Head;
  level: number;
  row: number;
  column: number;
  height: number;
  width: number;
  quantity: Quantity;
  reduce: Reduce;
  group: Group;
  every: number;
}

/** Row-major numbers; NaN where the mask forbids. The edges of a map give smaller tiles. */
export interface Tile {
  values: Float32Array;
  height: number;
  width: number;
}

export type Thumbnails = Tile & { heads: number };

export type AblationRequest = Schemas["AblationRequest"] & { step: number | null }; // of the output; null: the one that changes most

/** Abilities of a source besides showing; a file without a model can neither trace nor ablate, and
 * only a server explains, and opens models and saved traces. */
export interface Abilities {
  trace: boolean;
  ablate: boolean;
  export: boolean;
  explain: boolean;
  open: boolean;
  why?: boolean; // lens, attribution and measures, which need the model in Python
}

/** Every method rejects with an Error whose message is one sentence for the reader. */
export interface Source {
  readonly abilities: Abilities;
  readonly leftOut?: readonly string[]; // of a file that does not hold everything, a sentence each
  readonly draws?: readonly string[]; // what to know of the tokens that it draws, a sentence each
  readonly connection?: Connection; // to a server, which may go
  readonly written?: ReadonlySignal<string>; // so far, of the trace that is being made; aborting `trace` stops the work
  models(): Promise<ModelInfo[]>;
  /** Models that can be opened besides those that are listed. */
  offer(): Promise<Offer>;
  openModel(name: string): Promise<ModelInfo>;
  /** A trace that was saved as .safetensors. */
  openFile(file: Blob): Promise<TraceInfo>;
  traces(): Promise<{ id: string; model: string; text: string; request?: TraceRequest | null; pinned?: boolean }[]>;
  trace(request: TraceRequest, signal?: AbortSignal): Promise<TraceInfo>;
  /** Progress of the trace that is being made; only where aborting `trace` stops the work itself. */
  working?(signal?: AbortSignal): Promise<Working | null>;
  opened(id: string, signal?: AbortSignal): Promise<TraceInfo>;
  summary(id: string, tap: string, signal?: AbortSignal): Promise<Summary>;
  thumbnails(id: string, tap: string, size: number, signal?: AbortSignal): Promise<Thumbnails>;
  tile(id: string, request: TileRequest, signal?: AbortSignal): Promise<Tile>;
  cell(id: string, tap: string, head: Head, query: number, key: number, signal?: AbortSignal): Promise<Cell>;
  looks(id: string, request: { tap: string; head: Head; query?: number; key?: number; k: number; quantity: Quantity }, signal?: AbortSignal): Promise<Looks>;
  /** The heads with most weight from a query to a key, of all layers with the sequences of `tap`; without the sink, the first key is left out of the row. Only where there is a server. */
  between?(id: string, request: { tap: string; query: number; key: number; count: number; sink: boolean }, signal?: AbortSignal): Promise<Schemas["Look"][]>;
  ablate(id: string, request: AblationRequest, signal?: AbortSignal): Promise<Ablation>;
  /** Dependence of the output on each word of its source, which is hidden in all attention, in cross-attention or in the encoder. */
  reliance(id: string, way: Way, signal?: AbortSignal): Promise<Reliance[]>;
  /** Tokens that a step would write after each layer. */
  lens(id: string, step: number, signal?: AbortSignal): Promise<Lens>;
  /** Terms that are added to the logit of a step's token, or to its difference from another token's. */
  attribution(id: string, step: number, against: number | null, signal?: AbortSignal): Promise<Attribution>;
  /** Measures of how much each token of an axis mattered to a step. */
  measures(id: string, step: number, axis: string, signal?: AbortSignal): Promise<Measures>;
  /** Attention over a sentence's word vectors, step by step. */
  explain(request: LessonRequest, signal?: AbortSignal): Promise<Lesson>;
  /** A word's vector through the layers of the trained translator's encoder. */
  inside(request: InsideRequest, signal?: AbortSignal): Promise<Inside>;
  /** Words that the trained translator may write next. */
  next(request: NextRequest, signal?: AbortSignal): Promise<NextWord>;
  /** The address of an NPZ or of the one-file HTML, where there is a server. */
  exportUrl(id: string, kind: "npz" | "html", query: Record<string, string>): string;
  /** Fetch the file at such an address. */
  download(url: string): Promise<Blob>;
}
