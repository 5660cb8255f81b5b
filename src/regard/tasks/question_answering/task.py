"""Questions to answers: the part of a text that a fine-tuned model points at.

Devlin et al. 2019, sections 4.2 and 4.3.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, overload

from tokenizers import Encoding

from regard.checkpoints import Checkpoint
from regard.engine.batching import read_each
from regard.engine.defaults import task_settings
from regard.engine.reading import ReadingTask, Tokens
from regard.engine.result import Result, inside
from regard.engine.task import check_known
from regard.errors import BadArgumentError, DamagedFileError
from regard.lines import one_line
from regard.options import Options, option
from regard.tasks.question_answering.options import AnswerOptions
from regard.tasks.question_answering.spans import TokenPair, best_spans
from regard.text import Tokenizer
from regard.text.cutting import windows

if TYPE_CHECKING:
    from torch import nn

    from regard.engine.handle import ModelHandle
    from regard.inspection import Trace
    from regard.inspection.hiding import Looks
    from regard.models.configs.config import ModelConfig

Question = tuple[str, str]  # and its context: the text that may hold the answer


@dataclass(frozen=True)
class Answer(Result):
    """A part of the context; "" where the answer is that there is none."""

    answer: str
    start: int  # context[start:end] is the answer
    end: int
    score: float  # a probability
    margin: float = inside(0.0)  # how far its logits are above those of "no answer"

    @property
    def text(self) -> str:
        """The answer."""
        return self.answer

    def line(self) -> str:
        return f"{one_line(' '.join(self.answer.split()))}\t{self.score:.4f}"


@dataclass(frozen=True)
class Answers(Result, Sequence[Answer]):
    """The answers to one question, best first."""

    answers: list[Answer]

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> list[Answer]: ...
    def __getitem__(self, place: int | slice) -> Answer | list[Answer]:
        return self.answers[place]

    def __len__(self) -> int:
        return len(self.answers)

    def line(self) -> str:
        return self.lines()[0]

    def lines(self) -> list[str]:
        return [each.line() for each in self.answers] or ["\t"]


TASK = "question-answering"


class AnswerSettings(Options):
    """Defaults of reading and answering, where the caller does not say.

    config.json may have them under task_specific_params; the defaults are those of transformers'
    pipeline.

    Raises:
        BadArgumentError: a value out of range.
    """

    max_answer_len: int = option(15, "Longest answer, in tokens.", min=1)
    max_seq_len: int = option(384, "Tokens of a window, question and special tokens.", min=1)
    doc_stride: int = option(128, "Tokens that a window shares with the one before it.", min=0)
    no_answer_threshold: float | None = None  # the least margin of an answer; None: always answer

    @classmethod
    def read(cls, checkpoint: Checkpoint) -> "AnswerSettings":
        """Return the settings of a checkpoint.

        Raises:
            DamagedFileError: a setting of the wrong type or out of range.
        """
        values = task_settings(checkpoint).get(TASK) or {}
        where = f"task_specific_params[{TASK!r}] in {checkpoint.folder}/config.json"
        if not isinstance(values, dict):
            raise DamagedFileError(f"{where} must be a JSON object; it is {values!r}.")
        known = {setting.name for setting in fields(cls)}
        for name, value in values.items():
            kinds = int | float | None if name == "no_answer_threshold" else int
            if name in known and (isinstance(value, bool) or not isinstance(value, kinds)):
                raise DamagedFileError(
                    f"{name} of {where} must be a number; it is {value!r}."
                    " Copy the file again from where it came from."
                )
        try:
            return cls(**{name: value for name, value in values.items() if name in known})
        except BadArgumentError as error:
            raise DamagedFileError(f"{where}: {error}") from error

    def for_config(self) -> dict[str, Any]:
        """Return the key for config.json that `read` reads."""
        return {"task_specific_params": {TASK: asdict(self)}}


class Answerer(ReadingTask):
    """Finds the answers to questions in texts.

    It computes what the question-answering pipeline of transformers 4 did. A long context is read
    in windows. In each, the logits of the first and of the last token become probabilities over
    the context's tokens and the window's first special token, which stands for "no answer". The
    score of an answer is the product of its first and its last token's; an answer is a span of at
    most `max_answer_len` tokens, widened to whole words. Of equal spans in several windows the
    best counts, and the answers of all windows are ranked together.

    A model with a threshold answers with "" where the margin of its best answer is not above that.

    >>> from regard.models import Encoder, encoder_preset
    >>> from regard.text import train_tokenizer
    >>> text = "the old man sees the red house"
    >>> tokenizer = train_tokenizer([text] * 20, vocab_size=400, encoder=True)
    >>> config = encoder_preset("tiny", tokenizer.vocab_size, head="question_answering")
    >>> answerer = Answerer(Encoder(config).eval(), tokenizer)  # not trained: any part may come
    >>> answer = answerer.run([("who sees the house", text)])[0][0]
    >>> answer.text == text[answer.start : answer.end]
    True

    Args:
        model: one that reads texts, with the head "question_answering", in evaluation mode.
        settings: the defaults of `run`.
        name: what to call it in messages.
    """

    head = "question_answering"

    def __init__(
        self,
        model: "nn.Module | ModelHandle",
        tokenizer: Tokenizer,
        *,
        settings: AnswerSettings | None = None,
        name: str = "answerer",
    ):
        super().__init__(model, tokenizer, name=name)
        self.settings = settings or AnswerSettings()

    @classmethod
    def settings_of(cls, checkpoint: Checkpoint, config: "ModelConfig") -> dict[str, Any]:
        return {"settings": AnswerSettings.read(checkpoint)}

    def run_rows(self, rows: Sequence[tuple[str, ...]], **options: Any) -> list[Answers]:
        return self.run([(question, context) for question, context in rows], **options)

    @overload
    def __call__(self, question: str, context: str, **options: Any) -> str: ...
    @overload
    def __call__(self, question: Sequence[Question], **options: Any) -> list[str]: ...
    def __call__(
        self, question: str | Sequence[Question], context: str = "", **options: Any
    ) -> str | list[str]:
        """Return a question and its context → the best answer; a list of both → a list."""
        if isinstance(question, str):
            return self.run([(question, context)], **options)[0][0].text
        return [answers[0].text for answers in self.run(question, **options)]

    def run(
        self,
        questions: Sequence[Question],
        *,
        top_k: int = 1,
        max_answer_len: int | None = None,
        max_seq_len: int | None = None,
        doc_stride: int | None = None,
        or_none: bool | None = None,
        max_question_len: int | None = None,
        align_to_words: bool = True,
        force: bool = False,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[Answers]:
        """Return the `top_k` answers to each question, best first, whatever else is in the list.

        Args:
            questions: each with its context.
            max_answer_len, max_seq_len, doc_stride: see `AnswerSettings`; None takes the model's.
            or_none: "no answer" is one of the answers; its probability is the
                least that a window gives. Without a threshold it is ranked by that. None: exactly
                if the model has a threshold.
            max_question_len: tokens that are read of a question; None: all.
            align_to_words: widen an answer to whole words.
            force: also read questions and contexts in a script that the model does not know.
            batch_size: windows read together.
            progress: called with the number of questions just finished.

        Raises:
            BadArgumentError: an empty question or context, one in another script, or a question
                that fills the window.
        """
        AnswerOptions(top_k=top_k, max_answer_len=max_answer_len, or_none=or_none)
        asked = dict(max_answer_len=max_answer_len, max_seq_len=max_seq_len, doc_stride=doc_stride)
        changes = {name: value for name, value in asked.items() if value is not None}
        settings = replace(self.settings, **changes)
        length = min(settings.max_seq_len, self._reader.max_length)
        stride = min(settings.doc_stride, length // 2)
        threshold = settings.no_answer_threshold

        def read(question: Question) -> tuple[TokenPair, list[list[int]]]:
            encoding = self._encoding(*question, max_question_len, force=force)
            pair = TokenPair.of(encoding, whole_words=align_to_words)
            return pair, windows(encoding, length, stride)

        pairs = read_each(read, questions)

        groups = [[_tokens(pair, window) for window in its] for pair, its in pairs]
        outputs = self.computed(groups, self.token_outputs, batch_size, progress)
        options: dict[str, Any] = {
            "top_k": top_k, "longest": settings.max_answer_len, "threshold": threshold,
            "or_none": threshold is not None if or_none is None else or_none,
        }  # fmt: skip
        return [
            Answers(
                [
                    Answer(context[span.start : span.end], *astuple(span))
                    for span in best_spans(pair, context, its, logits, **options)
                ]
            )
            for (_, context), (pair, its), logits in zip(questions, pairs, outputs, strict=True)
        ]

    def trace(
        self, question: str, context: str | None = None, *, looks: "Looks" = (), keep: str = "auto"
    ) -> "Trace":
        """Read a question and its context and keep what every attention layer was given.

        The notes say at which tokens the answer is likeliest to begin and to end; these are the
        two steps of an ablation.

        Args:
            context: the text that may hold the answer; None reads the question alone.
            looks: what a position sees alone, in every head and layer: {10: 1} by number, {"it":
                "animal"} by word, {"encoder.layers.2.self:1:10": 1} in one head.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: no question, or more tokens than the model reads at a time.
        """
        ends = {"the answer begins with": 0, "the answer ends with": 1}
        return self._reader.trace(
            question, context, answers=lambda ids: ends, looks=looks, keep=keep
        )

    def _encoding(
        self, question: str, context: str, longest: int | None, *, force: bool
    ) -> Encoding:
        both = (("question", question), ("context", context))
        for what, text in both:
            if not (text.strip() and self.tokenizer.encode(text)):
                raise BadArgumentError(f"a {what} must contain words; got {text!r}.")
        encoding = self.tokenizer.inputs(question, context)
        if not (force or self.tokenizer.unknown_ids.isdisjoint(encoding.ids)):
            for what, text in both:
                check_known(text, self.tokenizer, self.name, what=what)
        if longest is None:
            return encoding
        texts, offsets = encoding.sequence_ids, encoding.offsets
        ends = [end for text, (_, end) in zip(texts, offsets, strict=True) if text == 0]
        return self.tokenizer.inputs(question[: ends[:longest][-1]], context)


def _tokens(pair: TokenPair, window: Sequence[int]) -> Tokens:
    return Tokens([pair.ids[k] for k in window], [pair.token_type_ids[k] for k in window])
