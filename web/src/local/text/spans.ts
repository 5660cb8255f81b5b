/** Words and sentences as spans of tokens, as `regard.inspection.grouping` finds them. */
export type Span = [number, number]; // half-open

const ENDS = [".", "!", "?", "…", "؟"]; // of a sentence, if the next token begins a word
const ALWAYS_END = ["।", "॥", "。", "！", "？"]; // where a script has no numbers or spaces to go by
const CLOSING = "\"'”’»)]}」』"; // may follow the end of a sentence and still belong to it
const STARTS = ["▁", "↵", "Ġ", "Ċ", " ", "\n"]; // of SentencePiece and byte-level BPE
const [GOES_ON, STOPS] = ["##", "</w>"]; // WordPiece; the first BPEs

/** Spans of the words that pieces spell, by the marks that tokenizers leave; special pieces belong to none. */
export function wordSpans(tokens: readonly string[], special: ReadonlySet<string>): Span[] {
  const starts = (token: string) => STARTS.some((mark) => token.startsWith(mark));
  const any = (test: (token: string) => boolean) => tokens.some((token) => !special.has(token) && test(token));
  const marked = any(starts);
  const stopped = !marked && any((token) => token.endsWith(STOPS));
  const begins = (token: string, at: number) => {
    if (marked) return starts(token);
    return stopped ? at === 0 || (tokens[at - 1] as string).endsWith(STOPS) : !token.startsWith(GOES_ON);
  };
  const spans: Span[] = [];
  let inside = false;
  tokens.forEach((token, index) => {
    const last = spans.at(-1);
    if (special.has(token)) inside = false;
    else if (inside && last && !begins(token, index)) last[1] = index + 1;
    else {
      spans.push([index, index + 1]);
      inside = true;
    }
  });
  return spans;
}

/** Spans that end after final punctuation; together they are all of the tokens. */
export function sentenceSpans(tokens: readonly string[], special: ReadonlySet<string>): Span[] {
  const starts = new Set(wordSpans(tokens, special).map(([start]) => start));
  const spans: Span[] = [];
  let [first, end] = [0, ""];
  tokens.forEach((token, index) => {
    const bare = stripped(token);
    if (special.has(token) || !bare) return;
    if (ALWAYS_END.includes(end) || (end && starts.has(index))) {
      spans.push([first, index]);
      first = index;
    }
    const last = [...bare].at(-1) as string;
    end = ENDS.includes(last) || ALWAYS_END.includes(last) ? last : "";
  });
  return tokens.length ? [...spans, [first, tokens.length]] : [];
}

/** Without marks at both ends, and without what closes after a sentence. */
function stripped(piece: string): string {
  const token = piece.endsWith(STOPS) ? piece.slice(0, -STOPS.length) : piece;
  let [from, to] = [0, token.length];
  while (from < to && STARTS.includes(token[from] as string)) from++;
  while (to > from && STARTS.includes(token[to - 1] as string)) to--;
  while (to > from && CLOSING.includes(token[to - 1] as string)) to--;
  return token.slice(from, to);
}
