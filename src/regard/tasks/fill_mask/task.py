"""Masked words: what a model that was trained to guess them would put there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.arrays import Array, arrays_of, as_numpy
from regard.engine.batching import read_each
from regard.engine.handle import ModelHandle
from regard.engine.reading import Batch, EncoderTask, Tokens
from regard.errors import BadArgumentError
from regard.inspection import Trace
from regard.inspection.hiding import Looks
from regard.text import Tokenizer

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class Filling:
    """A token for one mask."""

    score: float  # its probability there
    token: int  # its id
    token_str: str
    sequence: str  # the text with it; other masks stay


class MaskFiller(EncoderTask):
    """Guesses the words that a text's masks stand for.

    >>> from regard.models import Encoder, encoder_preset
    >>> from regard.text import train_tokenizer
    >>> tokenizer = train_tokenizer(["the old man sees it"] * 20, vocab_size=400, encoder=True)
    >>> config = encoder_preset("tiny", tokenizer.vocab_size, head="masked_lm")
    >>> filler = MaskFiller(Encoder(config).eval(), tokenizer)  # not trained: any token may come
    >>> guesses = filler.run([f"the {filler.mask} man"], top_k=3)[0][0]
    >>> len(guesses), guesses[0].score >= guesses[1].score
    (3, True)

    Args:
        model: an encoder with the head "masked_lm", in evaluation mode.
        tokenizer: names its mask: "[MASK]", "<mask>".
        name: what to call it in messages.
    """

    head = "masked_lm"

    def __init__(
        self, model: "nn.Module | ModelHandle", tokenizer: Tokenizer, *, name: str = "mask filler"
    ):
        super().__init__(model, tokenizer, name=name)
        self._mask_id = tokenizer.special_id("mask")

    @property
    def mask(self) -> str:
        """The token that stands for a word to guess."""
        return self.tokenizer.special["mask"]

    def __call__(self, text: str | Sequence[str], **options: Any) -> str | list[str]:
        """One text → the text with the likeliest token for each of its masks; a list → a list."""
        texts = [text] if isinstance(text, str) else text
        filled = [
            self._filled(self._tokens(each).ids, [guesses[0].token for guesses in found])
            for each, found in zip(texts, self.run(texts, top_k=1, **options), strict=True)
        ]
        return filled[0] if isinstance(text, str) else filled

    def run(
        self,
        texts: Sequence[str],
        *,
        top_k: int = 5,
        targets: Sequence[int] | None = None,
        truncation: bool = False,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[list[list[Filling]]]:
        """For each text, for each of its masks: the `top_k` likeliest tokens, best first.

        Every mask is guessed by itself, with the others masked.

        Args:
            targets: ids of the only tokens to choose among; a score stays the probability among
                all. None: all.
            truncation: cut a text that is too long, where otherwise it is refused.
            batch_size: texts read together.
            progress: called with the number of texts just finished.

        Raises:
            BadArgumentError: a text without a mask, or with more tokens than the model has
                positions.
        """
        every = range(self.handle.config.vocab_size)
        chosen = np.array(every if targets is None else sorted(set(targets)))
        top_k = min(top_k, len(chosen))

        def compute(batch: Batch) -> list[tuple[Array, Array]]:
            masked, states = batch.ids == self._mask_id, self.hidden(batch)
            arrays = arrays_of(states)
            # The vocabulary is wide: only the masks' states go through the head.
            logits = self.logits(states[arrays.array(masked, like=states)])
            scores = arrays.softmax(arrays.floats(logits))
            best = arrays.best(arrays.select(scores, arrays.array(chosen, like=scores), 1), top_k)
            values, places = map(as_numpy, best)
            ends = masked.sum(1).cumsum()[:-1]
            return list(zip(np.split(values, ends), np.split(chosen[places], ends), strict=True))

        tokens = read_each(lambda text: self._tokens(text, truncation), texts)
        groups = [[each] for each in tokens]
        found = self.computed(groups, compute, batch_size, progress)
        return [
            [
                self._fillings(text.ids, number, values.tolist(), indices.tolist())
                for number, (values, indices) in enumerate(zip(*best, strict=True))
            ]
            for text, [best] in zip(tokens, found, strict=True)
        ]

    def logits(self, states: Array) -> Array:
        """States of masks, (masks, d_model) → (masks, vocab), by the engine."""
        return self.engine.head(states[None])[0]

    def trace(self, text: str, *, looks: Looks = (), keep: str = "auto") -> Trace:
        """Read a text, with or without masks, and keep what every attention layer was given.

        The notes say what is likeliest at each mask.

        Args:
            looks: what a position sees alone, in every head and layer: {10: 1} by number, {"it":
                "animal"} by word, {"encoder.layers.2.self:1:10": 1} in one head.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: no text, or one with more tokens than the model has positions.
        """

        def masks(ids: list[int]) -> dict[str, int]:
            places = (place for place, id_ in enumerate(ids) if id_ == self._mask_id)
            return {f"{self.mask} at {place}": place for place in places}

        return self._reader.trace(text, special_in_text=True, answers=masks, looks=looks, keep=keep)

    def _tokens(self, text: str, truncation: bool = False) -> Tokens:
        tokens = self._reader.tokens(text, special_in_text=True)
        if tokens.truncated and not truncation:
            length = len(self.tokenizer.inputs(text, special_in_text=True).ids)
            raise BadArgumentError(
                f"a text may have {self._reader.max_length} tokens with {self.name}; got one of"
                f" {length} ({text[:40]!r} …). Shorten it."
            )
        if self._mask_id not in tokens.ids:
            raise BadArgumentError(f"a text must contain a {self.mask} to fill; got {text!r}.")
        return tokens

    def _fillings(
        self, ids: list[int], number: int, scores: list[float], tokens: list[int]
    ) -> list[Filling]:
        """Return the guesses for the mask of this number."""
        masks = [k for k, id_ in enumerate(ids) if id_ == self._mask_id]
        found = []
        for score, token in zip(scores, tokens, strict=True):
            text = [*ids]
            text[masks[number]] = token
            text = [id_ for id_ in text if id_ != self.handle.config.pad_id]  # it may be guessed
            # Other masks are special tokens, and shown: a text without them would say too much.
            sequence = self.tokenizer.backend.decode(text, skip_special_tokens=len(masks) == 1)
            token_str = self.tokenizer.backend.decode([token], skip_special_tokens=False)
            found.append(Filling(score, token, token_str, sequence))
        return found

    def _filled(self, ids: list[int], tokens: Sequence[int]) -> str:
        guesses = iter(tokens)
        return self.tokenizer.decode(next(guesses) if i == self._mask_id else i for i in ids)
