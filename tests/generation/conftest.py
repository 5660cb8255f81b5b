"""A language model small enough to work out by hand."""

import pytest
import torch
from torch import Tensor

EOS, START = 0, 1


class MarkovDecoder:
    """The next token depends on the sentence and the last token only: tables[sentence, last]."""

    def __init__(self, tables: Tensor):
        self.tables = tables  # (sentences, vocab, vocab) logits
        self.sentences = torch.arange(len(tables))  # of each row
        self.rows_read: list[int] = []  # at each step

    def step(self, tokens: Tensor) -> Tensor:
        assert tokens.shape[0] == len(self.sentences)
        self.rows_read.append(len(tokens))
        last = tokens if tokens.dim() == 1 else tokens[:, -1]
        return self.tables[self.sentences, last]

    def select(self, rows: Tensor) -> None:
        self.sentences = self.sentences[rows]

    @staticmethod
    def random(sentences: int, vocab: int, seed: int, *, eos: float = 0.0) -> "MarkovDecoder":
        """Tables of Gaussian logits; `eos` makes the end of the sentence likelier."""
        generator = torch.Generator().manual_seed(seed)
        tables = 2 * torch.randn(sentences, vocab, vocab, generator=generator)
        tables[:, :, EOS] += eos
        return MarkovDecoder(tables)

    def again(self, *sentences: int) -> "MarkovDecoder":
        """A fresh decoder of these sentences, or of all."""
        return MarkovDecoder(self.tables[list(sentences)] if sentences else self.tables)

    def teacher_forced(self, sentence: int, tokens: tuple[int, ...]) -> list[float]:
        """The log-probability of each token, from the table."""
        log_probs = self.tables[sentence].log_softmax(-1)
        return [float(log_probs[a, b]) for a, b in zip((START, *tokens), tokens, strict=False)]


@pytest.fixture
def markov() -> type[MarkovDecoder]:
    return MarkovDecoder
