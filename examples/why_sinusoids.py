# python examples/why_sinusoids.py --output .
"""Why sinusoids: a shift is a matrix, and the columns count like binary digits, smoothly.

One matrix leads from every position to the one k later, so "three words ago" is something that a
linear layer can learn. And as the digits of a binary number change half as often from place to
place, so each pair of columns turns more slowly than the one before.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer

from regard.figures.images import images
from regard.figures.style import save
from regard.models.positions import shift_matrix, sinusoidal

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
LENGTH, DIM, SHIFT = 64, 32, 5
DIGITS = 6


def main(output: Folder = None) -> dict[str, float]:
    table = sinusoidal(LENGTH, DIM, dtype=torch.float64)
    shift = shift_matrix(SHIFT, DIM, dtype=torch.float64)
    wrong = (table[:-SHIFT] @ shift.T - table[SHIFT:]).abs().max().item()
    once, further = (shift_matrix(k, DIM, dtype=torch.float64) for k in (3, 8))
    composed = (shift @ once - further).abs().max().item()
    turned = (shift @ shift.T - torch.eye(DIM)).abs().max().item()
    print(f"PE(p + {SHIFT}) = M({SHIFT}) · PE(p) for every p, to {wrong:.1e}.")
    print(f"M(5) · M(3) = M(8) to {composed:.1e}; M turns and does not stretch, to {turned:.1e}.")

    # With each pair half as fast as the one before, and a position p read at the angle π (p + ½),
    # the sine of pair i is negative exactly where digit i of the binary number p is 1.
    places = torch.arange(LENGTH)
    digits = places[:, None] >> torch.arange(DIGITS) & 1
    zero = sinusoidal(1, 2 * DIGITS, dtype=torch.float64)[0]
    hands = [
        shift_matrix(torch.pi * (p + 0.5), 2 * DIGITS, base=2**DIGITS, dtype=torch.float64) @ zero
        for p in range(LENGTH)
    ]
    sines = torch.stack(hands)[:, 0::2]
    same = ((sines < 0) == digits.bool()).double().mean().item()
    print(f"{same:.0%} of the binary digits of 0 to {LENGTH - 1} are the signs of {DIGITS} sines.")
    if output:
        tables = {
            f"binary digits of 0 to {LENGTH - 1}, the last digit on top": 1 - 2 * digits.T,
            "sines at π (p + ½), each half as fast as the one above": sines.T,
            f"the paper's table for as many positions, {DIM} dimensions": table.T,
        }
        save(images(tables, scale="difference", columns=1), output / "why_sinusoids.svg")
        matrices = {"M(1)": shift_matrix(1, DIM), f"M({SHIFT})": shift}
        save(images(matrices, scale="difference", width_mm=85), output / "why_sinusoids_shift.svg")
    return {"shift": wrong, "composed": composed, "turned": turned, "digits": same}


if __name__ == "__main__":
    typer.run(main)
