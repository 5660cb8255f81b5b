/** BERT's tidying of a text: marks that do not print go, and cases and accents where the model has none. */
export interface BertNormalizer {
  clean_text: boolean;
  handle_chinese_chars: boolean;
  strip_accents: boolean | null; // null: as lowercase
  lowercase: boolean;
}

const UNPRINTED = /(?![\t\n\r])[\0\uFFFD\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const CHINESE = /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;

export function bert({ clean_text, handle_chinese_chars, strip_accents, lowercase }: BertNormalizer): (text: string) => string {
  return (text) => {
    if (clean_text) text = text.replace(UNPRINTED, "").replace(/\p{White_Space}/gu, " ");
    if (handle_chinese_chars) text = text.replace(CHINESE, " $& ");
    if (strip_accents ?? lowercase) text = text.normalize("NFD").replace(/\p{Mn}/gu, "");
    return lowercase ? [...text].map((letter) => letter.toLowerCase()).join("") : text; // a letter by itself: no final sigma
  };
}
