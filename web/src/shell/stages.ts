/** A stage of the server's work in words. */
import type { TraceRequest, Working } from "../source";
import { translated } from "../words/translated";
import type { Say } from "../words/words";

export function stageOf(say: Say, working: Working | null, asked: TraceRequest | null): string {
  if (!working?.stage) return say("stage.running");
  if (asked && (working.text !== asked.text || working.model !== asked.model)) return say("stage.waiting");
  return working.most ? say("stage.token", { stage: translated(say, working.stage), token: working.done + 1, most: working.most }) : translated(say, working.stage);
}
