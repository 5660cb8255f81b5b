# python examples/intro_senses.py senses.tsv
"""Is a trained static vector the average of its senses? Word vectors are trained, and compared.

It needs a file of sentences with an ambiguous word whose sense is known, in CoarseWSD-20's form:
word, split, place among the tokens, sense and sentence, tabs between. Every third occurrence of a
sense becomes a word of its own, and the others two further words for all senses together. So the
same training has a vector for each sense, and the static vector twice: how near the two are to each
other is as near as can be asked for. It needs `pip install gensim`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard.course.words import WordVectors
from regard.course.words.cooccurrence import train_vectors

LEAST = 60  # occurrences of a sense; one with fewer is left out
EPOCHS = 10
Sentences = Annotated[Path, typer.Argument(exists=True, dir_okay=False)]
Counts = dict[str, Counter[str]]  # word → the words that stand for its senses, and how often


def tagged(lines: Iterable[str]) -> tuple[list[str], Counts]:
    """The sentences, with words of their own in place of the ambiguous ones; and those words."""
    rows = [line.split("\t") for line in lines]
    often = Counter((word, sense) for word, _, _, sense, _ in rows)
    seen: Counter[tuple[str, str]] = Counter()
    texts: list[str] = []
    counts: Counts = defaultdict(Counter)
    for word, _, place, sense, sentence in rows:
        tokens, here = sentence.split(" "), int(place)
        if tokens[here] != word or often[word, sense] < LEAST:
            continue
        senses = [each for each in often if each[0] == word]
        part, own = seen[word, sense] % 3, f"{word}0sense{senses.index((word, sense))}"
        seen[word, sense] += 1
        tokens[here] = own if part == 2 else f"{word}0static{part}"
        counts[word][own] += part == 2
        texts.append(" ".join(tokens))
    return texts, {word: senses for word, senses in counts.items() if len(senses) > 1}


def compared(vectors: WordVectors, counts: Counts) -> Iterator[list[float]]:
    """Cosines of each word's static vector with five others."""
    means = {
        word: sum(n * vectors[each] for each, n in senses.items()) / senses.total()
        for word, senses in counts.items()
    }
    for word, senses in counts.items():
        ways = [vectors[f"{word}0static1"], means[word]]
        ways.append(np.mean([vectors[each] for each in senses], axis=0))
        ways.append(vectors[senses.most_common(1)[0][0]])
        others = [mean for other, mean in means.items() if other != word]
        static = vectors[f"{word}0static0"]
        near = [static @ way / np.linalg.norm(static) / np.linalg.norm(way) for way in ways]
        far = [static @ way / np.linalg.norm(static) / np.linalg.norm(way) for way in others]
        yield [*map(float, near), float(max(far, default=0))]


def main(data: Sentences) -> dict[str, float]:
    texts, counts = tagged(data.read_text(encoding="utf-8").splitlines())
    trained = train_vectors(texts, epochs=EPOCHS)
    table = np.array([*compared(trained, counts)])
    names = "itself", "weighted", "unweighted", "frequent", "another"
    print(f"{len(texts):,} sentences; cosine of a word's static vector with")
    print(f"{'':8} {'senses':>7}", *(f"{name:>11}" for name in names))
    for (word, senses), row in zip(counts.items(), table, strict=True):
        print(f"{word:8} {len(senses):7}", *(f"{cosine:11.2f}" for cosine in row))
    print(f"{'mean':16}", *(f"{cosine:11.2f}" for cosine in table.mean(0)))
    return dict(zip(names, table.mean(0).tolist(), strict=True))


if __name__ == "__main__":
    typer.run(main)
