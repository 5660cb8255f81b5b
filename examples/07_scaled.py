"""Scaled: the same dot products, divided by √d, so that one word does not take all.

The dot product of long vectors is large, and softmax of large numbers is nearly all or nothing.
Divided, "bank" beside "money" and "bank" beside "river" start as one vector and end as two.
`why_scale.py` measures why the divisor is the square root.
"""

from pathlib import Path

import torch
from command import Numbers, run
from torch import Tensor
from word_table import vectors

from regard import attend, attention_weights
from regard.figures.images import images
from regard.figures.style import save

SENTENCES = ("money bank grows", "river bank grows")
SCORES = ("dot", "scaled_dot")


def main(output: Path | None = None) -> Numbers:
    numbers: Numbers = {}
    for score in SCORES:
        beside_money, beside_river = (bank(sentence, score) for sentence in SENTENCES)
        for word in ("money", "river"):
            closer = cosine(beside_money, word) - cosine(beside_river, word)
            numbers[f"{word}_{score}"] = closer
            print(f'{score:10}: "money" beside "bank" moves it by {closer:+.4f} towards "{word}"')
        words = vectors(SENTENCES[0])
        own = attention_weights(words, words, score=score).diagonal()
        numbers[f"own_{score}"] = own.mean().item()
        print(f"{score:10}: of itself a word keeps {own.mean():.3f}")
    if output:
        maps = {
            f"{sentence}: {score}": attention_weights(words, words, score=score)
            for score in SCORES
            for sentence in SENTENCES
            for words in (vectors(sentence),)
        }
        save(images(maps, scale="weights", width_mm=150), output / "07_scaled.svg")
    return numbers


def bank(sentence: str, score: str) -> Tensor:
    """The vector that the second word gets from its sentence, (dim,)."""
    words = vectors(sentence)
    return attend(words, words, words, score=score)[1]


def cosine(vector: Tensor, word: str) -> float:
    """Of the angle between a vector and a word's."""
    return torch.cosine_similarity(vector, vectors(word)[0], dim=0).item()


if __name__ == "__main__":
    run(main)
