"""Scores of masked language models on the words hidden in a text."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from regard.data.documents import Piece
from regard.errors import BadArgumentError
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.text_generation.blocks import Masking, blocks
from regard.tasks.text_generation.read import Documents
from regard.tasks.text_generation.score import TextEvaluator, TextScores, block_size, checksum
from regard.training.encoded import EncodedTexts, write_store
from regard.training.evaluation import Progress, no_progress


class MaskedTextEvaluator(TextEvaluator):
    """Evaluation of masked language models."""

    def score(
        self, task: MaskFiller, data: Documents, *, progress: Progress = no_progress
    ) -> TextScores:
        return evaluate_masked(task, data.pieces(), progress=progress)


@torch.inference_mode()
def evaluate_masked(
    filler: MaskFiller,
    pieces: Iterable[Piece],
    *,
    share: float = 0.15,
    progress: Progress = no_progress,
) -> TextScores:
    """Return the loss and accuracy of the words hidden in a text, the same ones at every call."""
    tokenizer, config, device = filler.tokenizer, filler.model.config, filler.device
    longest = block_size(tokenizer, config.max_positions)
    losses, counts, right, likeliest = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        rows = ((ids, len(ids), ()) for ids in blocks(pieces, tokenizer, longest))
        store = write_store(
            Path(folder) / "text.tokens",
            rows,
            vocab_size=tokenizer.vocab_size,
            targets=0,
            max_length=longest,
        )
        texts = EncodedTexts(store, config, max_tokens=longest, batch_size=1, seed=0)
        masking = Masking.of(tokenizer, share=share, seed=0)
        for number in range(len(store)):
            # A block is masked by its number, not by those that share its batch.
            batch = masking.masked(texts.batch(np.array([number])), number, part=1)
            progress(1)
            if not len(batch.targets):
                continue
            inputs, targets = batch.inputs.inputs.to(device), batch.targets.to(device)
            states = torch.as_tensor(filler.hidden(inputs))[batch.chosen.to(device)]
            logits = torch.as_tensor(filler.logits(states)).float()
            losses.append(functional.cross_entropy(logits, targets, reduction="sum").item())
            likeliest.append(logits.argmax(-1).cpu().numpy())
            right.append(int((logits.argmax(-1) == targets).sum()))
            counts.append(len(targets))
        predicted = checksum(np.array(store.tokens))
    if not losses:
        raise BadArgumentError(
            "a text must have words to hide; none was found. Give more text, such as a paragraph."
        )
    return TextScores(
        np.array(losses),
        np.array(counts),
        np.concatenate(likeliest),
        np.array(right),
        text=predicted,
    )
