/** Names of tokens of which some are bytes of a letter, as `regard.inspection.naming` gives and joins them. */
interface Pieces {
  /** The piece of an id, as a reader sees it; null for one that the vocabulary lacks. */
  piece(id: number): string | null;
  /** The bytes of a piece that is one, or that is a part of a letter; null of any other. */
  bytes(id: number): readonly number[] | null;
}

const BYTES = /^(?:<0x[0-9A-F]{2}>)+$/;
const encoder = new TextEncoder();
const CONTROL = /\p{Cc}/gu;

export const isBytes = (name: string): boolean => BYTES.test(name);
const shown = (name: string) => name.replaceAll(" ", "▁").replaceAll("\n", "↵");

/** Names of ids that follow each other: a letter of several is the name of its first. */
export function namesOf(ids: readonly number[], { piece, bytes }: Pieces): string[] {
  const names: string[] = [];
  let parts: (readonly number[])[] = [];
  const flush = () => {
    names.push(...shares(parts).map(shown));
    parts = [];
  };
  for (const id of ids) {
    const its = bytes(id);
    if (its) parts.push(its);
    else {
      flush();
      names.push(shown(piece(id) ?? String(id)));
    }
  }
  flush();
  return names;
}

/** What parts of some bytes spell: letters that begin there, and as `<0x81>` bytes of a letter before it, or of none. */
function shares(parts: readonly (readonly number[])[]): string[] {
  const owners = parts.flatMap((part, owner) => part.map(() => owner));
  const all = parts.flat();
  const found = parts.map(() => "");
  for (let place = 0; place < all.length; ) {
    const letter = letterAt(all, place);
    const end = place + Math.max(1, encoder.encode(letter).length);
    const first = owners[place] as number;
    const whole = letter !== "" && (letter === "\n" || letter.search(CONTROL) < 0);
    if (whole) found[first] += letter;
    for (; place < end; place++) {
      const owner = owners[place] as number;
      if (owner !== first || !whole) found[owner] += `<0x${(all[place] as number).toString(16).toUpperCase().padStart(2, "0")}>`;
    }
  }
  return found;
}

/** The letter whose bytes begin at a place; empty where none does. */
function letterAt(bytes: readonly number[], place: number): string {
  const first = bytes[place] as number;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return lettersOf(bytes.slice(place, place + length)) ?? "";
}

/** What bytes spell in UTF-8; null if they do not. */
export function lettersOf(bytes: readonly number[]): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

/** The text of names of tokens: bytes that a letter before them has are left out, and those of none are "�". */
export function joinedNames(names: readonly string[]): string {
  let text = "";
  let [letter, others]: [number[], number[]] = [[], []]; // what the last letter still has, and bytes of none
  for (const name of [...names, ""]) {
    if (isBytes(name)) {
      others.push(...(name.match(/(?<=x)../g) ?? []).map((byte) => parseInt(byte, 16)));
      if (others.every((byte, i) => byte === letter[i])) [letter, others] = [letter.slice(others.length), []];
      continue;
    }
    text += new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(others)).replace(CONTROL, "�") + name;
    [letter, others] = [[...encoder.encode([...name].at(-1) ?? "")].slice(1), []];
  }
  return text;
}
