"""A model that reads for its head: texts to the ids that it is given, and these in batches."""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array
from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.checkpoints.families import READERS, titles
from regard.checkpoints.heads import READER_HEADS, ending_of
from regard.engine.batching import by_length
from regard.engine.handle import ModelHandle
from regard.engine.task import Task, check_text
from regard.errors import UnsupportedError
from regard.lazy import torch
from regard.text import Tokenizer
from regard.text.cutting import cut

if TYPE_CHECKING:
    from torch import Tensor, nn

    from regard.inspection import Trace
    from regard.inspection.hiding import Looks
    from regard.models import Encoder, TextReader
    from regard.models.configs.config import ModelConfig

Result = TypeVar("Result")

READ_BY_ALL = tuple(READER_HEADS.values())  # heads that models that write have too


@dataclass(frozen=True)
class Tokens:
    """Tokens of one text or two, as the model reads them."""

    ids: list[int]  # special tokens included
    token_type_ids: list[int]  # the kind of each: 0, or 1 of a second text
    truncated: bool = False  # the text was longer

    @property
    def first(self) -> int:
        """The length of the first text, with the special tokens around it."""
        return len(self.ids) - sum(self.token_type_ids)


@dataclass(frozen=True)
class Batch:
    """Texts as the model takes them, padded on the right; each is (batch, length), of torch or of
    numpy."""

    ids: Array
    token_type_ids: Array | None  # None: the model has one kind only
    attention_mask: Array  # False for padding

    def to(self, device: "torch.device | str") -> "Batch":
        """Tensors on a device."""
        found = {
            name: None if each is None else torch.as_tensor(each).to(device, non_blocking=True)
            for name, each in vars(self).items()
        }
        return Batch(**found)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays for the native engine, by name."""
        present = {name: each for name, each in vars(self).items() if each is not None}
        return {
            name: each if isinstance(each, np.ndarray) else each.cpu().numpy()
            for name, each in present.items()
        }


def inputs_of(model: Any, batch: Batch) -> "dict[str, Tensor]":
    """Tensors for the model's forward, by name."""
    return model.reading(batch.ids, batch.attention_mask, batch.token_type_ids)


def kinds_of_tokens(config: "ModelConfig") -> int:
    """Return number of kinds of tokens that a model tells apart, such as a question's and a
    context's."""
    return getattr(config, "token_types", None) or 1


