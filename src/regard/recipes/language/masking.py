"""Whole-word masking: which words of a batch are hidden, and what stands in their place."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from regard.recipes.encoded import EncodedBatch
from regard.text import Tokenizer

MASKED, CHANGED = 0.8, 0.1  # of the chosen tokens; the others stay as they are


@dataclass(frozen=True)
class MaskedBatch:
    """Texts with hidden words, and the tokens that stood there."""

    inputs: EncodedBatch
    chosen: Tensor  # (batch, length), True where the model has to predict
    targets: Tensor  # (masked,), in the order of `chosen`


@dataclass(frozen=True)
class Masking:
    """Devlin et al. 2019, section 3.1, with whole words, as in the authors' later models: of the
    chosen tokens 80 % become the mask, 10 % a random token and 10 % stay.

    Words are chosen in random order until `share` of the text's tokens are; one that would exceed
    it is passed over, unless it is the first.
    """

    begins: NDArray[np.bool_]  # (vocab,), whether a token begins a word
    special: NDArray[np.bool_]  # (vocab,), tokens that are never hidden, nor put in
    mask_id: int
    share: float
    seed: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, *, share: float, seed: int) -> "Masking":
        """Return a masking of texts in this tokenizer's ids."""
        every = tokenizer.tokens(range(tokenizer.vocab_size))
        reserved = set(tokenizer.special_names()) | set(tokenizer.special.values())
        return cls(
            begins=np.array([tokenizer.starts_word(token) for token in every]),
            special=np.array([token in reserved for token in every]),
            mask_id=tokenizer.special_id("mask"),
            share=share,
            seed=seed,
        )

    def masked(self, batch: EncodedBatch, step: int, *, part: int = 0) -> MaskedBatch:
        """A batch with hidden words, which follow from the seed, the step and the part.

        Args:
            part: 0 to train, another number for what must differ from it.
        """
        draw = np.random.default_rng([self.seed, step, 2, part])
        ids = batch.inputs.ids.numpy()
        chosen = np.zeros(ids.shape, np.bool_)
        words = batch.inputs.attention_mask.numpy() & ~self.special[ids]
        for row in range(len(ids)):
            own = np.flatnonzero(words[row])
            if len(own):
                chosen[row, self._choose(ids[row], own, draw)] = True
        hidden = ids.copy()
        dice = draw.random(ids.shape)
        hidden[chosen & (dice < MASKED)] = self.mask_id
        changed = chosen & (dice >= MASKED) & (dice < MASKED + CHANGED)
        hidden[changed] = draw.choice(np.flatnonzero(~self.special), int(changed.sum()))
        return MaskedBatch(
            replace(batch, inputs=replace(batch.inputs, ids=torch.from_numpy(hidden))),
            torch.from_numpy(chosen),
            torch.from_numpy(ids[chosen]),
        )

    def _choose(
        self, ids: NDArray[np.int64], own: NDArray[np.int64], draw: np.random.Generator
    ) -> NDArray[np.int64]:
        """The positions of the chosen words among `own`, those of a text's tokens."""
        starts = self.begins[ids[own]]
        starts[0] = True
        # A special token, such as that of the unknown word, ends the word before it.
        starts[1:] |= np.diff(own) > 1
        words = np.split(own, np.flatnonzero(starts)[1:])
        wanted = max(1, round(self.share * len(own)))
        found: list[NDArray[np.int64]] = []
        count = 0
        for number in draw.permutation(len(words)):
            word = words[number]
            if count and count + len(word) > wanted:
                continue
            found.append(word)
            count += len(word)
            if count >= wanted:
                break
        return np.concatenate(found)
