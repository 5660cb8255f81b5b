# python examples/07_scaled.py --output .
"""Scaled: the same dot products, divided by √d, so that one word does not take all.

The dot product of long vectors is large, and softmax of large numbers is nearly all or nothing.
Divided, "bank" beside "money" and "bank" beside "river" start as one vector and end as two.
`why_scale.py` measures why the divisor is the square root.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor

from regard import attend, attention_weights
from regard.figures.images import images
from regard.figures.style import save
from regard.words.vectors import load_vectors

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
SENTENCES = ("money bank grows", "river bank grows")
SCORES = ("dot", "scaled_dot")


def vectors(sentence: str) -> Tensor:
    """(words, dim): one vector for each word, whatever stands around it."""
    return torch.from_numpy(load_vectors("words-en").rows(sentence.split()))


def bank(sentence: str, score: str) -> Tensor:
    """The vector that the second word gets from its sentence, (dim,)."""
    words = vectors(sentence)
    return attend(words, words, words, score=score)[1]


def cosine(vector: Tensor, word: str) -> float:
    """Of the angle between a vector and a word's."""
    return torch.cosine_similarity(vector, vectors(word)[0], dim=0).item()


def main(output: Folder = None) -> dict[str, float]:
    numbers: dict[str, float] = {}
    maps: dict[str, Tensor] = {}
    for score in SCORES:
        beside_money, beside_river = (bank(sentence, score) for sentence in SENTENCES)
        for word in ("money", "river"):
            closer = cosine(beside_money, word) - cosine(beside_river, word)
            numbers[f"{word}_{score}"] = closer
            print(f'{score:10}: "money" beside "bank" moves it by {closer:+.4f} towards "{word}"')
        for sentence in SENTENCES:
            words = vectors(sentence)
            maps[f"{sentence}: {score}"] = attention_weights(words, words, score=score)
        own = maps[f"{SENTENCES[0]}: {score}"].diagonal().mean().item()
        numbers[f"own_{score}"] = own
        print(f"{score:10}: of itself a word keeps {own:.3f}")
    if output:
        save(images(maps, scale="weights", width_mm=150), output / "07_scaled.svg")
    return numbers


if __name__ == "__main__":
    typer.run(main)
