/** A stage of the server's work in words. */
import type { TraceRequest, Working } from "../source";

export function stageOf(working: Working | null, asked: TraceRequest | null): string {
  if (!working?.stage) return "running the model";
  if (asked && (working.text !== asked.text || working.model !== asked.model)) return "waiting for another text";
  return working.most ? `${working.stage}, token ${working.done + 1} of at most ${working.most}` : working.stage;
}
