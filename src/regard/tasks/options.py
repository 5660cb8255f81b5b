"""The options of the tasks that are not of decoding, and of looking; every door has them.

`catalog.KINDS` says which class belongs to which task. Nothing here is slow to import.
"""

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Any

from regard.errors import BadArgumentError
from regard.options import Options, option

MOST_BEAMS = 64  # of a text that is looked at; each is a translation to be kept in memory
TRACED = 20  # tokens that a language model writes for a trace by default


class EngineOptions(Options):
    """Choice of the engine that computes."""

    engine: str | None = option(
        None,
        "What computes: the package's native engine, or the model itself, by torch. auto: native"
        " where that is possible.",
        metavar="auto|torch|native",
        shown="auto",
    )
    precision: str | None = option(
        None,
        "Number format of the native engine's matrix products.",
        metavar="fp32|bf16|int8|int4",
        shown="fp32, or as the model was calibrated",
    )
    threads: int | None = option(None, "CPU threads.", shown="one for each core", min=1)


def force_option() -> bool:
    what = "Also answer texts in another language or script than the model's: guesses."
    return option(False, what)


class WritingOptions(Options):
    """Options of every task that writes."""

    tokens: bool = option(False, "Also give the tokens of each text, in JSON.")


class RewritingOptions(WritingOptions):
    """Options of a model that reads a text and writes another."""

    force: bool = force_option()


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


class SummarizationOptions(RewritingOptions):
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
    labels: str | None = option(
        None, "Labels of your own with commas between them, for a model of entailment (NLI)."
    )
    template: str | None = option(
        None,
        "What the model is asked about a label, which takes the place of {}.",
        shown="'This example is {}.'",
    )
    multi_label: bool = option(
        False, "Score each of these labels by itself; else they share a probability of one."
    )

    def check(self) -> None:
        if self.labels is None and (self.template is not None or self.multi_label):
            name = "multi_label" if self.template is None else "template"
            raise BadArgumentError(f"`{name}` is about labels of your own; give `labels` too.")


class MatchingOptions(Options):
    """Options of comparing images with texts."""

    labels: list[str] | None = option(
        None, "Text to choose among, such as 'a cat'; may be given several times."
    )
    template: str | None = option(
        None,
        "What is read for a label, which takes the place of {}: 'a photo of {}'.",
        shown="the label itself",
    )
    top_k: int | None = option(
        1, "Texts for each image; if more than one, as line number, text and score.", min=1
    )
    patches: bool = option(
        False, "Also give how well each patch of the image fits each text, in JSON."
    )

    def check(self) -> None:
        if self.template is not None and "{}" not in self.template:
            raise BadArgumentError(f"template must have {{}} for the label; got {self.template!r}.")


class TranscriptionOptions(Options):
    """Options of writing down what is said."""

    language: str | None = option(
        None, "Language that is spoken, such as en.", shown="model's, or the likeliest"
    )
    task: str | None = option(
        None, "Write what is said, or its English translation.", choices=("transcribe", "translate")
    )
    timestamps: bool = option(False, "Also give the segments with their times.")
    no_speech: float = option(
        0.6,
        "Leave out a window that is likelier than this to hold no speech, if its text is unlikely.",
        min=0,
        max=1,
    )


class LabelingOptions(Options):
    """Options of labeling words."""

    aggregation: str = option(
        "first",
        "Join tokens to words, which have the label of the first, of their mean probability or of"
        " the surest, and words to spans; or join tokens (simple), or nothing.",
        choices=("first", "average", "max", "simple", "none"),
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


@dataclass(frozen=True)
class TraceRequest:
    """A model to be run on a text. Equal requests have equal traces, and one id."""

    model: str
    text: str
    # A translation to be scored, instead of one that is searched for.
    target: str | None = option(None, "Look at this translation, not the model's own.")
    hypothesis: int = 0  # which of the beam's to show, the best is 0
    num_beams: int | None = option(
        None, "Hypotheses of a translation.", shown="model's", min=1, max=MOST_BEAMS
    )
    without: tuple[str, ...] = option(
        (),
        "Part to switch off: a position of the text, 3; a head, decoder.layers.0.cross:1; or its"
        " edge from query 4 to key 2, decoder.layers.0.cross:1:4:2; may be given several times.",
    )
    generate: int | None = option(None, "Tokens that a language model adds to the text.", min=0)
    temperature: float | None = None  # with one of these four, tokens are drawn
    top_k: int | None = None
    top_p: float | None = None
    seed: int | None = None
    forced_beginning: tuple[int, ...] = ()  # token ids that the output begins with
    looks: tuple[str, ...] = option(
        (),
        "What a step looks at instead, in every head: a word that is written and one of the text,"
        " Tasse:tea; or their positions, 4:8; may be given several times.",
    )
    sentence: int | None = option(
        None, "Sentence of a text to be translated, from 1.", shown="the first", min=1
    )
    force: bool = force_option()

    @property
    def changed(self) -> dict[str, Any]:
        """The fields that are not as by default."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }

    @property
    def id(self) -> str:
        """Name of the trace: the same in every session, so a link to it stays a link to it."""
        # Links are older than the fields behind these, which count where they are set.
        first = {field.name: getattr(self, field.name) for field in fields(self)[:5]}
        text = json.dumps(first | self.changed, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def address(self) -> dict[str, Any]:
        """The fields by which the page's address names the trace."""
        named = {"model": self.model, "text": self.text, "target": self.target or None}
        off = {"without": ",".join(self.without) or None, "looks": ",".join(self.looks) or None}
        return named | {"beams": self.num_beams, "generate": self.generate} | off
