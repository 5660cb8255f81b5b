"""Copying: the task that asks only how far a model can carry what it has read.

A row of random symbols goes in, the same row must come out. Nothing is to be understood, so what
is lost was lost on the way.
"""

import time
from typing import Any

import torch
from torch import Tensor

from regard.generation import GenerationConfig, generate
from regard.models import (
    EncoderDecoder,
    EncoderDecoderConfig,
    RecurrentConfig,
    RecurrentEncoderDecoder,
)
from regard.training import cross_entropy

Model = RecurrentEncoderDecoder | EncoderDecoder

PAD, EOS, SYMBOLS = 0, 1, 16
VOCAB = SYMBOLS + 2
NAMES = ("GRU, one fixed context", "GRU, Bahdanau's attention", "Transformer")


def build(name: str, *, width: int = 64) -> Model:
    """One of the three models, each with about as many parameters as the others."""
    torch.manual_seed(0)
    if name == "Transformer":
        sizes: dict[str, Any] = dict(
            encoder_layers=2, decoder_layers=2, encoder_heads=4, decoder_heads=4
        )
        config = EncoderDecoderConfig(
            VOCAB, d_model=width, d_ff=2 * width, dropout=0.0, norm="pre", **sizes
        )
        return EncoderDecoder(config)
    attention = "none" if name == NAMES[0] else "bahdanau"
    return RecurrentEncoderDecoder(
        RecurrentConfig(
            VOCAB, attention=attention, d_model=width, hidden_size=2 * width, dropout=0.0
        )
    )


def rows(count: int, length: int, seed: int) -> Tensor:
    """(count, length + 1) ids: random symbols, then the end of the sentence."""
    random = torch.Generator().manual_seed(seed)
    symbols = torch.randint(2, VOCAB, (count, length), generator=random)
    return torch.nn.functional.pad(symbols, (0, 1), value=EOS)


def train(model: Model, *, longest: int, steps: int, batch: int = 64) -> float:
    """Teaches it to copy 1 to `longest` symbols; the last hundred steps' mean loss, in nats."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98), weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, steps, pct_start=0.1)
    lengths = torch.randint(
        1, longest + 1, (steps,), generator=torch.Generator().manual_seed(1)
    ).tolist()
    losses = []
    for step, length in enumerate(lengths):
        loss = copy_loss(model, rows(batch, length, seed=1000 + step))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    recent = losses[-100:]
    return sum(recent) / len(recent)


def copy_loss(model: Model, source: Tensor) -> Tensor:
    """Mean cross-entropy of the copy, in nats for each token."""
    hidden = model.hidden(source, source).flatten(0, 1)
    return cross_entropy(hidden, model.output_weight, source.flatten()) / source.numel()


@torch.no_grad()
def accuracy(model: Model, length: int, *, count: int = 64) -> float:
    """The part of the symbols that stand in their place when the model writes the copy itself."""
    source = rows(count, length, seed=length)
    config = GenerationConfig(
        max_new_tokens=length + 1, eos_token_id=EOS, pad_token_id=PAD, decoder_start_token_id=PAD
    )
    model.eval()
    copies = generate(model.start(source), config.start(count), config)
    model.train()
    right = sum(
        written == given
        for copy, line in zip(copies, source.tolist(), strict=True)
        for written, given in zip(copy[0].tokens, line[:length], strict=False)
    )
    return right / (count * length)


def seconds(model: Model, length: int, *, batch: int = 8, repeats: int = 3) -> float:
    """Processor time of a training step, forward and back, at this length: the least of a few."""
    source, took = rows(batch, length, seed=0), []
    for _ in range(repeats):
        started = time.process_time()
        copy_loss(model, source).backward()
        took.append(time.process_time() - started)
    model.zero_grad()
    return min(took)
