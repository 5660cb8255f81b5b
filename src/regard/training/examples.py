"""Examples from a user's files: read, cleaned, counted and split, in a run's folder.

cleaned.jsonl (removed in the end), train.jsonl, dev.jsonl, test.jsonl: an example a line.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from regard.data import BadLine, Pair, Part, part_size, plan_folds, plan_split, refuse
from regard.data.clean import CleaningReport, is_garbled
from regard.data.seen import SeenHashes, hash_texts
from regard.errors import BadArgumentError, DamagedFileError
from regard.files import whole_file
from regard.text import normalize

FEW = 100  # examples of dev or test, under which a score says little
Say = Callable[[str], None]
_UTF8: dict[str, Any] = {
    "encoding": "utf-8",
    "errors": "surrogatepass",
}  # folders may have any name


@dataclass(frozen=True)
class Example:
    """A text, or two, and a model's expected answers."""

    text: str
    pair: str | None = None
    targets: list[Any] = field(default_factory=list)  # labels, summaries, answers
    line: int = 0  # of its file
    group: str = ""  # what it belongs to, such as an article
    source: str = ""  # where it is from, in tables of scores
    id: str = ""  # the file's own name of it


class Fold(NamedTuple):
    """The part of a cross-validation that a run holds out."""

    number: int  # from 1; 0: none, the run trains on all rows
    total: int


Read = Callable[[str, Callable[[BadLine], None]], Iterator[Example]]
Fault = Callable[[Example], str | None]


@dataclass
class Examples:
    """The examples of a file as they pass, and the report on those that were left out.

    Args:
        read: the file's rows as examples; it passes a bad row to the function that is its argument.
        fault: why an example should be left out, in two words; None if it stays.
        strict: whether the first bad row is the end.
    """

    path: str
    read: Read
    fault: Fault = lambda example: None
    strict: bool = False
    report: CleaningReport = field(default_factory=CleaningReport)

    def __iter__(self) -> Iterator[Example]:
        """Yield the examples that stay."""
        seen = SeenHashes()
        for example in self.read(self.path, self._skip):
            self.report.read += 1
            reason = self._fault(example, seen)
            if reason is None:
                self.report.kept += 1
                yield example
            else:
                self.report.drop(reason, example.line)
        if not self.report.kept:
            raise DamagedFileError(
                f"no example is left of {self.path} ({self.report}). Check that the file and its"
                " columns are the right ones."
            )

    def _fault(self, example: Example, seen: SeenHashes) -> str | None:
        texts = [normalize(example.text)]  # in which no line break passes for a control character
        texts += [] if example.pair is None else [normalize(example.pair)]
        if not all(texts):
            return "empty text"
        if any(map(is_garbled, texts)):
            return "bad encoding"
        if reason := self.fault(example):
            return reason
        content = json.dumps([normalize(example.text), example.pair, example.targets])
        return None if seen.add(hash_texts([content]))[0] else "duplicate"

    def _skip(self, bad: BadLine) -> None:
        """Count a line that cannot be used; `strict`: stop at it."""
        if self.strict:
            refuse(bad)
        self.report.read += 1
        self.report.drop(bad.reason, bad.line)


def split_examples(
    path: str,
    options: Any,
    folder: Path,
    *,
    read: Read,
    fault: Fault = lambda example: None,
    say: Say,
    **how: Any,
) -> dict[str, int]:
    """Read a file of examples, and those of dev and test that `options` name; see `split`."""
    parts = {
        name: _own_part(name, file, read, fault, options.strict, say)
        for name, file in (("dev", options.dev), ("test", options.test))
    }
    examples = Examples(path, read, fault, options.strict)

    def reported() -> Iterator[Example]:
        yield from examples
        say(f"{path}: {examples.report}")

    may_fold = hasattr(options, "folds")
    return split(reported(), parts, folder, seed=options.seed, may_fold=may_fold, say=say, **how)


