/** The letters of HTML's entities, by the names of HTML 4. */
import names from "./entities.json";

/** `&uuml;`, `&#252;` or `&#xfc;` as ü; any other as it is. */
export function unescaped(entity: string): string {
  const name = entity.slice(1, -1);
  const number = name.startsWith("#") ? Number(name.slice(1).replace(/^x/i, "0x")) : (names as Record<string, number>)[name];
  return number !== undefined && number >= 0 && number <= 0x10ffff ? String.fromCodePoint(number) : entity;
}
