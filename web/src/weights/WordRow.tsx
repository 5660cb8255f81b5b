/** Words in a row, one of which is chosen; the arrows walk along them. */
interface WordRowProps {
  name: string;
  words: readonly string[];
  chosen: number;
  look?(word: number): string; // its class besides
  part?(word: number): number; // of its ground that is shaded
  titles?(word: number): string; // of its button, where the word alone says too little
  onChoose(word: number): void;
  onPoint?(word: number | null): void;
}

/** Where a key leads from a place in a row, or in a column, which is a ring for the arrows; null for any other key. */
export function along({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, at: number, length: number, [back, on] = ["ArrowLeft", "ArrowRight"]): number | null {
  const to = { [back as string]: at - 1, [on as string]: at + 1, Home: 0, End: length - 1 }[key];
  return to === undefined || !length || ctrlKey || metaKey || altKey ? null : (to + length) % length;
}

export function WordRow({ name, words, chosen, look, part, titles, onChoose, onPoint }: WordRowProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const next = along(event, chosen, words.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // the page has its own use for arrows
    onChoose(next);
    (event.currentTarget as Element).querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <div class="rg-words" role="radiogroup" aria-label={name} onKeyDown={onKeyDown} onPointerLeave={() => onPoint?.(null)}>
      {words.map((word, i) => (
        <button
          key={i}
          type="button"
          role="radio"
          class={`rg-words__word ${part ? "rg-words__word--part" : ""} ${look?.(i) ?? ""}`}
          style={part && { "--part": `${100 * part(i)}%` }}
          aria-label={titles?.(i)}
          aria-checked={i === chosen}
          tabIndex={i === chosen ? 0 : -1}
          onPointerEnter={(event) => event.pointerType === "mouse" && onPoint?.(i)}
          onClick={() => onChoose(i)}
        >
          {word}
        </button>
      ))}
    </div>
  );
}
