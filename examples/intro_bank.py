# python examples/intro_bank.py
"""Money bank beside river bank: the weights that an introduction writes down, and computed ones.

A row of weights is a softmax, so it sums to 1. The introduction's row for *bank* in "money bank
grows" sums to 1.1; divided by its sum it is an average again.
"""

import numpy as np
import typer

from regard import attention_weights
from regard.course.words.vectors import load_vectors

WRITTEN = {
    "money bank grows": [0.3, 0.7, 0.1],
    "river bank flows": [0.5, 0.4, 0.1],
}


def of_bank(sentence: str) -> np.ndarray:
    """(3,): what the middle word takes of each word, by vectors that come with regard."""
    words = load_vectors("words-en").rows(sentence.split())
    return attention_weights(words, words)[1]


def row(weights: np.ndarray, sentence: str) -> str:
    return " + ".join(f"{w:.2f} {word}" for w, word in zip(weights, sentence.split(), strict=True))


def main() -> dict[str, float]:
    numbers: dict[str, float] = {}
    for sentence, written in WRITTEN.items():
        weights, total = np.array(written), sum(written)
        first = sentence.split()[0]
        print(f"{sentence}, bank\n  written  {row(weights, sentence)}: sums to {total:.2f}")
        if abs(total - 1) > 1e-6:
            divided = weights / total
            print(f"  divided  {row(divided, sentence)}: sums to {divided.sum():.2f}")
        computed = of_bank(sentence)
        print(f"  computed {row(computed, sentence)}: sums to {computed.sum():.2f}")
        numbers |= {f"written_{first}": total, f"computed_{first}": computed.sum().item()}
        numbers[f"to_{first}"] = computed[0].item()
    return numbers


if __name__ == "__main__":
    typer.run(main)
