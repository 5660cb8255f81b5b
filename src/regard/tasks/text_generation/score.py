"""Scores of language models on a text."""

import hashlib
import math
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from regard.arrays import finite
from regard.data.documents import Piece
from regard.data.store import Ids
from regard.errors import BadArgumentError
from regard.tasks.text_generation.blocks import BlockBatch, cut_blocks
from regard.tasks.text_generation.read import Documents, write_tokens
from regard.tasks.text_generation.task import Writer
from regard.tasks.text_generation.train_options import TextEvaluationOptions
from regard.text import Tokenizer
from regard.training.evaluation import Evaluator, Progress, no_progress
from regard.training.resampling import Scored

_TOKENS_AT_ONCE = 16_384
_LONGEST = 1024  # tokens of a block, for models without a limit


@dataclass(frozen=True, eq=False)
class TextScores(Scored):
    """A model's losses and predictions for each block of a text."""

    losses: NDArray[np.float64]  # (blocks,), summed over the predicted tokens, in nats
    counts: NDArray[np.int64]  # (blocks,), of these tokens
    likeliest: NDArray[np.int64]  # (predicted tokens,): what was predicted first
    right: NDArray[np.int64] | None = None  # (blocks,), of them predicted first; masked words only
    bytes_per_token: float | None = None
    text: str = ""  # which tokens were predicted, as a checksum

    def __post_init__(self) -> None:
        finite(self.losses)

    def __len__(self) -> int:
        return len(self.losses)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures over these blocks, which may repeat."""
        count = self.counts[rows].sum()
        loss = float(self.losses[rows].sum() / count)
        figures = {"loss": loss, "perplexity": math.exp(min(loss, 700))}
        if self.right is not None:
            figures["accuracy"] = float(self.right[rows].sum() / count)
        if self.bytes_per_token is not None:
            figures["bits_per_byte"] = loss / math.log(2) / self.bytes_per_token
        return figures


class TextEvaluator(Evaluator[TextEvaluationOptions, Any, Documents, TextScores]):
    """Evaluation of language models."""

    unit = "blocks of text"
    doing = "reading"

    def read(self, path: str) -> Documents:
        documents = Documents(path, self.options.text, strict=self.options.strict, say=self.say)
        if documents.report.kept < documents.report.read:
            self.say(f"{path}: documents: {documents.report}")
        return documents

    def score(self, task: Any, data: Documents, *, progress: Progress = no_progress) -> TextScores:
        size, separated = self.options.batch_size, len(data) > 1
        return evaluate_text(
            task, data.pieces(), separated=separated, batch_size=size, progress=progress
        )

    def size(self, data: Documents) -> None:
        return None

    def compared(self, result: TextScores) -> str:
        return "loss"

    def outputs(self, result: TextScores) -> NDArray[np.int64]:  # type: ignore[override]
        return result.likeliest

    def compare(self, result: TextScores, other: TextScores, name: str) -> dict[str, Any]:
        if result.text != other.text:
            raise BadArgumentError(
                f"a paired test needs the same tokens; {name} has another vocabulary. Evaluate the"
                " two one after the other, and compare their bits per byte."
            )
        return super().compare(result, other, name)


@torch.inference_mode()
def evaluate_text(
    writer: Writer,
    pieces: Iterable[Piece],
    *,
    separated: bool = False,
    batch_size: int = 32,
    progress: Progress = no_progress,
) -> TextScores:
    """Return the loss of a text's tokens, in blocks side by side as long as the model was trained
    on; the first token of a text is not predicted.

    Args:
        separated: whether there are several, between which the end token is put.
    """
    tokenizer = writer.tokenizer
    separator = tokenizer.eos_id if separated and "eos" in tokenizer.special else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.tokens"
        store, size = write_tokens(path, pieces, tokenizer, separator=separator)
        tokens = np.array(store.tokens)
    if len(tokens) < 2:
        raise BadArgumentError(
            f"a text must have at least 2 tokens, of which the second is predicted; got"
            f" {len(tokens)}. Give more text."
        )
    block = min(block_size(tokenizer, writer.model.config.max_positions), len(tokens) - 1)
    losses: list[float] = []
    counts: list[int] = []
    likeliest: list[NDArray[np.int64]] = []
    at_once = max(1, min(batch_size, _TOKENS_AT_ONCE // block))
    for starts, length in _cuts(len(tokens), block, at_once):
        batch = cut_blocks(tokens, starts, length, separator).to(writer.device)
        for logits, targets in zip(_logits(writer, batch), batch.targets, strict=True):
            loss = functional.cross_entropy(logits.float(), targets, reduction="sum")
            losses.append(loss.item())
            counts.append(length)
            likeliest.append(logits.argmax(-1).cpu().numpy())
        progress(len(starts))
    return TextScores(
        np.array(losses),
        np.array(counts),
        np.concatenate(likeliest),
        bytes_per_token=size / len(tokens),
        text=checksum(tokens),
    )


def _logits(writer: Writer, batch: BlockBatch) -> Iterable[Tensor]:
    """Return the logits of each block, (length, vocab), by the engine."""
    if writer.packed is None:
        return map(writer.model.logits, writer.model.hidden(batch.ids, documents=batch.documents))
    documents = None if batch.documents is None else batch.documents.cpu().numpy()
    threads, device = writer.engine.workers, batch.targets.device
    states = writer.packed.hidden(batch.ids.cpu().numpy(), documents, threads=threads)
    return (
        torch.from_numpy(writer.packed.logits(each, threads=threads)).to(device) for each in states
    )


def block_size(tokenizer: Tokenizer, positions: int) -> int:
    """Return the tokens that are scored together, by a model with so many positions."""
    return min(tokenizer.longest(positions), _LONGEST)


def _cuts(count: int, block: int, at_once: int) -> Iterable[tuple[NDArray[np.int64], int]]:
    """Yield starts of blocks, in batches of one length; the last block may be shorter."""
    whole = (count - 1) // block
    starts = np.arange(whole) * block
    for first in range(0, whole, at_once):
        yield starts[first : first + at_once], block
    if rest := count - 1 - whole * block:
        yield np.array([whole * block]), rest


def checksum(tokens: Ids) -> str:
    """Return a checksum of the tokens that were predicted."""
    return hashlib.sha256(tokens.astype(np.int64).tobytes()).hexdigest()
