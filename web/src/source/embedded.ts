/** Answers kept in the page itself: the one-file HTML, without a server or a network.
 *
 * The file holds   <script type="application/json" id="regard-trace">   with
 *   {"trace": TraceInfo,
 *    "answers": {key: JSON, or {"shape": [..], "f32": base64 of little-endian row-major float32}},
 *    "left_out": ["one sentence on what is not in this file", ..],
 *    "query": "view=sentence&tap=.." or absent: what to show first, written as the page's address}
 * with every "<" inside the JSON written as "\u003c", so that no text can end the script early.
 *
 * source/kept.ts lists the keys. A stored answer is used before one is made; what is neither stored nor
 * can be made is said to be left out. */
import { fromBase64 } from "../local/base64";
import type { Source, TraceInfo } from "../source";
import { answersFrom } from "./kept";
import { sourceOver, type Binary } from "./requests";

export interface Embedded {
  trace: TraceInfo;
  answers: Record<string, unknown>;
  left_out: string[];
  query?: string;
}

export function embeddedSource(kept: Embedded): Source {
  const { trace, answers } = kept;
  const decoded = new Map<string, Binary | null>();

  /** Numbers stored under a key, decoded once. */
  const numbers = (key: string): Binary | null => {
    let found = decoded.get(key);
    if (found === undefined) {
      const answer = answers[key] as { shape: number[]; f32: string } | undefined;
      found = answer && typeof answer.f32 === "string" ? { shape: answer.shape, values: new Float32Array(fromBase64(answer.f32).buffer) } : null;
      decoded.set(key, found);
    }
    return found;
  };
  const missing = (what: string) =>
    new Error(`${what} is not in this file; trace the text with \`regard look\` to see it.`);
  const made = answersFrom({ trace, numbers, plain: (key) => answers[key], missing });

  const before = `/traces/${encodeURIComponent(trace.id)}/`;
  return sourceOver(
    {
      async json(path, body) {
        if (path === "/models") return [];
        if (path === "/traces" && !body) return [{ id: trace.id, model: trace.model, text: trace.text }];
        if (path === before.slice(0, -1)) return trace;
        if (body || !path.startsWith(before)) throw missing("Another text, or a change to this one,");
        return made.json(path.slice(before.length));
      },
      binary: async (path) => made.binary(path.slice(before.length)),
    },
    { trace: false, ablate: false, export: false, explain: false, open: false },
    { leftOut: kept.left_out },
  );
}
