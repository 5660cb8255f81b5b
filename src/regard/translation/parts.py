"""Cleaned pairs divided into those to train on, the dev set and the test set."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from regard.data import Cleaner, CleaningRules, Pair, plan_split, read_pairs
from regard.errors import BadArgumentError
from regard.recipes.examples import Example
from regard.records import LeftOut
from regard.records.lines import Say, warn
from regard.translation.cleaned import CleanedPairs
from regard.translation.files import PairFile, held_files, languages_of
from regard.translation.options import TrainingOptions


@dataclass(frozen=True)
class Parts:
    """Which pairs are trained on, and the dev and test pairs; no source is in two of them."""

    cleaned: CleanedPairs
    part_of: Callable[[Pair], str | None]  # None: not used, since dev or test has it
    dev: list[Example]
    test: list[Example]
    sizes: list[int]  # the pairs of each file that are trained on
    left_out: int

    def train(self) -> Iterator[Pair]:
        """The pairs to train on."""
        return (pair for pair in self.cleaned if self.part_of(pair) == "train")

    def texts(self) -> Iterator[tuple[str, str]]:
        """Their two sides."""
        return ((pair.source, pair.target) for pair in self.train())

    def __str__(self) -> str:
        """`29,000 pairs to train on, 580 dev, 580 test`"""
        train, dev, test = sum(self.sizes), len(self.dev), len(self.test)
        sizes = f"{train:,} pairs to train on, {dev:,} dev, {test:,} test"
        if not self.left_out:
            return sizes
        return f"{sizes}; {self.left_out:,} left out because they are also in dev or test"


def divided(cleaned: CleanedPairs, options: TrainingOptions, *, say: Say = warn) -> Parts:
    """Sets dev and test apart: the user's own, or pairs split off.

    Args:
        say: called with a sentence on lines of the user's own that are left out.

    Raises:
        BadArgumentError: nothing is left to train on, or a target language lacks dev pairs.
    """
    languages = languages_of(cleaned.files)
    dev, test = (
        [pair for file in held_files(spec, languages) for pair in _own(file, options.strict, say)]
        for spec in (options.dev, options.test)
    )
    held_out = {example.text for example in dev + test}
    split = plan_split(
        iter(cleaned),
        dev=0 if dev else None,
        test=0 if test or dev else min(2000, max(1, round(0.02 * len(cleaned)))),  # as many as dev
        seed=options.seed,
    )

    def part_of(pair: Pair) -> str | None:
        return None if pair.source in held_out else split.part(pair)

    sizes, left_out = [0] * len(cleaned.files), 0
    for pair in cleaned:
        part, number = part_of(pair), cleaned.file(pair)
        sizes[number] += part == "train"
        left_out += part is None
        if part in ("dev", "test"):
            held = _example(pair, cleaned.files[number].language)
            (dev if part == "dev" else test).append(held)
    parts = Parts(cleaned, part_of, dev, test, sizes, left_out)
    _check(parts, languages)
    return parts


def _own(file: PairFile, strict: bool, say: Say) -> Iterator[Example]:
    """A dev or test set as the user gave it, empty sides aside."""
    rules = CleaningRules(
        max_ratio=None, max_characters=None, max_copied_words=None, duplicates=False
    )
    bad = LeftOut(strict=strict)
    for pair in Cleaner(rules).clean(read_pairs(file.path, on_bad_line=bad, say=say)):
        yield _example(pair, file.language)
    bad.report(say)


def _example(pair: Pair, language: str) -> Example:
    return Example(pair.source, None, [pair.target], group=language)


def _check(parts: Parts, languages: Sequence[str]) -> None:
    if without := {*languages} - {example.group for example in parts.dev}:
        raise BadArgumentError(
            f"every target language needs dev pairs; {', '.join(sorted(without))} got no pairs."
            " Give more pairs, or a dev file for each language."
        )
    if not sum(parts.sizes) or not parts.dev:
        raise BadArgumentError(
            f"training needs pairs to train on and dev pairs; got {sum(parts.sizes)} and"
            f" {len(parts.dev)} after leaving out {parts.left_out} that are also in dev or test."
            " Give other files."
        )
