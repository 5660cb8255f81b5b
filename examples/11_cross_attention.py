"""Cross-attention: the queries come from one sentence, the keys and values from another.

Self-, cross- and multi-head attention are one function; they differ in where query, key and value
come from. This is how a translation looks back at what it translates.
"""

from pathlib import Path

import torch
from command import Numbers, run
from word_table import vectors

from regard import attend, attention_weights
from regard.figures.flow import flow
from regard.figures.style import save

SOURCE, TARGET = "the king speaks", "his queen talks"


def main(output: Path | None = None) -> Numbers:
    source, target = vectors(SOURCE), vectors(TARGET)
    looked_up = attend(target, source, source)  # one vector for each word of the target

    weights = attention_weights(target, source)
    columns = SOURCE.split()
    for word, row in zip(TARGET.split(), weights, strict=True):
        print(f'"{word}" looks at "{columns[int(row.argmax())]}" most ({row.max():.2f})')
    if output:
        figure = flow(weights.numpy(), TARGET.split(), columns, title="Of another sentence")
        save(figure, output / "11_cross_attention.svg")
    return {
        "queries": len(looked_up),
        "found": (weights.argmax(-1) == torch.arange(len(target))).float().mean().item(),
        "least": weights.max(-1).values.min().item(),
    }


if __name__ == "__main__":
    run(main)
