"""The options of the tasks that are not of decoding; every door has them, by these names.

`catalog.KINDS` says which class belongs to which task. Nothing here is slow to import.
"""

from regard.errors import BadArgumentError
from regard.options import Options, option


class WritingOptions(Options):
    """Options of every task that writes."""

    tokens: bool = option(False, "Also give the tokens of each text, in JSON.")


class TranslationOptions(WritingOptions):
    """Options of translating."""

    source_language: str | None = option(
        None, "Source language, for a model of several, such as de or de_DE.", shown="model's"
    )
    target_language: str | None = option(
        None, "Target language, for a model of several.", shown="model's"
    )
    prefix: str | None = option(
        None,
        "Text to put before every sentence, such as T5's 'translate English to German: '.",
        shown="model's",
    )


class SummarizationOptions(WritingOptions):
    """Options of summarizing."""

    prefix: str | None = option(
        None, "Text to put before every text, such as T5's 'summarize: '.", shown="model's"
    )


class GenerationOptions(WritingOptions):
    """Options of continuing texts."""

    chat: bool = option(False, "Treat each prompt as a message to a chat model.")
    system: str | None = option(None, "Instructions at the beginning of a chat.")
    stop: list[str] | None = option(
        None, "Stop once this has been written; may be given several times."
    )

    def check(self) -> None:
        if self.system is not None and not self.chat:
            raise BadArgumentError("`system` belongs to a chat; add chat=True.")


class ClassificationOptions(Options):
    """Options of classifying."""

    top_k: int | None = option(
        1, "Labels for each text; if more than one, as line number, label and score.", min=1
    )


class LabelingOptions(Options):
    """Options of labeling words."""

    aggregation: str = option(
        "first",
        "Join tokens to words, which have the label of the first, of their mean probability or of"
        " the surest, and words to spans; or join tokens (simple), or nothing.",
        choices=("first", "average", "max", "simple", "none"),
    )


class AnswerOptions(Options):
    """Options of answering questions."""

    top_k: int = option(
        1, "Answers to each question; if more than one, as line number, answer and score.", min=1
    )
    max_answer_len: int | None = option(
        None, "Longest answer, in tokens.", shown="model's, else 15", min=1
    )
    or_none: bool | None = option(
        None,
        "Allow an empty answer, in case the context contains none, or never give one.",
        shown="model's",
        flag="--or-none/--always-answer",
    )


class EncodingOptions(Options):
    """Options of turning texts into vectors."""

    pooling: str | None = option(
        None,
        "How the tokens' states become one vector.",
        shown="model's",
        choices=("mean", "cls", "max"),
    )
    normalize: bool | None = option(
        None,
        "Scale each vector to length one, or not.",
        shown="model's",
        flag="--normalize/--no-normalize",
    )
