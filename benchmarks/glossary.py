"""How a glossary is kept: at most 200 sentences with a term that the model translates otherwise.

    python benchmarks/glossary.py dev.tsv --terms words.tsv
    python benchmarks/glossary.py dev/*.tsv.gz --terms words.tsv.gz --model runs/mine --show

`--terms` is a dictionary, a word of each language on a line. A sentence is taken if it has a word
of it, the reference has its noun as it stands there, and the model's own translation lacks it. Each
is translated alone, without and with its own glossary, by as many beams as `--beams` says, in turn;
with a term they are five at least. A term is kept where the translation has it as a word, maybe
with an ending of declension; the interval is Wilson's, of 95 %.
"""

import argparse
import re
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from names import wilson

import regard
from regard.data import read_pairs
from regard.tasks.translation.glossary import Glossary
from regard.tasks.translation.task import Translator
from regard.training import corpus_scores

SENTENCES = 200
CANDIDATES = 2000  # sentences with a term
ENDINGS = "(?:e?s|e?n|er?)?"  # of German nouns
Asked = tuple[str, str, dict[str, str]]  # a sentence, its reference and its terms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--terms", type=Path, default=Path("terms"))
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--beams", nargs="*", type=int, default=[1, 5])
    parser.add_argument("--show", action="store_true", help="print the translations")
    arguments = parser.parse_args()
    missing = [file for file in [*arguments.files, arguments.terms] if not file.is_file()]
    if missing or not arguments.files:
        what = ", ".join(map(str, missing)) or "a file of pairs"
        parser.exit(0, f"{parser.prog} needs files of pairs and terms; {what} is not there.\n")
    translator = regard.load(arguments.model, "translation").run_by("native")
    terms = {pair.source: pair.target for pair in read_pairs(arguments.terms)}
    pairs = [(pair.source, pair.target) for file in arguments.files for pair in read_pairs(file)]
    asked = sentences(translator, pairs, terms)[: arguments.sentences]
    for beams in arguments.beams:
        for name in ("none", "glossary"):
            line = measured(translator, asked, beams, name == "glossary", arguments.show)
            print(f"{beams} beams, {name:8} {line}")


def sentences(
    translator: Translator, pairs: Sequence[tuple[str, str]], terms: dict[str, str]
) -> list[Asked]:
    """The sentences that have a term which the model translates otherwise, in random order."""
    nouns = {
        source: target
        for source, target in terms.items()
        if source.isalpha() and target.isalpha() and len(source) > 3 and target[0].isupper()
    }
    asked = list[Asked]()
    for source, target in pairs:
        others = words(target)
        own = {word: nouns[word] for word in words(source) if nouns.get(word) in others}
        asked += [(source, target, own)] if own else []
    Random(1).shuffle(asked)
    asked = asked[:CANDIDATES]
    plain = translator([source for source, _, _ in asked], force=True)
    lacks = [{s: t for s, t in own.items() if t not in words(text)}
             for (_, _, own), text in zip(asked, plain, strict=True)]  # fmt: skip
    return [(*each[:2], own) for each, own in zip(asked, lacks, strict=True) if own]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def measured(
    translator: Translator, asked: Sequence[Asked], beams: int, with_terms: bool, show: bool
) -> str:
    """Terms kept, chrF and seconds, as a line."""
    began, texts = time.perf_counter(), list[str]()
    for source, _, terms in asked:
        task = translator.decoding_by(glossary=Glossary.of(terms)) if with_terms else translator
        texts += task([source], force=True, num_beams=beams)
    seconds = time.perf_counter() - began
    every = [
        (t, text) for (_, _, own), text in zip(asked, texts, strict=True) for t in own.values()
    ]
    kept = sum(
        re.search(rf"(?<!\w){term}{ENDINGS}(?!\w)", text) is not None for term, text in every
    )
    low, high = wilson(kept, len(every))
    chrf = corpus_scores(texts, [target for _, target, _ in asked]).chrf
    if show:
        for (source, _, terms), text in zip(asked, texts, strict=True):
            print(f"{source}\t{terms}\t{text}")
    return (
        f"{kept} of {len(every)} terms kept, {kept / len(every):.1%} [{low:.1%}, {high:.1%}];"
        f" chrF {chrf:.2f}; {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
