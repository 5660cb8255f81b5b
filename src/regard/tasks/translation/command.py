"""`regard translate`: translations, on request with the words that each word attended to."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.checkpoints import argos, shipped
from regard.cli.lines import Line
from regard.cli.refusals import say_doubts
from regard.cli.task_command import TaskCommand
from regard.errors import BadArgumentError, UnsupportedError
from regard.figures import terminal
from regard.figures.color import takes_color
from regard.options import Options, option
from regard.tasks import catalog, loading

if TYPE_CHECKING:
    from regard.tasks.translation.result import Translation


class AttentionOptions(Options):
    """Options of the word alignment."""

    attention: bool = option(False, "Show which words each word attended to.")
    attention_step: str = option(
        "output",
        "Read at the step that predicts a word, or at the next, which reads it.",
        choices=("output", "input"),
    )
    attention_layer: int | None = option(
        None, "Read from this layer of the decoder, from 0; -1 is the last.", shown="mean of all"
    )
    argos: tuple[str, str] | None = option(
        None,
        "Translate by the packages that Argos Translate has installed, also by way of a third"
        " language.",
        metavar="SOURCE TARGET",
    )


class Translate(TaskCommand["Translation"]):
    """A call of `regard translate`."""

    own, what = AttentionOptions, "a sentence"

    def open(self) -> None:
        self.before = self._by_argos()
        self._check_shipped()
        super().open()
        self.aligned = self.extra.attention or self.extra.attention_layer is not None
        if self.aligned:
            self.call["alignment"] = self.extra.attention_step
            self.call["alignment_layer"] = self.extra.attention_layer

    def _by_argos(self) -> list[Any]:
        """Name the last package's model, and load those whose translations it reads.

        Raises:
            BadArgumentError: --model beside --argos.
            NotFoundError: no packages lead from one language to the other.
        """
        if self.extra.argos is None:
            return []
        if self.common["model"] is not None:
            raise BadArgumentError("--argos chooses the model; leave out --model.")
        *before, last = map(str, argos.route(*self.extra.argos))
        self.common["model"] = last
        return [loading.load(folder, self.kind_name) for folder in before]

    def rows(self, lines: list[Line]) -> list[tuple[str, ...]]:
        texts = [line.text for line in lines]
        for translator in self.before:
            texts = [result.translation for result in translator.run(texts)]
        return [(text,) for text in texts]

    def _check_shipped(self) -> None:
        """Raise UnsupportedError for languages of no shipped translator, where none is named."""
        languages = [self.chosen.get(name) for name in ("source_language", "target_language")]
        models = [shipped.SHIPPED[name] for name in catalog.taken_by("translate")]
        if self.common["model"] is not None or any(model.fits(*languages) for model in models):
            return
        offered = ", ".join(" → ".join(model.languages) for model in models)
        source, target = languages[0] or "en", languages[1] or "en"
        raise UnsupportedError(
            f"the shipped translators have {offered}; got {languages[0] or 'any'} →"
            f" {languages[1] or 'any'}. Name another model, such as"
            f" --model hub:Helsinki-NLP/opus-mt-{source}-{target}."
        )

    def warn(self, line: Line, result: "Translation") -> None:
        super().warn(line, result)
        if result.language_doubt:
            self.counts["doubts"] += 1
            self.doubted += [line.text][: self.counts["doubts"] < 4]
        if any(each.long for each in result.sentences):
            self.say(
                f"line {line.number} has a sentence of more than {self.task.longest} tokens; the"
                " model knows shorter ones. Split it if it reads badly."
            )

    def end(self, total: int) -> None:
        if doubts := self.counts["doubts"]:
            say_doubts(Path(self.model).name, self.doubted[:3], doubts, total)

    def answered(self, result: "Translation | None") -> dict[str, Any]:
        if not self.aligned or result is None:
            return super().answered(result)
        return result.json([*self.chosen, "alignment"]) | {"engine": self.task.computed_by}

    @property
    def names(self) -> set[str]:
        aligned = self.result_class.names([*self.chosen, "alignment"])
        return {*super().names, *aligned, "engine"} if self.aligned else super().names

    def plain(self, line: Line, result: "Translation | None") -> str | None:
        text = super().plain(line, result)
        if result is not None and self.output is None and not self.several:
            text = _marked(result)
        # No words, no map: a text may be invisible characters alone.
        if result is None or result.alignment is None:
            return text
        grid = terminal.alignment_grid(
            result.source_words,
            result.target_words,
            result.alignment,
            caption=self.task.alignment_caption(
                self.extra.attention_step, self.extra.attention_layer
            ),
            color=self.output is None and takes_color(sys.stdout),
        )
        return f"{text}\n{grid}"


def _marked(result: "Translation") -> str:
    """Return the translation's line, with unsure words underlined where stdout is a terminal."""
    line, place, spans = result.line(), 0, []
    if not takes_color(sys.stdout):
        return line
    for word in result.words:
        start = line.find(word.text, place)
        if start >= 0:
            place = start + len(word.text)
            spans += [(start, place)] if word.unsure else []
    return terminal.underlined(line, spans)