class Reader:
    """A model that reads a text, with its tokenizer.

    Args:
        model: in evaluation mode; or a handle, which may load it later.
        head: that it must have, by the name in its config; None: any of an encoder will do.
        name: what to call it in messages.

    Raises:
        UnsupportedError: another kind of model, or without that head.
    """

    def __init__(
        self,
        model: "nn.Module | ModelHandle",
        tokenizer: Tokenizer,
        *,
        head: str | None = None,
        name: str,
    ):
        self.handle = ModelHandle.of(model)
        if self.handle.architecture not in _readers(head):
            raise _no_reader(name, self.handle.architecture, head)
        config = self.handle.config
        if head is not None:
            _check_head(config, head, name)
        self.tokenizer = tokenizer.for_table(config.vocab_size)
        self.name = name
        self.max_length = tokenizer.longest(config.room)  # special ones included

    def tokens(
        self, text: str, pair: str | None = None, *, special_in_text: bool = False
    ) -> Tokens:
        """Return a text or two, cut where they have more than `max_length` tokens.

        Args:
            special_in_text: read "[MASK]" in the text as that token.
        """
        encoding = self.tokenizer.inputs(text, pair, special_in_text=special_in_text)
        places = cut(encoding, self.max_length, self.tokenizer.truncation_side)
        ids, token_type_ids = encoding.ids, encoding.type_ids  # each a copy of the whole list
        return Tokens(
            [ids[k] for k in places],
            [token_type_ids[k] for k in places],
            truncated=len(places) < len(ids),
        )

    def run(
        self,
        groups: Sequence[Sequence[Tokens]],
        compute: Callable[[Batch], Iterable[Result]],
        *,
        batch_size: int,
        workers: int = 1,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[list[Result]]:
        """`compute` of all tokens in batches, a result for each in its group.

        Args:
            workers: batches computed at the same time.
            progress: called with the number of groups just finished.
        """

        def computed(batch: list[Tokens]) -> list[Result]:
            return list(compute(self.batch(batch)))

        return by_length(
            groups,
            computed,
            length=lambda tokens: len(tokens.ids),
            batch_size=batch_size,
            workers=workers,
            progress=progress,
        )

    def batch(self, texts: Sequence[Tokens]) -> Batch:
        """Texts as arrays of numpy."""
        config = self.handle.config
        several = kinds_of_tokens(config) > 1
        return Batch(
            _padded([text.ids for text in texts], config.pad_id or 0),
            _padded([text.token_type_ids for text in texts], 0) if several else None,
            _padded([[1] * len(text.ids) for text in texts], 0).astype(np.bool_),
        )

    def trace(
        self,
        text: str,
        pair: str | None = None,
        *,
        special_in_text: bool = False,
        answers: Callable[[list[int]], Mapping[str, int]] = lambda ids: {},
        looks: "Looks" = (),
        keep: str = "auto",
    ) -> "Trace":
        """Return the trace of a text, or of two together.

        Args:
            special_in_text: read "[MASK]" in the text as that token.
            answers: the text's ids → steps of the logits to name in the notes; see `traced`.
        """
        encoding = self.tokenizer.inputs(text, pair, special_in_text=special_in_text)
        ids = list(encoding.ids)
        check_text(ids if text.strip() else [], self.max_length, self.name)
        from regard.inspection.models import no_changes, switched_off, traced

        model = self.handle.engine.seen(self.handle)

        def whole() -> "Trace":
            return self.trace(text, pair, special_in_text=special_in_text)

        lengths = dict.fromkeys(model.axes, len(ids))
        off = switched_off(model, (), lengths, looks, whole)
        batch = self.batch([Tokens(ids, encoding.type_ids)])
        with no_changes(model):
            return traced(
                model,
                inputs_of(model, batch),
                tokenizer=self.tokenizer,
                name=self.name,
                text=text if pair is None else f"{text} {pair}",
                answers=answers(ids),
                without=off,
                keep=keep,
            )


def _padded(rows: Sequence[Sequence[int]], value: int) -> NDArray[np.int64]:
    padded = np.full((len(rows), max(map(len, rows))), value, np.int64)
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded


class ReadingTask(Task):
    """A task by a model that reads texts for its head.

    Args:
        model: in evaluation mode; or a handle, which may load it later.
        name: what to call it in messages.
    """

    head: ClassVar[str | None] = None  # None: any of an encoder

    def __init__(self, model: "nn.Module | ModelHandle", tokenizer: Tokenizer, *, name: str):
        self._reader = Reader(model, tokenizer, head=self.head, name=name)
        self.handle, self.tokenizer, self.name = self._reader.handle, self._reader.tokenizer, name

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """Return the model of a folder, with its tokenizer and settings."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        handle, tokenizer = load_reader(checkpoint, head=cls.head, name=name, lazily=lazily)
        return cls(handle, tokenizer, name=name, **cls.settings_of(checkpoint, handle.config))

    @classmethod
    def settings_of(cls, checkpoint: Checkpoint, config: "ModelConfig") -> dict[str, Any]:
        """Return the other arguments of the task, by the files of a checkpoint."""
        return {}

    def computed(
        self,
        groups: Sequence[Sequence[Tokens]],
        compute: Callable[[Batch], Iterable[Result]],
        batch_size: int,
        progress: Callable[[int], None],
    ) -> list[list[Result]]:
        """`Reader.run` with as many batches at a time as the engine computes."""
        workers = self.engine.workers
        return self._reader.run(
            groups, compute, batch_size=batch_size, workers=workers, progress=progress
        )

    @property
    def model(self) -> "TextReader":
        """The model itself, whatever computes; loaded when it is first asked for."""
        model: TextReader = self.handle.model
        return model

    @property
    def room(self) -> int:
        """Tokens that are read of a text, special ones included."""
        return self._reader.max_length

    def run_by(self, engine: str = "auto", **settings: Any) -> Self:
        other = super().run_by(engine, **settings)
        other._reader = copy.copy(self._reader)
        other._reader.handle = other.handle
        return other

    def reading_at_most(self, tokens: int) -> Self:
        """Return the same task, which reads no more tokens of a text than this, special ones
        included."""
        other = copy.copy(self)
        other._reader = copy.copy(self._reader)
        other._reader.max_length = min(tokens, self._reader.max_length)
        return other

    def outputs(self, batch: Batch) -> NDArray[np.float32]:
        """Return the head's output, by the engine; its shape is in the docstring of the model's
        class."""
        return self.engine(**batch.arrays())

    def token_outputs(self, batch: Batch) -> Iterator[NDArray[np.float32]]:
        """Return the head's output for the tokens of each text, (length, …), without that of
        padding."""
        lengths = batch.attention_mask.sum(1).tolist()
        return (row[:n] for row, n in zip(self.outputs(batch), lengths, strict=True))


class EncoderTask(ReadingTask):
    """A task that uses the states of an encoder."""

    @property
    def model(self) -> "Encoder":
        """The model itself, whatever computes; loaded when it is first asked for."""
        model: Encoder = self.handle.model
        return model

    def hidden(self, batch: Batch) -> Array:
        """Return the last layer's states, (batch, length, d_model): a tensor where the model itself
        computes, an array where the native engine does."""
        return self.engine.hidden(**batch.arrays())


def load_reader(
    checkpoint: Checkpoint, *, head: str | None, name: str, lazily: bool = False
) -> tuple[ModelHandle, Tokenizer]:
    """Return a model with this head, which need not be an encoder, and its tokenizer; any other
    model is refused before its weights are read.

    Args:
        head: None: an encoder with any head.
        lazily: as `ModelHandle.of_checkpoint` takes it.
    """
    if checkpoint.architecture not in _readers(head):
        raise _no_reader(name, f"{checkpoint.settings['model_type']} model", head)

    def check(config: "ModelConfig") -> None:
        if head is not None:
            _check_head(config, head, name)

    handle = ModelHandle.of_checkpoint(checkpoint, check=check, lazily=lazily)
    return handle, checkpoint.tokenizers.source.for_table(handle.config.vocab_size)


def load_encoder(checkpoint: Checkpoint, *, name: str) -> "tuple[Encoder, Tokenizer]":
    """Return an encoder and its tokenizer; any other model is refused before its weights are
    read."""
    handle, tokenizer = load_reader(checkpoint, head=None, name=name)
    return handle.model, tokenizer


def _check_head(config: "ModelConfig", head: str, name: str) -> None:
    if config.head != head:
        raise UnsupportedError(
            f"{name} must be a model with the head {head!r} (…{ending_of(head)}); its head is"
            f" {config.head!r}. Give a checkpoint that was trained for this."
        )


def _readers(head: str | None) -> tuple[str, ...]:
    """Return the classes of models that have this head."""
    return READERS if head in READ_BY_ALL else ("Encoder",)


def _no_reader(name: str, kind: str, head: str | None) -> UnsupportedError:
    if head in READ_BY_ALL:
        return UnsupportedError(
            f"{name} must be a model that reads texts for a head ({titles(*READERS, headed=True)}:"
            f" …{ending_of(head)}); it is a {kind}. Give the folder of such a model."
        )
    return UnsupportedError(
        f"{name} must be an encoder ({titles('Encoder')}); it is a {kind}."
        " Give the folder of an encoder."
    )
