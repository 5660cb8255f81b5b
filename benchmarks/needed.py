"""What a translator's words look at, and what they need: 500 sentences, by kind of word.

    python benchmarks/needed.py
    python benchmarks/needed.py --model en-hi --pairs dev.tsv --show

A word needs another that it hardly looks at if it has less than a tenth of its cross-attention on
it (the mean over layers and heads), and loses more than 30 points of its probability where that
word is hidden; counted are written words of a probability of at least 30 %. Of these needs, the
loss is measured again with the word hidden from the rows of cross-attention alone, and from the
other words in the encoder alone. Kinds of words are known by short lists: a possessive is a word of
the list, a name stands on both sides, a German noun has a capital; all others are the rest. The
intervals of shares are Wilson's, those of means a bootstrap's over sentences, of 95 %.
"""

import argparse
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from names import wilson

import regard
from regard.data import read_pairs

DATA = Path(__file__).parents[2] / "shared" / "data"
PAIRS = {
    "en-de": ["tatoeba_en_de/dev.tsv"],
    "en-hi": ["tatoeba_en_hi/dev.tsv", "parallel/dev/en-hi/pud.tsv.gz"],
}
SENTENCES, LENGTHS = 500, (4, 16)  # words of a sentence
LIKELY = 0.3
# A line has a language, a kind of words, and these.
LISTS = Path(__file__).with_name("needed.tsv")


@dataclass(frozen=True)
class Word:
    """A written word: its kind, whether it looks most at what it needs most, and of each word that
    it needs unseen the loss without it anywhere, in cross-attention and in the encoder."""

    kind: str
    agrees: bool
    losses: list[tuple[float, float, float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument(
        "--pairs", type=Path, nargs="+", help="sentences; their other side is not read"
    )
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--show", action="store_true", help="print the needs")
    arguments = parser.parse_args()
    files = arguments.pairs or [DATA / name for name in PAIRS.get(arguments.model, PAIRS["en-de"])]
    if missing := [str(file) for file in files if not file.is_file()]:
        parser.exit(0, f"{parser.prog} needs {', '.join(missing)}.\n")
    translator = regard.load(arguments.model, "translation")
    rows = [line.split("\t") for line in LISTS.read_text("utf-8").splitlines()]
    language = "hi" if "hi" in arguments.model else "de"
    lists = {kind: {*words.split()} for one, kind, words in rows if one == language}
    texts = sorted({pair.source for file in files for pair in read_pairs(file)})
    fitting = [text for text in texts if LENGTHS[0] <= len(text.split()) <= LENGTHS[1]]
    chosen = Random(1).sample(fitting, min(arguments.sentences, len(fitting)))
    sentences = []
    for number, text in enumerate(chosen, 1):
        sentences.append(words_of(translator, text, lists, arguments.show))
        print(f"\r{number} of {len(chosen)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    report(arguments.model, sentences)


def words_of(translator, text: str, lists: dict[str, set[str]], show: bool) -> list[Word]:
    """Return the words that are written with LIKELY or more."""
    trace = translator.trace(text, num_beams=1)
    needed = trace.needed()
    ways = None
    words = []
    for number, need in enumerate(needed.words):
        if need.probability < LIKELY:
            continue
        unseen = need.unseen()
        if unseen and ways is None:
            ways = [trace.needed(way) for way in ("across", "within")]
        losses = [
            (need.changes[k], *(way.words[number].changes[k] for way in ways or ())) for k in unseen
        ]
        for k, (anywhere, across, within) in zip(unseen, losses, strict=True):
            if show:
                print(
                    f"{need.word}\t{needed.read[k]}\t{need.looked[k]:.1%}\t{100 * anywhere:+.0f}"
                    f"\t{100 * across:+.0f}\t{100 * within:+.0f}\t{text}"
                )
        agrees = int(np.argmax(need.looked)) == int(np.argmin(need.changes))
        words.append(Word(kind_of(need.word, needed.read, lists), agrees, losses))
    return words


def kind_of(word: str, read: list[str], lists: dict[str, set[str]]) -> str:
    for kind, members in lists.items():
        if word.lower() in members:
            return kind
    if word in read and word[:1].isupper():
        return "name, the same on both sides"
    if word[:1].isupper():
        return "noun or first word"
    return "other"


def report(model: str, sentences: list[list[Word]]) -> None:
    words = [word for sentence in sentences for word in sentence]
    groups = defaultdict[str, list[Word]](list)
    for word in words:
        groups[word.kind].append(word)
    print(f"{model}: {len(sentences)} sentences, {len(words):,} words")
    print(f"most looked at is most needed: {share([word.agrees for word in words])}")
    print(f"{'need a word that they hardly look at':<40}   words   share")
    for kind, group in [("all", words), *sorted(groups.items(), key=lambda item: -len(item[1]))]:
        print(f"{kind:<40} {len(group):>7,}   {share([bool(word.losses) for word in group])}")
    print("points lost of such a word where the other is hidden, mean")
    for place, name in enumerate(("anywhere", "in cross-attention alone", "in the encoder alone")):
        means = [[100 * loss[place] for word in s for loss in word.losses] for s in sentences]
        print(f"{name:<40} {interval(means)}")


def share(held: list[bool]) -> str:
    low, high = wilson(sum(held), len(held))
    return f"{sum(held) / max(len(held), 1):6.1%} [{low:.1%}, {high:.1%}]"


def interval(groups: list[list[float]], times: int = 1000) -> str:
    """The mean of all numbers, with a bootstrap's interval over the groups."""
    sums = np.array([[sum(group), len(group)] for group in groups if group])
    if not len(sums):
        return "none"
    draws = np.random.default_rng(1).integers(len(sums), size=(times, len(sums)))
    totals = sums[draws].sum(1)
    low, high = np.percentile(totals[:, 0] / totals[:, 1], [2.5, 97.5])
    return f"{sums[:, 0].sum() / sums[:, 1].sum():+6.1f} [{low:+.1f}, {high:+.1f}]"


if __name__ == "__main__":
    main()