def split(
    examples: Iterable[Example],
    own: dict[str, list[Example]],
    folder: Path,
    *,
    seed: int,
    key: Callable[[Example], str] = lambda example: example.text,
    more: Callable[[Example], Sequence[str]] = lambda example: (),
    label: Callable[[Example], str] = lambda example: "",
    share: float = 0.02,
    targets_leak: bool = False,
    fold: Fold | None = None,
    may_fold: bool = False,
    noun: str = "",
    say: Say,
) -> dict[str, int]:
    """Write train.jsonl, dev.jsonl and test.jsonl, and say what went where.

    A dev set that is not given is split off, and with it a test set of the same size. Examples with
    one key go to one part, and no key of dev or test is trained on.

    Args:
        own: the dev and test examples that the user gave.
        key: what examples of different parts must not share.
        more: further texts of an example; it is not trained on if one of them is a key of dev or
            test.
        label: is spread over all folds.
        share: of the examples, split off for dev and again for test; see `data.split.part_size`.
        targets_leak: whether to train on no target of dev or test either.
        fold: is held out as the dev set, instead of a share; the test examples are not trained on.
        may_fold: whether the user can ask for folds.
        noun: for what is said: "pairs ".

    Returns:
        the number of examples in each part.
    """
    cleaned = folder / "cleaned.jsonl"
    count = write_examples(cleaned, examples)
    size = part_size(count, share)

    def keys_of(example: Example) -> Pair:
        return Pair(key(example), example.targets[0] if targets_leak else "", 0)

    part_of: Callable[[Pair], Part | None]
    if fold is None:
        part_of = plan_split(
            map(keys_of, read_examples(cleaned)),
            dev=0 if own["dev"] else size,
            test=0 if own["test"] or own["dev"] else size,
            seed=seed,
            targets_leak=targets_leak,
        ).part
    else:
        labeled = ((key(example), label(example)) for example in read_examples(cleaned))
        folds = plan_folds(labeled, fold.total, seed=seed)
        part_of = partial(folds.part, fold.number)

    def texts(example: Example) -> set[str]:
        return {normalize(text) for text in (key(example), *more(example))}

    def taken() -> set[str]:
        return {normalize(key(example)) for part in parts.values() for example in part}

    parts = {name: list(held) for name, held in own.items()}
    provided, split_off = taken(), 0
    for example in read_examples(cleaned):
        part = part_of(keys_of(example))
        if part in ("dev", "test") and provided.isdisjoint(texts(example)):
            parts[part].append(example)
            split_off += 1
    held_out = taken()
    train = (
        example
        for example in read_examples(cleaned)
        if part_of(keys_of(example)) == "train" and held_out.isdisjoint(texts(example))
    )
    sizes = {"train": write_examples(folder / "train.jsonl", train)}
    cleaned.unlink()
    if fold is not None and fold.number:
        parts["test"] = []  # only the model on all rows is scored on it
    for name, examples in parts.items():
        sizes[name] = write_examples(folder / f"{name}.jsonl", examples)
    if not sizes["train"] or (not sizes["dev"] and (fold is None or fold.number)):
        raise BadArgumentError(
            f"training needs examples to train on and dev examples; got {sizes['train']} and"
            f" {sizes['dev']}. Give more data, or a dev file that does not repeat it."
        )
    rest = count - sizes["train"] - split_off
    left_out = f"; {rest:,} left out because dev or test has them too" if rest else ""
    if size < FEW and not own["dev"] and fold is None:
        also = ", `--folds` scores every example" if may_fold else ""
        say(
            f"each example of dev is {100 / size:.1f} points of its score;"
            f" `--dev` takes a file with more{also}"
        )
    held = f"{sizes['dev']:,} dev, " if fold is None or fold.number else f"in {folds}, "
    say(f"{sizes['train']:,} {noun}to train on, {held}{sizes['test']:,} test{left_out}")
    return sizes


def _own_part(
    name: str, file: str | None, read: Read, fault: Fault, strict: bool, say: Say
) -> list[Example]:
    """Return the user's dev or test examples, if there are any."""
    if not file:
        return []
    examples = Examples(file, read, fault, strict)
    held = list(examples)
    if examples.report.dropped:
        say(f"{name}: {file}: {examples.report}")
    return held


def write_examples(path: Path, examples: Iterable[Example]) -> int:
    """Return an example a line, as JSON; the file is written whole or not at all. Returns how
    many."""
    count = 0
    with whole_file(path) as temporary, open(temporary, "w", **_UTF8) as file:
        for example in examples:
            count += 1
            file.write(json.dumps(vars(example), ensure_ascii=False) + "\n")
    return count


def read_examples(path: Path) -> Iterator[Example]:
    """Yield the examples that `write_examples` wrote."""
    with open(path, **_UTF8) as file:
        for line in file:
            yield Example(**json.loads(line))
