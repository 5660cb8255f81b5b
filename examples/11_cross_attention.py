# python examples/11_cross_attention.py --output .
"""Cross-attention: the queries come from one sentence, the keys and values from another.

Self-, cross- and multi-head attention are one function; they differ in where query, key and value
come from. This is how a translation looks back at what it translates.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard import attend, attention_weights
from regard.course.words.vectors import load_vectors
from regard.figures.flow import flow
from regard.figures.style import save

Sentence = Annotated[str, typer.Argument(help="words in small letters")]
Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]


def main(
    sentence: Sentence = "the king speaks",
    other: Sentence = "his queen talks",
    output: Folder = None,
) -> dict[str, float]:
    table, words, others = load_vectors("words-en"), sentence.split(), other.split()
    source, target = table.rows(words), table.rows(others)
    looked_up = attend(target, source, source)  # one vector for each word of the target

    weights = attention_weights(target, source)
    for word, row in zip(others, weights, strict=True):
        print(f'"{word}" looks at "{words[int(row.argmax())]}" most ({row.max():.2f})')
    if output:
        figure = flow(weights, others, words, title="Of another sentence")
        save(figure, output / "11_cross_attention.svg")
    return {
        "queries": len(looked_up),
        "found": (weights.argmax(-1) == np.arange(len(target))).mean().item(),
        "least": weights.max(-1).min().item(),
    }


if __name__ == "__main__":
    typer.run(main)
