"""A running decode of each kind of model that writes: what generation calls a `Decoder`."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.attention import Padding
from regard.errors import BadArgumentError
from regard.models.layers import LayerCache
from regard.models.layers.recurrent import State

if TYPE_CHECKING:
    from regard.models.decoder import Decoder
    from regard.models.encoder_decoder import EncoderDecoder
    from regard.models.recurrent import RecurrentEncoderDecoder


class TextState:
    """State of a model that continues texts: the caches of its layers, one row for each text."""

    def __init__(self, model: "Decoder", attention_mask: Tensor | None = None):
        self.model = model
        self.attention_mask = attention_mask  # of everything read; None where nothing is padding
        self.caches = [LayerCache() for _ in model.decoder.layers]

    @property
    def length(self) -> int:
        """Number of tokens that each row has read, padding included."""
        return self.caches[0].self_attention.length

    def step(self, tokens: Tensor) -> Tensor:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        tokens = tokens.view(len(tokens), -1)
        if self.attention_mask is not None:
            if self.length:
                new = torch.ones_like(tokens, dtype=torch.bool)
                self.attention_mask = torch.cat([self.attention_mask, new], 1)
            else:
                tokens, self.attention_mask = left_padded(tokens, self.attention_mask)
        hidden = self.model.hidden(tokens, self.attention_mask, self.caches)
        return self.model.logits(hidden[:, -1])

    def select(self, rows: Tensor) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        for cache in self.caches:
            cache.self_attention.select(rows)
        if self.attention_mask is not None:
            self.attention_mask = self.attention_mask.index_select(0, rows)


class PairState:
    """State of an encoder–decoder: memory and layers' caches, one row for each hypothesis."""

    def __init__(self, model: "EncoderDecoder", source: Tensor):
        self.model = model
        self.memory, self.memory_mask = model.encode(source)
        self.attention_mask = model.not_padding(source)
        self.sentence = torch.arange(len(source), device=source.device)  # of each row
        self.caches = [LayerCache() for _ in model.decoder.layers]

    def step(self, tokens: Tensor) -> Tensor:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        tokens = tokens.view(len(tokens), -1)
        hidden = self.model.decode(tokens, self.memory, self.memory_mask, self.caches)
        return self.model.logits(hidden[:, -1])

    def select(self, rows: Tensor) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        for cache in self.caches:
            cache.self_attention.select(rows)
        sentence = self.sentence.index_select(0, rows)
        if torch.equal(sentence, self.sentence):
            return  # beams were reordered within their sentences, which share a memory
        self.sentence = sentence
        self.memory = self.memory.index_select(0, rows)
        self.attention_mask = self.attention_mask.index_select(0, rows)
        if self.memory_mask is not None:
            self.memory_mask = Padding(self.attention_mask)
        for cache in self.caches:
            cache.cross_attention.select(rows)


class RecurrentState:
    """State of a recurrent encoder–decoder: memory and cells, one row for each hypothesis."""

    def __init__(self, model: "RecurrentEncoderDecoder", source: Tensor):
        self.model = model
        self.memory = model.encode(source)
        self.state: State = model.decoder.start(self.memory.last)
        self.sentence = torch.arange(len(source), device=source.device)  # of each row

    def step(self, tokens: Tensor) -> Tensor:
        """Reads tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        if tokens.dim() == 1:
            tokens = tokens[:, None]
        hidden, self.state = self.model.decoder(tokens, self.memory, self.state)
        return self.model.logits(hidden[:, -1])

    def select(self, rows: Tensor) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        self.state = tuple(part.index_select(1, rows) for part in self.state)
        sentence = self.sentence.index_select(0, rows)
        if not torch.equal(sentence, self.sentence):  # else beams were reordered within sentences
            self.sentence, self.memory = sentence, self.memory.select(rows)


def left_padded(tokens: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor | None]:
    """The prompt with its padding moved to the left, so that new tokens follow its last one.

    Args:
        tokens, attention_mask: (batch, length) each.

    Returns:
        both; None for the mask of a prompt without padding.
    """
    check_attention_mask(attention_mask, tuple(tokens.shape))
    if bool(attention_mask.all()):
        return tokens, None
    attention_mask, order = attention_mask.sort(dim=1, stable=True)  # False, padding, first
    return tokens.gather(1, order), attention_mask


def check_attention_mask(attention_mask: Tensor, shape: tuple[int, ...]) -> None:
    """Raises BadArgumentError unless the mask is boolean and of this shape, (batch, length)."""
    if attention_mask.dtype != torch.bool or attention_mask.shape != shape:
        raise BadArgumentError(
            f"attention_mask must be boolean, True for tokens, with the shape {shape} of the ids;"
            f" got {attention_mask.dtype} {tuple(attention_mask.shape)}."
        )


def check_documents(documents: Tensor, ids: Tensor, *others: object) -> None:
    """Raises BadArgumentError unless documents have the ids' shape, (batch, length), and the others
    are None."""
    if documents.shape != ids.shape or any(other is not None for other in others):
        raise BadArgumentError(
            f"documents must have the shape {tuple(ids.shape)} of the ids, and come without"
            f" attention_mask and caches; got {tuple(documents.shape)}."
        )


def positions_of_tokens(attention_mask: Tensor) -> Tensor:
    """Number of tokens before each, (batch, length); padding does not count.

    Args:
        attention_mask: (batch, length), True for a token.
    """
    return (attention_mask.cumsum(1) - 1).clamp(min=0)


def positions_within(documents: Tensor) -> Tensor:
    """Distance of each token from the first of its document, (batch, length).

    Args:
        documents: (batch, length), the number of each token's document, which never falls.
    """
    index = torch.arange(documents.shape[1], device=documents.device).expand_as(documents)
    begins = torch.ones_like(documents, dtype=torch.bool)
    begins[:, 1:] = documents[:, 1:] != documents[:, :-1]
    return index - (index * begins).cummax(1).values
