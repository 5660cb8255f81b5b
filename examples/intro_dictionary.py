# python examples/intro_dictionary.py
"""A dictionary becomes soft: look up {a: 1, b: 2} by similarity instead of equality.

A dictionary compares the query with each key, gets yes or no, and returns the value of the one
key that is equal. `attend` compares by similarity and returns the average of all values,
weighted. The more the scores are multiplied, the nearer the weights come to yes and no. A query
between two keys, for which a dictionary raises KeyError, gets a value between theirs.
"""

import numpy as np
import typer

from regard import attend
from regard.attention import scaled

BOOK = {"a": 1.0, "b": 2.0}
KEYS = {"a": np.array([1.0, 0.0]), "b": np.array([0.0, 1.0])}
SHARPNESS = (0.0, 1.0, 4.0, 16.0, 64.0)


def look_up(query: np.ndarray, sharpness: float) -> float:
    """The average of the values, weighted by softmax(sharpness · query · key)."""
    keys = np.stack([KEYS[name] for name in BOOK])
    values = np.array([[value] for value in BOOK.values()])
    return attend(query[None], keys, values, score=scaled(sharpness)).item()


def main() -> dict[str, float]:
    between = (KEYS["a"] + KEYS["b"]) / 2
    print("scores times      a      b  between")
    for sharpness in SHARPNESS:
        found = [look_up(query, sharpness) for query in (KEYS["a"], KEYS["b"], between)]
        print(f"{sharpness:12.0f}", "".join(f"{value:7.3f}" for value in found))
    return {
        "plain": look_up(KEYS["a"], 0.0),
        "soft": look_up(KEYS["a"], 1.0),
        "sharp_a": look_up(KEYS["a"], 64.0),
        "sharp_b": look_up(KEYS["b"], 64.0),
        "between": look_up(between, 64.0),
    }


if __name__ == "__main__":
    typer.run(main)
