# python examples/why_path_length.py
"""Why attention: how far a symbol must travel to its copy, and what arrives.

A recurrent model carries what it read through every step between; attention looks back in one.
A row of random digits goes in, and the same row must come out: nothing is to be understood, so
what is lost was lost on the way. benchmarks/copying.py trains for longer, on longer rows. It needs
`pip install torch`.
"""

import torch
import typer
from torch import Tensor
from torch.nn.functional import cross_entropy

from regard.generation import GenerationConfig, generate
from regard.models import EncoderDecoder, RecurrentEncoderDecoder, preset, recurrent_preset

LENGTH, STEPS = 10, 200  # digits in a row, and steps of each training
START, END, FIRST = 0, 1, 2  # ids: what a copy begins with, what would end it, and of the digit 0
VOCAB = FIRST + 10
NAMES = ("GRU, one fixed context", "GRU, Bahdanau's attention", "Transformer")
Model = EncoderDecoder | RecurrentEncoderDecoder


def build(name: str) -> Model:
    """One of the three models, each with about as many parameters as the others."""
    torch.manual_seed(0)
    if name == "Transformer":
        sizes = dict(d_model=32, d_ff=64, encoder_layers=2, decoder_layers=2)
        return EncoderDecoder(preset("tiny", VOCAB, norm="pre", dropout=0.0, **sizes))
    attention = "none" if name == NAMES[0] else "bahdanau"
    sizes = dict(d_model=32, hidden_size=64)
    config = recurrent_preset("tiny", VOCAB, attention=attention, dropout=0.0, **sizes)
    return RecurrentEncoderDecoder(config)


def rows(count: int, seed: int) -> Tensor:
    """(count, LENGTH) ids of random digits."""
    random = torch.Generator().manual_seed(seed)
    return torch.randint(FIRST, VOCAB, (count, LENGTH), generator=random)


def train(model: Model) -> Model:
    """Teaches it to write each digit of a row when it has written those before."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, STEPS, pct_start=0.1)
    for step in range(STEPS):
        row = rows(32, seed=step)
        optimizer.zero_grad()
        cross_entropy(model(row, row).flatten(0, 1), row.flatten()).backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def copies(model: Model, source: Tensor) -> Tensor:
    """What it writes by itself when it has read the source, of the same shape."""
    ids = dict(decoder_start_token_id=START, eos_token_id=END, pad_token_id=START)
    config = GenerationConfig(min_new_tokens=LENGTH, max_new_tokens=LENGTH, **ids)
    written = generate(model.eval().start(source), config.start(len(source)), config)
    return torch.tensor([best.tokens for (best,) in written])


def main() -> dict[str, float]:
    numbers: dict[str, float] = {}
    source = rows(256, seed=STEPS)
    print(f"{'the row to copy':26}", *(source[0] - FIRST).tolist())
    for name in NAMES:
        model = train(build(name))
        copy = copies(model, source)
        right = (copy == source).float().mean().item()
        path = LENGTH if name == NAMES[0] else 1  # steps from a digit's reading to its writing
        numbers |= {f"{name}, right": right, f"{name}, path": path}
        print(f"{name:26}", *(copy[0] - FIRST).tolist(), f"  {right:4.0%} right, steps: {path}")
    return numbers


if __name__ == "__main__":
    typer.run(main)
