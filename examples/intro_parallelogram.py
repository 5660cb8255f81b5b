# python examples/intro_parallelogram.py --output .
"""The parallelogram: in "money bank", the two weighted values of bank are its sides.

The values, each times its weight, are two arrows from the origin. Their sum, the output, is the
far corner of the parallelogram that they span, and it points more towards *money* than bank did.
With three words or more the arrows are laid tip to tail; `regard explain --geometry` draws that.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard import attention_weights
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
WORDS = {"money": [2.0, 0.4], "bank": [1.0, 1.2]}


def main(output: Folder = None) -> dict[str, float]:
    words = np.array(list(WORDS.values()))
    money, bank = words
    weights = attention_weights(words, words)[1]
    sides = weights[:, None] * words
    corner = sides.sum(0)
    before, after = (cosine(point, money) for point in (bank, corner))
    shown = ", ".join(f"{number:.2f}" for number in corner.tolist())
    print(f"bank = {weights[0]:.2f} money + {weights[1]:.2f} bank = [{shown}]")
    print(f"cosine with money: {before:.3f} before, {after:.3f} after")
    if output:
        draw(sides.tolist(), corner.tolist(), output / "intro_parallelogram.svg")
    return {"before": before, "after": after, "money": weights[0].item(), "x": corner[0].item()}


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return (one @ other / np.linalg.norm(one) / np.linalg.norm(other)).item()


def draw(sides: list[list[float]], corner: list[float], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.3, 2.4), layout="constrained")
    axes = figure.subplots()
    arrow = {"arrowstyle": "->", "linewidth": 1.2}
    names = ("from money", "from bank", "output")
    for (x, y), name in zip([*sides, corner], names, strict=True):
        axes.annotate("", (x, y), (0, 0), arrowprops=arrow)
        side = "right" if name == "from bank" else "left"
        axes.annotate(name, (x, y), textcoords="offset points", xytext=(2, 4), fontsize=7, ha=side)
        axes.plot(*zip((x, y), corner, strict=True), "--", linewidth=0.8, color="gray")
    axes.tick_params(labelsize=7)
    axes.set(xlim=(0, 1.3 * corner[0]), ylim=(0, 1.3 * corner[1]), aspect="equal")
    save(figure, path)


if __name__ == "__main__":
    typer.run(main)
