/** Tidy text, as `regard.text.normalize`: NFC, single plain spaces, no invisible marks. */
export function normalize(text: string): string {
  // Python's \s has the separators \x1c to \x1f and \x85, and not the byte-order mark, which is gone.
  return text.normalize("NFC").replace(/[\u200b\u00ad\u2060\ufeff]/g, "").replace(/[\s\x1c-\x1f\x85]+/g, " ").replace(/^ | $/g, "");
}
