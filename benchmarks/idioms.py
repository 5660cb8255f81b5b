"""How a translator takes idioms or ambiguous words: sentences of our own and German renderings.

    python benchmarks/idioms.py
    python benchmarks/idioms.py --file benchmarks/ambiguous.tsv --each 4
    python benchmarks/idioms.py --model runs/mine --show
    python benchmarks/idioms.py --file benchmarks/everyday.txt --train sources/*.tsv.gz

A line of idioms.tsv has a sentence, a translation, and the words by which a translation of the
idiom is known: all words of one of the alternatives between `|`, each a regular expression for the
beginning of a word. That says that the idiom was understood, not that the sentence is good; chrF is
of the whole. The interval is Wilson's, of 95 %. ambiguous.tsv has the same for 50 words of two
senses, two sentences for each sense: with --each 4, the words that are known in all four are
counted. With --train, sentences of the sources that share two thirds of their words with one of the
file are listed, and nothing is measured: the file has to be held out. everyday.txt has 100
sentences alone, for people to compare the translations of two models.
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from names import wilson

import regard
from regard.data import read_pairs
from regard.training import corpus_scores

IDIOMS = Path(__file__).with_name("idioms.tsv")
ALIKE = 2 / 3  # of the words of two sentences, on average (Dice 1945)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=IDIOMS)
    parser.add_argument("--each", type=int, help="lines for an ambiguous word, all in a row")
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--beams", type=int)
    parser.add_argument("--train", nargs="*", type=Path, default=[])
    parser.add_argument("--show", action="store_true", help="print the translations")
    arguments = parser.parse_args()
    if missing := [str(file) for file in (arguments.file, *arguments.train) if not file.is_file()]:
        parser.exit(0, f"{parser.prog} needs {', '.join(missing)}.\n")
    rows = [line.split("\t") for line in arguments.file.read_text(encoding="utf-8").splitlines()]
    sources, *others = zip(*rows, strict=True)
    if arguments.train:
        texts = (pair.source for file in arguments.train for pair in read_pairs(file))
        for source, text in near_duplicates(sources, texts):
            print(f"{source}\t{text}")
        return
    if len(others) != 2:
        parser.error(f"{arguments.file} needs 3 columns to be measured by; got {1 + len(others)}.")
    references, keys = others
    options = {"num_beams": arguments.beams} if arguments.beams else {}
    translator = regard.load(arguments.model, "translation").run_by("native")
    texts = translator(sources, force=True, **options)
    known = [is_known(*each) for each in zip(keys, texts, strict=True)]
    low, high = wilson(sum(known), len(known))
    print(
        f"{arguments.model}: {sum(known)} of {len(known)}"
        f" {'ambiguous words' if arguments.each else 'idioms'} known,"
        f" {sum(known) / len(known):.0%} [{low:.0%}, {high:.0%}];"
        f" chrF {corpus_scores(texts, references).chrf:.2f}"
    )
    if arguments.each:
        whole = [all(known[k : k + arguments.each]) for k in range(0, len(known), arguments.each)]
        print(f"{sum(whole)} of {len(whole)} words known in both senses, in all sentences")
    for source, text, right in zip(sources, texts, known, strict=True):
        if arguments.show:
            print(f"{'+' if right else '-'} {source}\t{text}")


def is_known(keys: str, translation: str) -> bool:
    """Whether a translation has the words of one of the alternatives."""
    return any(
        all(re.search(rf"\b{word}", translation, re.IGNORECASE) for word in key.split())
        for key in keys.split("|")
    )


def near_duplicates(sentences: Sequence[str], texts: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield each of the texts that is much like one of the sentences, behind that one."""
    bags, having = [words(sentence) for sentence in sentences], defaultdict[str, list[int]](list)
    for number, bag in enumerate(bags):
        for word in bag:
            having[word].append(number)
    for text in texts:
        own = words(text)
        common = Counter(number for word in own for number in having.get(word, ()))
        for number, count in common.items():
            if 2 * count >= ALIKE * (len(own) + len(bags[number])):
                yield sentences[number], text


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


if __name__ == "__main__":
    main()
