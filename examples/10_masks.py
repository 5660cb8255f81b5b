# python examples/10_masks.py --output .
"""Masks: what may be seen, and proof that nothing else is.

One argument more: `mask`, True where a query may attend to a key. Masks are small objects that
combine with & and |. What is hidden weighs exactly zero, so it can change without a trace.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard import attend, attention_weights
from regard.attention import Causal, Padding, Window
from regard.course.words.vectors import load_vectors
from regard.figures.images import images
from regard.figures.style import save

Sentence = Annotated[str, typer.Argument(help="words in small letters")]
Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
SHORTER = "the river grows"


def vectors(sentence: str) -> np.ndarray:
    """(words, dim): one vector for each word, whatever stands around it."""
    return load_vectors("words-en").rows(sentence.split())


def main(
    sentence: Sentence = "the money in the bank grows", output: Folder = None
) -> dict[str, float]:
    words = vectors(sentence)
    changed = np.concatenate([words[:-1], vectors("falls")])
    causal = [attend(x, x, x, mask=Causal()) for x in (words, changed)]
    leak = abs(causal[0] - causal[1])[:-1].max(initial=0).item()
    moved = abs(causal[0] - causal[1])[-1].max().item()
    print(f"Another last word changes the words before it by {leak}, itself by {moved:.2f}.")

    alone = vectors(SHORTER)
    length = 2 * len(alone)  # what stands in the padding must not matter
    padded = np.concatenate([alone, np.random.default_rng(0).normal(size=alone.shape)])[None, None]
    real = Padding.from_lengths(np.array([len(alone)]), keys=length)
    beside = attend(padded, padded, padded, mask=real)[0, 0, : len(alone)]
    apart = abs(beside - attend(alone, alone, alone)).max().item()
    print(f"Padded to {length} words, a sentence of {len(alone)} changes by {apart:.1e}.")
    if output:
        masks = {
            "no mask": None,
            "Causal()": Causal(),
            "Window(1, 1)": Window(1, 1),
            "Causal() & Window(2, 0)": Causal() & Window(2, 0),
        }
        maps = {name: attention_weights(words, words, mask=mask) for name, mask in masks.items()}
        save(images(maps, scale="weights"), output / "10_masks.svg")
    return {"leak": leak, "moved": moved, "padding": apart}


if __name__ == "__main__":
    typer.run(main)
