"""Text-to-text generation with an encoder–decoder, such as summarization."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from regard.checkpoints import CheckpointLike, open_checkpoint
from regard.engine.batching import read_each
from regard.engine.defaults import read_defaults
from regard.engine.handle import EncoderDecoderHandle
from regard.engine.result import Written, asked, inside
from regard.engine.text_to_text import TextToText
from regard.generation import Hypothesis


@dataclass(frozen=True)
class Summary(Written):
    """The summary of one text, or what else a model makes of it."""

    summary: str
    score: float
    finished: bool  # False where max_new_tokens cut it off, or it repeated itself
    truncated: bool = False  # the text was longer than the model reads, and cut there
    tokens: list[str] = asked()
    alternatives: "list[Summary]" = asked()  # n best, this one first
    ids: list[int] = inside(default_factory=list)  # as generated, the end included


class Rewriter(TextToText):
    """Answers text with text, as an encoder–decoder model was trained to: BART, Pegasus, T5."""

    result_class = Summary

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """Return the model of a name (see `load`), its tokenizer and decoding defaults."""
        checkpoint = open_checkpoint(folder)
        handle = EncoderDecoderHandle.open(checkpoint, lazily=lazily)
        tasks = read_defaults(checkpoint)
        chosen = tasks.get(cls.task, tasks[""])
        return cls(handle, checkpoint.tokenizers, name=name or checkpoint.name, **vars(chosen))

    def run(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 8,
        force: bool = False,
        progress: Callable[[int], None] = lambda done: None,
        **options: object,
    ) -> list[Summary]:
        """Answers texts; results do not depend on what else is in the list.

        A text of more tokens than the model reads is cut there, and the result says so.

        Args:
            batch_size: texts decoded together.
            force: also answer texts of another language or script, as an evaluation does; the
                answers are guesses.
            progress: called with the number of texts just finished.
            options: fields of GenerationConfig.

        Raises:
            BadArgumentError: an unknown option, one out of range, or a text in another language
                (`check_readable`).
        """
        config = self.configured(options)
        whole = read_each(lambda text: list(self.parts(text, force=force)), texts)
        answers = self.answers(
            [[self.cut(ids) for ids in parts] for parts in whole],
            config,
            lambda sources, n_best: list(n_best),
            batch_size=batch_size,
            progress=progress,
        )
        return list(map(self.result, texts, whole, answers))

    def parts(self, text: str, *, force: bool = False) -> Iterator[list[int]]:
        """All of a text, of which the model reads the beginning."""
        ids = self.encode(text := self.tidied(text))
        if not force:
            self.check_readable(text, ids)
        if ids:
            yield ids

    def result(
        self, text: str, parts: Sequence[list[int]], found: Sequence[list[Hypothesis]]
    ) -> Summary:
        if not parts:
            return _NOTHING
        truncated = len(parts[0]) > self.room
        n_best = [each.changed(truncated=truncated) for each in self.alternatives(found[0])]
        return n_best[0].changed(alternatives=n_best)

    def source(self, part: Sequence[int]) -> list[int]:
        return super().source(self.cut(part))

    def read(self, text: str) -> list[int]:
        return self.cut(super().read(text))


class Summarizer(Rewriter):
    """Summarizes with a model that was trained to, by the checkpoint's settings for summaries.

    >>> from regard.models import EncoderDecoder, preset
    >>> from regard.text import TokenizerPair, train_tokenizer
    >>> text = "the old man sees the red house"
    >>> tokenizer = train_tokenizer([text] * 20, vocab_size=400)
    >>> model = EncoderDecoder(preset("tiny", tokenizer.vocab_size)).eval()  # not trained
    >>> summarizer = Summarizer(model, TokenizerPair(tokenizer, tokenizer))
    >>> len(summarizer.run([text], max_new_tokens=5)[0].tokens) <= 5
    True
    """

    task = "summarization"


_NOTHING = Summary("", 0.0, finished=True)  # of an empty text
