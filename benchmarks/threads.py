"""Threads: what many threads get from one translator at once, against the same calls made alone.

    python benchmarks/threads.py
    python benchmarks/threads.py --threads 8 --calls 100 --model en-de

Translations, alignments and traces of random sentences are first made one after the other, then by
all threads at once, in random order. Compared, to the bit:

    translate  text, tokens and score of the translation
    align      the same, the words of both sides, and the alignment's numbers
    trace      query, key, value and every attention weight of every layer, the logits, the tokens
               of both axes, each step's candidates with their probabilities, and the notes

The exit code is 1 if anything differs.
"""

import argparse
import hashlib
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import torch

import regard
from regard.tasks.translation.task import Translator

ADJECTIVES = ["old", "young", "tall", "red", "happy", "small"]
NOUNS = ["man", "woman", "dog", "child", "girl", "horse", "player"]
VERBS = ["sees", "follows", "watches", "holds", "paints"]
PLACES = ["in the street", "near a river", "in front of the house", "on a beach", "at night"]


def translate(translator: Translator, text: str) -> str:
    result = translator.run([text])[0]
    return digest(result.text, result.tokens, result.score)


def align(translator: Translator, text: str) -> str:
    result = translator.run([text], alignment="output")[0]
    words = (result.source_words, result.target_words)
    return digest(result.text, result.tokens, result.score, words, result.alignment)


def trace(translator: Translator, text: str) -> str:
    traced = translator.trace(text)
    tensors = [
        (name, *(each.numpy() for each in (tap.query, tap.key, tap.value, tap.weights())))
        for name, tap in traced.items()
    ]
    others = (traced.axes, traced.generation, traced.notes)
    return digest(*(part for tap in tensors for part in tap), traced.output.numpy(), *others)


def digest(*parts: object) -> str:
    """The same for the same parts, numbers to the bit."""
    found = hashlib.sha256()
    for part in parts:
        whole = isinstance(part, np.ndarray)
        found.update(np.ascontiguousarray(part).tobytes() if whole else repr(part).encode())
    return found.hexdigest()


def attempt(call: Callable[[], str]) -> str:
    try:
        return call()
    except Exception as error:  # whatever it is, it is the result
        return f"{type(error).__name__}: {error}"


def sentence(draw: random.Random) -> str:
    one, other = (f"{draw.choice(ADJECTIVES)} {draw.choice(NOUNS)}" for _ in range(2))
    return f"The {one} {draw.choice(VERBS)} a {other} {draw.choice(PLACES)}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--calls", type=int, default=100, help="of each kind")
    options = parser.parse_args()
    # The order of a sum depends on how many threads share it: one, in every call.
    torch.set_num_threads(1)
    translator = regard.load(options.model)
    draw = random.Random(0)
    calls = [
        (task.__name__, partial(task, translator, sentence(draw)))
        for task in (translate, align, trace)
        for _ in range(options.calls)
    ]

    start = time.perf_counter()
    alone = [call() for _, call in calls]
    between = time.perf_counter()
    order = draw.sample(range(len(calls)), len(calls))
    with ThreadPoolExecutor(options.threads, initializer=torch.set_num_threads, initargs=(1,)) as p:
        results = list(p.map(attempt, [calls[number][1] for number in order]))
    end = time.perf_counter()

    counts: Counter[tuple[str, str]] = Counter()
    errors: Counter[str] = Counter()
    for number, result in zip(order, results, strict=True):
        failed = ": " in result
        outcome = "failed" if failed else "equal" if result == alone[number] else "different"
        counts[calls[number][0], outcome] += 1
        if failed:
            errors[result] += 1
    print(f"{options.threads} threads at once on one {options.model}\n")
    print("call       calls  equal  different  failed")
    for task in ("translate", "align", "trace"):
        found = [counts[task, outcome] for outcome in ("equal", "different", "failed")]
        print("{:9}  {:5}  {:5}  {:9}  {:6}".format(task, sum(found), *found))
    for error, count in errors.most_common():
        print(f"\n{count} x {error}")
    print(f"\nalone {between - start:.1f} s, at once {end - between:.1f} s")
    sys.exit(sum(counts[key] for key in counts if key[1] != "equal") > 0)


if __name__ == "__main__":
    main()
