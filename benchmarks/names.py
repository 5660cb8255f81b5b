"""How many names a translator keeps: 200 sentences with names that it was not trained on.

    python benchmarks/names.py
    python benchmarks/names.py --model runs/mine --show

The sentences are those of a development set in which the same capitalized word stands on both
sides. It is replaced by a name of `regard.tasks.translation.names`, which `--names` never puts
into training pairs: behind "in", "from" or "near" by a city, elsewhere by a given name, a surname
or a company in turn. A name is kept where the translation has it as a word, or with a genitive s.
The interval is Wilson's, of 95 %. The same file gives the same sentences.
"""

import argparse
import math
import re
from collections.abc import Iterator
from itertools import chain, cycle
from pathlib import Path
from random import Random

import regard
from regard.data import read_pairs
from regard.tasks.translation.names import CITIES, COMPANIES, GIVEN, SURNAMES, Names, put

DEV = Path(__file__).parents[2] / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"
SENTENCES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--beams", type=int)
    parser.add_argument("--dev", type=Path, default=DEV, help="pairs of English and another side")
    parser.add_argument("--train", type=Path, help="names that occur here are left out")
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--show", action="store_true", help="print the sentences with a name lost")
    arguments = parser.parse_args()
    if not arguments.dev.is_file():
        parser.exit(0, f"{parser.prog} needs {arguments.dev}.\n")
    pairs = [(pair.source, pair.target) for pair in read_pairs(arguments.dev)]
    seen = _words(arguments.train) if arguments.train else frozenset()
    asked = list(sentences(pairs, arguments.sentences, seen))
    options = {"num_beams": arguments.beams} if arguments.beams else {}
    translator = regard.load(arguments.model, "translation").run_by("native")
    translations = translator([text for text, _ in asked], force=True, **options)
    kept = total = 0
    for (text, names), translation in zip(asked, translations, strict=True):
        found = [name for name in names if is_kept(name, translation)]
        kept, total = kept + len(found), total + len(names)
        if arguments.show and len(found) < len(names):
            print(f"{text}\t{translation}")
    low, high = wilson(kept, total)
    print(
        f"{arguments.model}: {kept} of {total} names kept in {len(asked)} sentences,"
        f" {kept / total:.1%} [{low:.1%}, {high:.1%}]"
    )


def sentences(
    pairs: list[tuple[str, str]], count: int, seen: frozenset[str] = frozenset()
) -> Iterator[tuple[str, list[str]]]:
    """At most `count` sentences and the names in each, none of which is in `seen`."""
    names = Names.of(pairs)
    templates = dict.fromkeys((pair[0], tuple(names.of_pair(*pair))) for pair in pairs)
    chosen = [(text, old) for text, old in templates if old]
    draw = Random(1)
    draw.shuffle(chosen)
    kinds = [sorted({*kind} - seen) for kind in (GIVEN, SURNAMES, COMPANIES, CITIES)]
    for kind in kinds:
        draw.shuffle(kind)
    others = cycle(
        chain.from_iterable(zip(*(cycle_to(kind, 60) for kind in kinds[:3]), strict=True))
    )
    cities = cycle(kinds[3])
    for text, old in chosen[:count]:
        new = {n: next(cities if _is_place(n, text) else others) for n in old}
        yield put(text, new), list(new.values())


def cycle_to(items: list[str], length: int) -> list[str]:
    """The items again and again, up to a length."""
    return [items[place % len(items)] for place in range(length)]


def is_kept(name: str, translation: str) -> bool:
    """Whether a translation has the name as a word, or with a genitive s."""
    return re.search(rf"(?<!\w){re.escape(name)}s?(?!\w)", translation) is not None


def wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a proportion: Wilson 1927, "Probable Inference", equation 4."""
    share, square = successes / trials, z * z / trials
    middle = (share + square / 2) / (1 + square)
    half = z / (1 + square) * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return middle - half, middle + half


def _is_place(name: str, text: str) -> bool:
    return re.search(rf"\b(?:[Ii]n|[Ff]rom|[Nn]ear) {re.escape(name)}\b", text) is not None


def _words(path: Path) -> frozenset[str]:
    text = (f"{pair.source} {pair.target}" for pair in read_pairs(path))
    return frozenset(word for line in text for word in re.findall(r"[^\W\d_]+", line))


if __name__ == "__main__":
    main()
