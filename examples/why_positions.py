# python examples/why_positions.py --output .
"""Why positions: attention is blind to order.

Shuffle the words and the outputs are shuffled with them, each the same as before: to attention a
sentence is a bag. Whatever tells positions apart ends that, be it added to the words, turned into
queries and keys, added to the scores, or a mask that knows before from after.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor

from regard import attend
from regard.attention import Causal
from regard.figures.plots import Plot, plots
from regard.figures.style import save
from regard.models.positions import alibi, rotary_frequencies, rotate, sinusoidal

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
LENGTH, DIM = 13, 32
PLACES, FREQUENCIES = torch.arange(LENGTH), rotary_frequencies(DIM)


def with_sinusoids(x: Tensor) -> Tensor:
    placed = x + sinusoidal(LENGTH, DIM)
    return attend(placed, placed, placed)


def with_rotary(x: Tensor) -> Tensor:
    turned = rotate(x, PLACES, FREQUENCIES)
    return attend(turned, turned, x)


WAYS: dict[str, Callable[[Tensor], Tensor]] = {
    "no positions": lambda x: attend(x, x, x),
    "sinusoids added": with_sinusoids,
    "rotary": with_rotary,
    "ALiBi": lambda x: attend(x, x, x, bias=alibi(torch.tensor([0.5]), LENGTH, LENGTH)),
    "causal mask": lambda x: attend(x, x, x, mask=Causal()),
}


def main(output: Folder = None) -> dict[str, float]:
    random = torch.Generator().manual_seed(0)
    x = torch.randn(LENGTH, DIM, generator=random)
    order = torch.randperm(LENGTH, generator=random)
    changes = {}
    for name, way in WAYS.items():
        moved = (way(x[order]) - way(x)[order]).norm(dim=-1)  # of each word, wherever it now stands
        changes[name] = moved / way(x)[order].norm(dim=-1)
        print(f"{name:16} a word's output changes by {changes[name].mean():.1e} of its length")
    if output:
        lines = {name: (PLACES, change) for name, change in changes.items()}
        panel = Plot("What shuffling changes", "word", "part of its output", lines, log="y")
        save(plots([panel], width_mm=85), output / "why_positions.svg")
    return {name: change.mean().item() for name, change in changes.items()}


if __name__ == "__main__":
    typer.run(main)
