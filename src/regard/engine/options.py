"""The options of the tasks that are not of decoding, and of looking; every door has them.

`catalog.KINDS` says which class belongs to which task. Nothing here is slow to import.
"""

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Any

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
