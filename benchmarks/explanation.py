"""Is attention explanation? How far four measures order words as hiding each word does.

    python benchmarks/explanation.py
    python benchmarks/explanation.py --model runs/mine --texts sentences.txt

For each word that the model writes, the tokens of the source (of the text so far, for a language
model) are ordered by each measure and by how much the word's probability changes when the token is
hidden; the figure is Spearman's correlation of the two orders, the mean over words, with a 95 %
interval by bootstrap over sentences.
"""

import argparse
from pathlib import Path

import torch
from torch import Tensor

import regard

TEXTS = (
    "I would like to drink a cup of tea with my friends.",
    "The old man bought a small red car.",
    "She reads a book in the garden every morning.",
    "We will visit our grandmother next week.",
    "The train to Berlin leaves at seven o'clock.",
    "My brother does not like cold weather.",
    "The children are playing football in the park.",
    "Could you please close the window?",
)
NAMES = {
    "weight": "attention weight",
    "norm": "norm of weighted value",
    "gradient": "gradient x input",
    "value_zeroing": "value zeroing",
}


def main() -> None:
    """Prints each measure's mean correlation and its interval, the highest first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--texts", type=Path, help="a text on each line, instead of eight of ours")
    options = parser.parse_args()
    texts = TEXTS if options.texts is None else options.texts.read_text("utf-8").splitlines()
    model = regard.load(options.model)
    found: dict[str, list[Tensor]] = {name: [] for name in NAMES}  # of each text, (words,)
    for text in texts:
        steps = model.trace(text).measures()
        for name, each in found.items():
            rhos = [m.correlation for s in steps for m in s.measures if m.name == name]
            each.append(torch.tensor([rho for rho in rhos if rho is not None]))
    words = sum(len(each) for each in found["weight"])
    print(f"{options.model}, {words} words of {len(texts)} texts: rank correlation with |Δp|")
    for name, each in sorted(found.items(), key=lambda item: -mean(item[1])):
        if any(len(rhos) for rhos in each):
            low, high = interval(each)
            print(f"{NAMES[name]:24s} {mean(each):5.2f}  [{low:.2f}, {high:.2f}]")


def mean(texts: list[Tensor]) -> float:
    """Over all words."""
    return float(torch.cat(texts).mean())


def interval(texts: list[Tensor], samples: int = 2000) -> tuple[float, float]:
    """The middle 95 % of the means of texts drawn with replacement."""
    draw = torch.Generator().manual_seed(0)
    chosen = torch.randint(len(texts), (samples, len(texts)), generator=draw).tolist()
    means = torch.tensor([mean([texts[place] for place in each]) for each in chosen])
    low, high = means.quantile(torch.tensor([0.025, 0.975])).tolist()
    return low, high


if __name__ == "__main__":
    main()
