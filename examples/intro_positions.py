# python examples/intro_positions.py
"""Positions: a plain index overflows, a share changes with the length, and why one adds.

A matrix on a word and a position put side by side is A·word + B·position, for any A and B. A
matrix W on their sum is W·word + W·position: the same with A = B = W. So concatenation is the
more general, and costs more parameters. What adding needs is room: the position must still be
readable from the sum, and in many dimensions it is, since random vectors are nearly orthogonal
there.

It needs `pip install torch`.
"""

import torch
import typer

from regard.models.positions import sinusoidal

LENGTH, DIMS, WORDS = 100, (8, 32, 128, 512), 2000


def readable(dim: int) -> float:
    """How often the position with the largest dot product is the one that was added to a word."""
    torch.manual_seed(dim)
    table = sinusoidal(LENGTH, dim)
    added = torch.randint(LENGTH, (WORDS,))
    total = torch.randn(WORDS, dim) + table[added]
    return ((total @ table.T).argmax(-1) == added).float().mean().item()


def difference(dim: int) -> float:
    """Between W·(word + position) and [W W]·(word beside position)."""
    torch.manual_seed(dim)
    word, matrix = torch.randn(LENGTH, dim, dtype=torch.float64), torch.randn(dim, dim).double()
    position = sinusoidal(LENGTH, dim).double()
    beside = torch.cat([word, position], -1) @ torch.cat([matrix, matrix], -1).T
    return (beside - (word + position) @ matrix.T).abs().max().item()


def main() -> dict[str, float]:
    length, dim = 1000, 512
    index, share = float(length - 1), [1 / (n - 1) for n in (5, 50)]
    sines = sinusoidal(length, dim).norm(dim=-1).max().item()
    print(f"at position {length - 1}: the index is {index:.0f}, the sinusoids' length {sines:.0f}")
    print(f"one step of the share: {share[0]:.2f} in 5 words, {share[1]:.2f} in 50")
    print("parameters: of query, key and value")
    right = {dim: readable(dim) for dim in DIMS}
    for dim, fraction in right.items():
        added, beside = 3 * dim**2, 3 * (2 * dim) * dim
        print(
            f"d = {dim:3}: {fraction:4.0%} of positions read from the sum;"
            f" {added:9,} parameters, side by side {beside:9,}"
        )
    apart = difference(DIMS[-1])
    print(f"[W W] on both side by side and W on the sum: at most {apart:.0e} apart")
    return {f"right_{dim}": fraction for dim, fraction in right.items()} | {
        "index": index,
        "sines": sines,
        "share_5": share[0],
        "share_50": share[1],
        "apart": apart,
    }


if __name__ == "__main__":
    typer.run(main)
