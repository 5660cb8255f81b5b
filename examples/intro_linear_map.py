# python examples/intro_linear_map.py
"""Scaling a vector against a linear map of it: why a query is x · W and not a number times x.

A number times the query makes its weights sharper or flatter; the order of the keys stays,
whatever the number above 0. A matrix can change what is looked for. The vectors are (taste,
technology), as in the example of apple.
"""

import numpy as np
import typer

from regard import attention_weights

WORDS = {"apple": [0.9, 0.3], "phone": [0.1, 1.0], "orange": [1.0, 0.1]}
TECHNOLOGY = np.array([[0.0, 0.0], [0.0, 4.0]])  # of (taste, technology) keeps the second


def main() -> dict[str, float]:
    words = np.array(list(WORDS.values()))
    apple = words[:1]
    queries: dict[str, np.ndarray] = {
        "apple": apple,
        "4 · apple": 4 * apple,
        "16 · apple": 16 * apple,
        "apple · W": apple @ TECHNOLOGY,
    }
    numbers: dict[str, float] = {}
    for name, query in queries.items():
        row = attention_weights(query, words)[0].tolist()
        shown = ", ".join(f"{word} {weight:.2f}" for word, weight in zip(WORDS, row, strict=True))
        print(f"{name:10} looks at {shown}")
        numbers |= {f"{name} → {word}": weight for word, weight in zip(WORDS, row, strict=True)}
    return numbers


if __name__ == "__main__":
    typer.run(main)
