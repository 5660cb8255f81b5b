# python examples/intro_gradients.py --output .
"""Gradients through a recurrent network: what returns to the first word, against the distance.

A linear recurrence with an orthogonal matrix times g multiplies a gradient by g at each step: it
vanishes for g < 1 and explodes for g > 1. With tanh, and with the gates of an LSTM and a GRU, it
depends on the weights; here they are torch's random ones. Attention reaches every position in one
step, so its gradient does not fall exponentially: it goes with the weight of that one word.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor, nn

from regard import attend
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
WIDTH, DISTANCES = 64, (1, 2, 5, 10, 20, 50, 100)
Model = Callable[[Tensor], Tensor]  # words (words, WIDTH) → the last output (WIDTH,)


def linear(gain: float) -> Model:
    """The last state of h ← gain · Q h + x, where Q is orthogonal."""
    step = gain * torch.linalg.qr(torch.randn(WIDTH, WIDTH)).Q

    def last(words: Tensor) -> Tensor:
        state = torch.zeros(WIDTH)
        for word in words:
            state = step @ state + word
        return state

    return last


def recurrent(kind: type[nn.RNNBase]) -> Model:
    network = kind(WIDTH, WIDTH)
    return lambda words: network(words)[0][-1]


def attention(words: Tensor) -> Tensor:
    return attend(words[-1:], words, words)[0]


def returned(last: Model, distance: int) -> float:
    """Norm of the gradient at the first of distance + 1 words, of a unit gradient at the output."""
    torch.manual_seed(distance)
    words = torch.randn(distance + 1, WIDTH, requires_grad=True)
    wish = nn.functional.normalize(torch.randn(WIDTH), dim=0)
    (gradient,) = torch.autograd.grad(last(words) @ wish, words)
    return gradient[0].norm().item()


def main(output: Folder = None) -> dict[str, float]:
    torch.manual_seed(0)
    models: dict[str, Model] = {f"g = {gain}": linear(gain) for gain in (0.9, 1.1)}
    models |= {"tanh": recurrent(nn.RNN), "LSTM": recurrent(nn.LSTM), "GRU": recurrent(nn.GRU)}
    models["attention"] = attention
    norms = {name: [returned(last, far) for far in DISTANCES] for name, last in models.items()}
    print("distance ", "".join(f"{far:9}" for far in DISTANCES))
    for name, row in norms.items():
        print(f"{name:10}", "".join(f"{norm:9.1e}" for norm in row))
    if output:
        lines = {name: (DISTANCES, row) for name, row in norms.items()}
        title = "What returns to the first word"
        panel = Plot(title, "distance", "gradient's norm", lines, log="xy")
        save(plots([panel]), output / "intro_gradients.svg")
    return {f"{name} at {far}": norms[name][i] for name in norms for i, far in enumerate(DISTANCES)}


if __name__ == "__main__":
    typer.run(main)
