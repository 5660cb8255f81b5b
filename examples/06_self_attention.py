# python examples/06_self_attention.py --output .
"""Self-attention without parameters: words are what is averaged, and what it is weighed by.

No noise is to be removed here. The same average gives each word a vector that knows its sentence.
Query, key and value are one thing, the words' vectors; the similarity is their dot product. The dot
product with itself is large, so a word keeps nearly all of itself: the next example's reason.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import typer

from regard import attend, attention_weights
from regard.course.words.vectors import load_vectors
from regard.figures.flow import flow
from regard.figures.style import save

Sentence = Annotated[str, typer.Argument(help="words in small letters")]
Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]


def main(sentence: Sentence = "money bank grows", output: Folder = None) -> dict[str, float]:
    tokens = sentence.split()
    words = load_vectors("words-en").rows(tokens)  # (words, dim)
    contextual = attend(words, words, words, score="dot")

    weights = attention_weights(words, words, score="dot")
    for token, row in zip(tokens, weights.tolist(), strict=True):
        print(f"{token:5} =", " + ".join(f"{w:.3f} {t}" for w, t in zip(row, tokens, strict=True)))
    if output:
        figure = flow(weights, tokens, tokens, title="Each word, as an average of all")
        save(figure, output / "06_self_attention.svg")
    return {
        "least_own": weights.diagonal().min().item(),
        "row_sum": weights[0].sum().item(),
        "from_weights": abs(weights @ words - contextual).max().item(),
    }


if __name__ == "__main__":
    typer.run(main)
