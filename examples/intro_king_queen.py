# python examples/intro_king_queen.py
"""King, queen and cricketer before and after training: five numbers each, compared by cosine.

The vectors are made up, as in the introduction that they come from. The cosine of two vectors is
their dot product divided by both lengths: 1 for the same direction, 0 for orthogonal, −1 for
opposite.
"""

from itertools import combinations

import numpy as np
import typer

BEFORE = {
    "king": [0.1, 0.4, 0.8, 0.2, 0.9],
    "queen": [0.3, 0.5, 0.6, 0.7, 0.8],
    "cricketer": [0.9, 0.2, 0.1, 0.7, 0.5],
}
AFTER = {
    "king": [0.2, 0.3, 0.9, 0.5, 0.1],
    "queen": [0.2, 0.4, 0.9, 0.5, 0.1],
    "cricketer": [0.9, 0.4, 0.2, 0.1, 0.8],
}
ALONG, ACROSS = np.array([3.0, 4.0]), np.array([-4.0, 3.0])


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return (one @ other / np.linalg.norm(one) / np.linalg.norm(other)).item()


def main() -> dict[str, float]:
    numbers: dict[str, float] = {}
    print(f"{'':15} before  after")
    for pair in combinations(BEFORE, 2):
        cosines = [cosine(*(np.array(words[word]) for word in pair)) for words in (BEFORE, AFTER)]
        name = "–".join(pair)
        numbers |= {f"{name}_before": cosines[0], f"{name}_after": cosines[1]}
        print(f"{name:15} {cosines[0]:6.3f} {cosines[1]:6.3f}")
    numbers["orthogonal"] = cosine(ALONG, ACROSS)
    numbers["opposite"] = cosine(ALONG, -ALONG)
    print(f"orthogonal {numbers['orthogonal']:.0f}, opposite {numbers['opposite']:.0f}")
    return numbers


if __name__ == "__main__":
    typer.run(main)
