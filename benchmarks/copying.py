"""How far three models carry what they have read: path, time and accuracy of copying a row.

    python benchmarks/copying.py
    python benchmarks/copying.py --steps 20 --longest 4 --copied 1 4 --timed 4 8 --into quick.json
    python benchmarks/copying.py --picture copying.svg

A row of random symbols goes in, the same row must come out. Nothing is to be understood, so what
is lost was lost on the way. A GRU with one fixed context, the same with Bahdanau's attention and a
Transformer, of nearly the same size, are trained for some minutes. The result is written into
results/copy.json; --picture draws the last result instead, and trains nothing.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.files import write_json
from regard.generation import GenerationConfig, generate
from regard.models import (
    EncoderDecoder,
    EncoderDecoderConfig,
    RecurrentConfig,
    RecurrentEncoderDecoder,
)
from regard.training import cross_entropy

RESULT = Path(__file__).parent / "results" / "copy.json"
NAMES = ("GRU, one fixed context", "GRU, Bahdanau's attention", "Transformer")
PAD, EOS, SYMBOLS = 0, 1, 16
VOCAB = SYMBOLS + 2

Model = RecurrentEncoderDecoder | EncoderDecoder
Result = dict[str, Any]


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


def copy_loss(model: Model, source: Tensor) -> Tensor:
    """Mean cross-entropy of the copy, in nats for each token."""
    hidden = model.hidden(source, source).flatten(0, 1)
    return cross_entropy(hidden, model.output_weight, source.flatten()) / source.numel()


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


def path_length(name: str, length: int) -> int:
    """Steps from the last symbol's reading to its writing, which every way there must take.

    With one fixed context the decoder writes it after `length` steps; attention takes one.
    """
    return length if name == NAMES[0] else 1


def measure(*, steps: int, longest: int, copied: Sequence[int], timed: Sequence[int]) -> Result:
    """Trains each model on rows of up to `longest` symbols; the figures at each length."""
    models: Result = {}
    for name in NAMES:
        model = build(name)
        loss = train(model, longest=longest, steps=steps)
        models[name] = {
            "path_at": list(copied),
            "path": [path_length(name, length) for length in copied],
            "right_at": list(copied),
            "right": [accuracy(model, length) for length in copied],
            "seconds_at": list(timed),
            "seconds": [seconds(model, length) for length in timed],
            "loss": loss,
            "parameters": sum(weights.numel() for weights in model.parameters()),
        }
    return {"steps": steps, "longest": longest, "models": models}


def report(result: Result) -> None:
    """Prints, for each model, what it copies right and how long a training step takes."""
    print("longest in training:", result["longest"])
    for name, figures in result["models"].items():
        print(f"\n{name}, {figures['parameters']:,} parameters")
        for length, right in zip(figures["right_at"], figures["right"], strict=True):
            print(f"{length:6} symbols {right:6.2f}")
        length, took = figures["seconds_at"][-1], figures["seconds"][-1]
        print(f"a training step at {length} symbols: {1000 * took:.0f} ms of a processor")


def draw(result: Result, path: Path) -> None:
    """Path, time and accuracy against length, a line for each model."""
    from regard.figures.plots import Plot, plots
    from regard.figures.style import save

    def lines(what: str) -> dict[str, Any]:
        return {
            name: (figures[f"{what}_at"], figures[what])
            for name, figures in result["models"].items()
        }

    panels = [
        Plot("Steps between a symbol and its copy", "symbols", "steps", lines("path")),
        Plot("A training step's time", "symbols", "processor seconds", lines("seconds"), log="xy"),
        Plot("Symbols copied right", "symbols", "part", lines("right")),
    ]
    save(plots(panels), path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2500, help="of each training")
    parser.add_argument("--longest", type=int, default=20, help="symbols of a row in training")
    copied, timed = (1, 2, 5, 10, 15, 20, 30, 40), (8, 16, 32, 64, 128)
    parser.add_argument("--copied", type=int, nargs="+", default=copied, help="lengths to copy")
    parser.add_argument("--timed", type=int, nargs="+", default=timed, help="lengths to time")
    parser.add_argument("--into", type=Path, default=RESULT, help="the file that is written")
    parser.add_argument("--picture", type=Path, help="draw the last result into this file")
    arguments = parser.parse_args()
    if arguments.picture and not arguments.into.is_file():
        parser.error(f"--picture draws what is in {arguments.into}, which is not there.")
    if arguments.picture:
        result = json.loads(arguments.into.read_text("utf-8"))
        draw(result, arguments.picture)
    else:
        asked = {name: getattr(arguments, name) for name in ("steps", "longest", "copied", "timed")}
        result = measure(**asked)
        write_json(arguments.into, result)
    report(result)


if __name__ == "__main__":
    main()
