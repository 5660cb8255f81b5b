# python examples/why_scale.py --output .
"""Why divide by √d_k: otherwise scores grow with the dimension, and most gradients shrink.

The dot product of two vectors of d independent numbers of variance 1 has variance d. Softmax of
numbers that far apart gives one key everything, and where it does, almost no gradient comes back.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer

from regard import attend, attention_weights
from regard.attention.scores import find_score
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
DIMS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
QUERIES, KEYS = 128, 64
SCORES = {"q · k": "dot", "q · k / √d": "scaled_dot"}
QUANTITIES = (
    ("How far the scores are apart", "variance", "xy"),
    ("How many keys a row still sees", "entropy, bits", "x"),
    ("What comes back to a row of scores", "gradient's norm, median", "xy"),
)


def main(output: Folder = None) -> dict[str, float]:
    measured = {name: [measure(score, dim) for dim in DIMS] for name, score in SCORES.items()}

    numbers: dict[str, float] = {"most_bits": torch.tensor(float(KEYS)).log2().item()}
    print(f"{'d':>5}  {'variance':>17}  {'bits of 6':>13}  {'gradient':>19}   (without √d, with)")
    for place, dim in enumerate(DIMS):
        plain, scaled = (rows[place] for rows in measured.values())
        pairs = [f"{a:9.3f} {b:7.3f}" for a, b in zip(plain[:2], scaled[:2], strict=True)]
        print(f"{dim:5}", *pairs, f"{plain[2]:10.2e} {scaled[2]:9.2e}")
        for what, a, b in zip(("variance", "bits", "gradient"), plain, scaled, strict=True):
            numbers |= {f"{what}_dot_{dim}": a, f"{what}_scaled_dot_{dim}": b}
    if output:
        columns = {name: list(zip(*rows, strict=True)) for name, rows in measured.items()}
        panels = [
            Plot(
                title,
                "d",
                unit,
                {name: (DIMS, column[i]) for name, column in columns.items()},
                log=log,
            )
            for i, (title, unit, log) in enumerate(QUANTITIES)
        ]
        save(plots(panels), output / "why_scale.svg")
    return numbers


def measure(score: str, dim: int) -> tuple[float, float, float]:
    """Of random queries and keys: variance of the scores, entropy of the weights in bits, and the
    median norm of the gradient that a random wish about the output sends to a row of scores."""
    torch.manual_seed(dim)
    query, key, value = torch.randn(QUERIES, dim), torch.randn(KEYS, dim), torch.randn(KEYS, 16)
    weights = attention_weights(query, key, score=score)
    # A bias of zeros is added to the scores, so its gradient is theirs.
    bias = torch.zeros(QUERIES, KEYS, requires_grad=True)
    (attend(query, key, value, score=score, bias=bias) * torch.randn(QUERIES, 16)).sum().backward()
    assert bias.grad is not None
    entropy = torch.special.entr(weights).sum(-1).mean() / torch.tensor(2.0).log()
    variance = find_score(score)(query, key).var()
    return variance.item(), entropy.item(), bias.grad.norm(dim=-1).median().item()


if __name__ == "__main__":
    typer.run(main)
