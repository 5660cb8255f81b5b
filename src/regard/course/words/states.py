"""The vector of a word where it stands: static, after attention without parameters, or in each
layer of a model."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from regard.attention import attend
from regard.attention.scores import scaled
from regard.checkpoints import CheckpointLike, from_pretrained, open_checkpoint
from regard.course.words import WordVectors
from regard.course.words.segmentation import split_words
from regard.engine.batching import by_length
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.watching import watching
from regard.models import Encoder, EncoderDecoder
from regard.models.layers import Stack
from regard.tasks import catalog
from regard.tasks.kinds import describe, kind_of
from regard.text import Tokenizer

Layers = dict[str, NDArray[np.float32]]
"""Name of a layer → (occurrences, dim)."""

COLDEST = 1e-30  # a temperature; float32 scores divided by much less are infinite


@dataclass(frozen=True)
class Occurrence:
    """A word in its text: `text[start:end]`."""

    text: str
    start: int
    end: int
    sense: str | None = None  # where the text says so

    @property
    def word(self) -> str:
        return self.text[self.start : self.end]


def static_states(vectors: WordVectors, occurrences: Sequence[Occurrence]) -> Layers:
    """Return static vector of the word, for each occurrence. Raises NotFoundError if it has
    none."""
    return {"static": vectors.rows(occurrence.word for occurrence in occurrences)}


def attention_states(
    vectors: WordVectors, occurrences: Sequence[Occurrence], *, temperature: float | None = None
) -> Layers:
    """softmax(x · xᵀ / temperature) x, at the word's place, over the words x of its text.

    Words without a vector are passed over.

    Args:
        temperature: √dim if not given, as in the Transformer.
    """
    temperature = vectors.dim**0.5 if temperature is None else temperature
    if not temperature >= COLDEST:
        raise BadArgumentError(f"temperature must be at least {COLDEST:g}; got {temperature:g}.")
    score = scaled(1 / temperature)
    states = []
    for occurrence in occurrences:
        query = torch.from_numpy(vectors[occurrence.word][None])
        text = occurrence.text
        around = split_words(text[: occurrence.start]) + split_words(text[occurrence.end :])
        others = vectors.rows(word for word in around if word in vectors)
        keys = torch.cat([query, torch.from_numpy(others)])
        states.append(attend(query, keys, keys, score=score)[0].numpy())
    return {"attention": np.stack(states)}


@dataclass(frozen=True)
class _Read:
    """A text as the model reads it, and which of its tokens are the word's."""

    ids: list[int]
    places: list[int]


class WordReader:
    """Gives the states of words in every layer of an encoder."""

    def __init__(self, model: Encoder | EncoderDecoder, tokenizer: Tokenizer, *, name: str):
        self.model, self.tokenizer, self.name = model, tokenizer, name
        self.max_length = tokenizer.longest(model.config.max_positions)

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None) -> "WordReader":
        """Open a model folder. Raises UnsupportedError for a model without an encoder."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        if checkpoint.architecture not in ("EncoderDecoder", "Encoder"):
            needed = "to read words in context, give an encoder, such as BERT, or a translator"
            kind = kind_of(checkpoint)
            raise UnsupportedError(catalog.wrong_kind(name, describe(checkpoint), kind, needed))
        model = cast(Encoder | EncoderDecoder, from_pretrained(checkpoint))
        return cls(model, checkpoint.tokenizers.source, name=name)

    @property
    def layers(self) -> list[str]:
        """Names of the layers, from the embedding up."""
        return [layer_name(k) for k in range(len(self.model.encoder.layers) + 1)]

    def states(
        self,
        occurrences: Sequence[Occurrence],
        *,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Layers:
        """Return the mean over the word's subwords of their states, in each layer.

        "embedding" is what the lowest layer is given: the subword's vector and its position's.
        """
        reads = [self._read(occurrence) for occurrence in occurrences]
        batches = by_length(
            [[read] for read in reads],
            self._states,
            length=lambda read: len(read.ids),
            batch_size=batch_size,
            progress=progress,
        )
        every = np.stack([states for [states] in batches], axis=1)  # (layers, occurrences, d_model)
        return dict(zip(self.layers, every, strict=True))

    def _read(self, occurrence: Occurrence) -> _Read:
        encoding = self.tokenizer.inputs(occurrence.text)
        ids, texts = encoding.ids, encoding.sequence_ids  # each a copy of the whole list
        pieces = [
            k
            for k, (start, end) in enumerate(encoding.offsets)
            if texts[k] is not None and start < occurrence.end and end > occurrence.start
        ]
        if not pieces:
            raise UnsupportedError(
                f"{self.name} has no token for {occurrence.word!r}: it leaves this word out."
            )
        special = [k for k, text in enumerate(texts) if text is None]
        room = self.max_length - len(special)
        inside = [k for k, text in enumerate(texts) if text is not None]
        # Of a longer text what is around the word.
        first = max(0, min(inside.index(pieces[0]) - room // 2, len(inside) - room))
        window = sorted(special + inside[first : first + room])
        theirs = set(pieces)
        places = [place for place, k in enumerate(window) if k in theirs]
        return _Read([ids[k] for k in window], places)

    @torch.inference_mode()
    def _states(self, batch: list[_Read]) -> list[NDArray[np.float32]]:
        rows = [torch.tensor(read.ids) for read in batch]
        ids = pad_sequence(rows, batch_first=True, padding_value=self.model.config.pad_id or 0)
        attention_mask = pad_sequence(
            [torch.ones_like(row).bool() for row in rows], batch_first=True
        )
        with _inputs_of_layers(self.model.encoder) as layers:
            if isinstance(self.model, EncoderDecoder):
                self.model.encode(ids)
            else:
                self.model.hidden(ids, attention_mask=attention_mask)
        states = torch.stack(layers)  # (layers, batch, length, d_model)
        return [states[:, k, read.places].mean(1).numpy() for k, read in enumerate(batch)]


def layer_name(number: int) -> str:
    """ "embedding" for 0, "layer 1" for the lowest layer, and so on."""
    return f"layer {number}" if number else "embedding"


@contextmanager
def _inputs_of_layers(stack: Stack) -> Iterator[list[Tensor]]:
    """Return the input of each layer of a stack, from the lowest up, and the output of the
    stack."""
    states: list[Tensor] = []

    def before(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        states.append(args[0])

    def after(stack: nn.Module, args: tuple[Any, ...], output: Tensor) -> None:
        states.append(output)

    with watching(stack.layers, before=before), watching([stack], after=after):
        yield states
