# python examples/07_scaled.py --output .
"""Scaled: the same dot products, divided by √d, so that one word does not take all.

The dot product of long vectors is large, and softmax of large numbers is nearly all or nothing.
Divided, "bank" beside "money" and "bank" beside "river" start as one vector and end as two.
`why_scale.py` measures why the divisor is the square root.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard import attend, attention_weights
from regard.course.words.vectors import load_vectors
from regard.figures.images import images
from regard.figures.style import save

Sentence = Annotated[str, typer.Argument(help="small letters; the second word is compared")]
Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
SENTENCES = ("money bank grows", "river bank grows")
SCORES = ("dot", "scaled_dot")


def vectors(sentence: str) -> np.ndarray:
    """(words, dim): one vector for each word, whatever stands around it."""
    return load_vectors("words-en").rows(sentence.split())


def bank(sentence: str, score: str) -> np.ndarray:
    """The vector that the second word gets from its sentence, (dim,)."""
    words = vectors(sentence)
    return attend(words, words, words, score=score)[1]


def cosine(vector: np.ndarray, word: str) -> float:
    """Of the angle between a vector and a word's."""
    (other,) = vectors(word)
    return (vector @ other / np.linalg.norm(vector) / np.linalg.norm(other)).item()


def main(
    one: Sentence = SENTENCES[0], other: Sentence = SENTENCES[1], output: Folder = None
) -> dict[str, float]:
    (before, word), (instead, _) = (sentence.split()[:2] for sentence in (one, other))
    numbers: dict[str, float] = {}
    maps: dict[str, np.ndarray] = {}
    for score in SCORES:
        vector, otherwise = (bank(sentence, score) for sentence in (one, other))
        for near in (before, instead):
            closer = cosine(vector, near) - cosine(otherwise, near)
            numbers[f"{near}_{score}"] = closer
            print(
                f'{score:10}: "{before}" beside "{word}" moves it by {closer:+.4f} towards "{near}"'
            )
        for sentence in (one, other):
            words = vectors(sentence)
            maps[f"{sentence}: {score}"] = attention_weights(words, words, score=score)
        own = maps[f"{one}: {score}"].diagonal().mean().item()
        numbers[f"own_{score}"] = own
        print(f"{score:10}: of itself a word keeps {own:.3f}")
    if output:
        save(images(maps, scale="weights", width_mm=150), output / "07_scaled.svg")
    return numbers


if __name__ == "__main__":
    typer.run(main)
