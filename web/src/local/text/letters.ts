/** Letters and words of every script by Unicode's Standard Annex 29, as `regard.letters` has them. */

/** What belongs to the letter before it, inside a class. */
export const MARKS =
  "\\p{M}\\u00ad\\u061c\\u180e\\u200c-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{1f3fb}-\\u{1f3ff}\\u{e0001}\\u{e0020}-\\u{e007f}";
const KATAKANA = "\\u3031-\\u3035\\u309b\\u309c\\u30a0-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff\\uff66-\\uff9f";
// Ideographs, Hiragana, and the scripts of Southeast Asia, but for their digits.
const UNSPACED =
  "\\u3006\\u3007\\u3021-\\u3029\\u3038-\\u303a\\u3400-\\u9fff\\uf900-\\ufaff\\u{17000}-\\u{18d8f}\\u{1b000}-\\u{1b2fb}\\u{20000}-\\u{3fffd}\\u3041-\\u3096\\u309d-\\u309f" +
  "\\u0e01-\\u0e4f\\u0e81-\\u0ecf\\u0edc-\\u0edf\\u1000-\\u103f\\u1050-\\u108f\\u109a-\\u109f\\u1780-\\u17dc\\u1950-\\u19cf\\u1a00-\\u1a1f\\u1a20-\\u1a7f\\u1aa7\\ua9e0-\\ua9ef\\ua9fa-\\ua9fe\\uaa60-\\uaadf\\u{11700}-\\u{1172f}";
const ALONE = UNSPACED + KATAKANA;
const RUN = `(?:(?![${ALONE}])[\\p{L}\\p{Nl}\\p{No}][${MARKS}]*)+`;
const SPELLED = new RegExp(`${RUN}(?:['’]${RUN})*|[${KATAKANA}][${KATAKANA}${MARKS}]*|(?![${KATAKANA}])[\\p{L}\\p{Nl}\\p{No}][${MARKS}]*`, "gu");

/** The words of a text by their letters alone, without digits and points. */
export const spelled = (text: string): string[] => text.match(SPELLED) ?? [];
