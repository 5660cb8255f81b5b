"""The options of its use."""

from regard.engine.options import RewritingOptions
from regard.options import option


class TranslationOptions(RewritingOptions):
    """Options of translating."""

    strict_language: bool = option(
        False, "Refuse a text that only seems to be in another language, too."
    )
    glossary: str | None = option(
        None, "File of terms with their translations, a tab between: Haus|Hauses for several."
    )
    words: bool = option(False, "Also give the words and their probabilities, in JSON.")
    source_language: str | None = option(
        None,
        "Source language, for a model of several, such as de or de_DE.",
        shown="model's",
    )
    target_language: str | None = option(
        None,
        "Target language, for a model of several; without --model, of a shipped one.",
        shown="model's",
        flag="--target-language --to",
    )
    prefix: str | None = option(
        None,
        "Text to put before every sentence, such as T5's 'translate English to German: '.",
        shown="model's",
    )
    whole: bool = option(
        False, "Translate each text as one sentence, for a model that reads documents."
    )
    sentences: bool = option(False, "Also give the sentences of each text, in JSON.")
