"""Where libraries end a sentence: agreement with the sentences of files of pairs, and their speed.

    python benchmarks/sentences.py en-de dev/*.tsv.gz
    python benchmarks/sentences.py en-de dev/*.tsv.gz --paragraphs paragraphs/*.tsv.gz

Each file has a sentence a line on both sides. Two to six that follow each other are joined by
spaces; precision and recall are of the ends inside such a paragraph, `alone` is the share of
sentences that stay one. With --paragraphs, files of pairs of paragraphs: `equal` is the share whose
sides have as many sentences. A library that is not installed is left out.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from regard.data import read_pairs

Split = Callable[[str], list[str]]


def libraries(language: str) -> Iterator[tuple[str, Split]]:
    """Each library that is installed, and its sentences of a text."""
    from sentencex import segment

    yield "sentencex", lambda text: segment(language, text)
    try:
        import pysbd

        segmenter = pysbd.Segmenter(language=language, clean=False)
        yield "pysbd", lambda text: [str(each) for each in segmenter.segment(text)]
    except ImportError:
        pass


def joined(sentences: Sequence[str], seed: int = 1) -> Iterator[list[str]]:
    """Two to six sentences at a time, in order."""
    draw, begin = Random(seed), 0
    while begin < len(sentences):
        begin, end = begin + (number := draw.randint(2, 6)), begin + number
        yield list(sentences[end - number : end])


def ends(sentences: Sequence[str]) -> set[int]:
    """Characters but spaces before the end of each sentence, but of the last."""
    ended, total = set(), 0
    for sentence in sentences:
        ended.add(total := total + len("".join(sentence.split())))
    return ended - {total, 0}


def agreement(split: Split, sentences: Sequence[str]) -> tuple[float, float, float, float]:
    """Precision, recall, the share of sentences that stay one, and microseconds for each."""
    right = expected = given = 0
    began = time.perf_counter()
    for paragraph in joined(sentences):
        ours, theirs = ends(paragraph), ends(split(" ".join(paragraph)))
        right, expected, given = (
            right + len(ours & theirs),
            expected + len(ours),
            given + len(theirs),
        )
    seconds = time.perf_counter() - began
    alone = sum(not ends(split(sentence)) for sentence in sentences) / len(sentences)
    return right / given, right / expected, alone, 1e6 * seconds / len(sentences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "languages", nargs="?", default="en-de", help="of the two sides, such as en-de"
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--paragraphs", nargs="*", type=Path, default=[])
    arguments = parser.parse_args()
    if not arguments.files or not all(file.is_file() for file in arguments.files):
        missing = ", ".join(map(str, arguments.files)) or "a file of that kind"
        parser.exit(0, f"{parser.prog} needs files of pairs; {missing} is not there.\n")
    pairs = [pair for file in arguments.files for pair in read_pairs(file)]
    paragraphs = [pair for file in arguments.paragraphs for pair in read_pairs(file)]
    both = arguments.languages.split("-")
    for language, side in zip(both, ("source", "target"), strict=True):
        sentences = [getattr(pair, side) for pair in pairs]
        print(f"{language}, {len(sentences):,} sentences")
        for name, split in libraries(language):
            precision, recall, alone, each = agreement(split, sentences)
            print(
                f"  {name:10} precision {precision:6.1%}  recall {recall:6.1%}  alone {alone:6.1%}"
                f"  {each:7.1f} µs a sentence"
            )
    for (name, of_source), (_, of_target) in zip(*map(libraries, both), strict=True):
        equal = sum(
            len(ends(of_source(pair.source))) == len(ends(of_target(pair.target)))
            for pair in paragraphs
        )
        if paragraphs:
            print(
                f"  {name:10} equal {equal / len(paragraphs):6.1%}, {len(paragraphs):,} paragraphs"
            )


if __name__ == "__main__":
    main()
