"""From a user's files to what a translator trains on, once; a resumed run finds it in its folder.

data/
    prepared.json    what it was made from, what cleaning left out, and SHA-256 of the other files
    train.tokens     the training pairs as token ids, read through a memory map
    dev.tsv, test.tsv
    tokenizer.json, …
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from regard.data import BadLine, Cleaner, CleaningRules, Pair, TokenStore, plan_split, read_pairs
from regard.data.lines import check_rereadable
from regard.data.pairs import refuse
from regard.errors import BadArgumentError
from regard.files import whole_file
from regard.recipes.prepared import prepare_once
from regard.recipes.sequences import PairEncoder
from regard.text import TokenizerPair, train_pair
from regard.translation.files import PairFile, Pairs, pair_files
from regard.translation.growing import grow_pair, read_new, write_new
from regard.translation.names import Names
from regard.translation.options import TrainingOptions
from regard.translation.translator import Translator

Say = Callable[[str], None]


@dataclass(frozen=True)
class TranslationData:
    """Everything training needs to know of the data."""

    store: TokenStore
    tokenizers: TokenizerPair
    dev: list[tuple[str, str]]
    test: list[tuple[str, str]]
    origin: str  # the files' names
    sha256: str  # of their contents
    # The ids on either side of the subwords that the base of the run did not have.
    new_subwords: tuple[list[int], list[int]] = ([], [])


def prepare(
    pairs: Pairs,
    options: TrainingOptions,
    folder: Path,
    *,
    say: Say,
    base: Translator | None = None,
) -> TranslationData:
    """Reads, cleans, splits, trains the tokenizer and stores token ids; or finds all that done.

    Args:
        base: the translator that training continues from, whose tokenizers and prefix are used.

    Raises:
        BadArgumentError: options or prepared data of another run.
        DamagedFileError: a mistake in the files, or prepared data that changed since.
    """
    check_files(pairs, options)
    files = pair_files(pairs, options.weights)
    # Options that are newer than runs which must still resume are named where they are used.
    newer = {name: getattr(options, name) for name in ("weights", "names", "new_subwords")}
    checksum = prepare_once(
        folder,
        files_of(pairs, options),
        {
            "vocab_size": options.vocab_size,
            "separate_vocabularies": options.separate_vocabularies,
            "max_length": options.max_length,
            "seed": options.seed,
            **{name: value for name, value in newer.items() if value not in ("", 0.0, None)},
            **({} if base is None else _read_by(base)),
        },
        lambda: _Preparation(files, options, folder, say, base).run(),
        say=say,
    )
    return TranslationData(
        store=TokenStore.open(folder / "train.tokens"),
        tokenizers=TokenizerPair.load(folder),
        dev=_read_tsv(folder / "dev.tsv"),
        test=_read_tsv(folder / "test.tsv"),
        origin=", ".join(Path(path).name for file in files for path in file.paths),
        sha256=checksum,
        new_subwords=read_new(folder),
    )


def files_of(pairs: Pairs, options: TrainingOptions) -> list[str]:
    """The names of the files that training reads."""
    train = [path for file in pair_files(pairs, options.weights) for path in file.paths]
    return train + [file for file in (options.dev, options.test) if file]


def check_files(pairs: Pairs, options: TrainingOptions) -> None:
    """Raises NotFoundError for a file that is missing."""
    for file in files_of(pairs, options):
        check_rereadable(Path(file))


def _read_by(base: Translator) -> dict[str, Any]:
    """What the ids of prepared data depend on beside the tokenizer."""
    around = [list(base.before), list(base.after)]
    return {"base_model": base.name, "prefix": base.prefix, "around": around}


@dataclass
class _Preparation:
    """The one reading of the files that fills the folder."""

    files: list[PairFile]
    options: TrainingOptions
    folder: Path
    say: Say
    base: Translator | None

    def run(self) -> str:
        """Fills the folder; a summary in a few words."""
        options, folder = self.options, self.folder
        self.clean()
        self.split()
        tokenizers = self.tokenizers()
        if self.base is None:
            encode, longest = PairEncoder(tokenizers), options.max_length
        else:
            encode = replace(PairEncoder.of(self.base), tokenizers=tokenizers)
            longest = min(options.max_length, self.base.positions - 1)  # one is for the end
        for name, held in (("dev", self.dev), ("test", self.test)):
            kept = list(_short_enough(held, encode, longest))
            if len(kept) < len(held):
                self.say(f"{name}: {len(held) - len(kept):,} pairs over {longest} left out")
            if name == "dev" and not kept:
                raise BadArgumentError(
                    f"all dev pairs have more than {longest} tokens. Give shorter ones."
                )
            _write_tsv(folder / f"{name}.tsv", kept)
        sizes = (tokenizers.source.vocab_size, tokenizers.target.vocab_size)
        store = TokenStore.write(
            folder / "train.tokens",
            (ids[:2] for ids in encode(self.examples())),
            vocab_size=sizes,
            max_length=longest,
        )
        kind = (
            f"{sizes[0]:,} shared"
            if tokenizers.joint
            else f"{sizes[0]:,} source, {sizes[1]:,} target"
        )
        long = f"; {store.too_long:,} pairs over {longest} left out" if store.too_long else ""
        self.say(f"vocabulary: {kind} subwords; {len(store.tokens):,} tokens{long}")
        self.cleaned.unlink()
        return self.summary

    @property
    def cleaned(self) -> Path:
        return self.folder / "cleaned.tsv"

    def clean(self) -> None:
        """Writes the pairs of all files that stay into one, and notes where each file ends."""
        self.ends: list[int] = []

        def each() -> Iterator[Pair]:
            for file in self.files:
                cleaner = Cleaner()
                yield from cleaner.clean(
                    read_pairs(file.path, on_bad_line=_count_bad_text(cleaner))
                )
                self.say(f"{file.name}: {cleaner.report}")
                self.ends.append(cleaner.report.kept + (self.ends[-1] if self.ends else 0))

        _write_tsv(self.cleaned, each())

    def split(self) -> None:
        """Sets dev and test apart."""
        options = self.options
        self.dev, self.test = _pairs_of(options.dev), _pairs_of(options.test)
        held_out = {pair.source for pair in self.dev + self.test}
        split = plan_split(
            _pairs(self.cleaned),
            dev=0 if self.dev else None,
            test=0 if self.test or self.dev else _as_many_as_dev(self.ends[-1]),
            seed=options.seed,
        )

        # None: not used, since dev or test has it.
        self.part_of: Callable[[Pair], str | None] = lambda pair: (
            None if pair.source in held_out else split.part(pair)
        )
        parts: dict[str | None, int] = {"train": 0, "dev": 0, "test": 0, None: 0}
        for pair in _pairs(self.cleaned):
            part = self.part_of(pair)
            parts[part] += 1
            if part in ("dev", "test"):
                (self.dev if part == "dev" else self.test).append(pair)
        if not parts["train"] or not self.dev:
            raise BadArgumentError(
                f"training needs pairs to train on and dev pairs; got {parts['train']} and"
                f" {len(self.dev)} after leaving out {parts[None]} that are also in dev or test."
                " Give other files."
            )
        self.summary = (
            f"{parts['train']:,} pairs to train on, {len(self.dev):,} dev, {len(self.test):,} test"
        )
        if parts[None]:
            self.summary += f"; {parts[None]:,} left out because they are also in dev or test"
        self.say(self.summary)

    def train(self) -> Iterator[Pair]:
        """The pairs to train on."""
        return (pair for pair in _pairs(self.cleaned) if self.part_of(pair) == "train")

    def texts(self) -> Iterator[tuple[str, str]]:
        """Their two sides."""
        return ((pair.source, pair.target) for pair in self.train())

    def tokenizers(self) -> TokenizerPair:
        """Trained, or the base's, with new subwords where the data needs some."""
        options, base = self.options, self.base
        if base is not None:
            tokenizers, new = grow_pair(base, self.texts, options.new_subwords, say=self.say)
            write_new(self.folder, new)
        else:
            tokenizers = train_pair(
                self.texts(),
                joint=not options.separate_vocabularies,
                vocab_size=options.vocab_size,
                seed=options.seed,
            )
        tokenizers.save(self.folder)
        return tokenizers

    def examples(self) -> Iterator[tuple[str, str]]:
        """What an epoch reads: each pair as often as its file's weight says, with other names."""
        count, seed = self.options.names, self.options.seed
        names = Names.of(self.texts()) if count else None
        if names is not None and not names.found:
            raise BadArgumentError(
                "names asks for pairs with the same capitalised word on both sides, and there are"
                " none: between different scripts, names are not copied. Leave names out."
            )
        renamed = 0
        for pair in self.train():
            texts, weight = (pair.source, pair.target), self.weight(pair)
            if names is None and weight == 1:
                yield texts
                continue
            draw = Random(f"{seed} {pair.line}")
            for _ in range(int(weight) + (draw.random() < weight % 1)):
                yield texts
                if names is not None:
                    for renamed_texts in names.variants(*texts, count, draw):
                        renamed += 1
                        yield renamed_texts
        if names is not None:
            self.say(f"{renamed:,} pairs again with other names")

    def weight(self, pair: Pair) -> float:
        """How often a pair of the cleaned file is read in an epoch."""
        return self.files[bisect_left(self.ends, pair.line)].weight


def _short_enough(pairs: list[Pair], encode: PairEncoder, max_length: int) -> Iterator[Pair]:
    """The pairs whose loss a model can be asked for: as long as those that it is trained on."""
    texts = ((pair.source, pair.target) for pair in pairs)
    for pair, (source, target, _) in zip(pairs, encode(texts), strict=True):
        if max(len(source), len(target)) <= max_length:
            yield pair


def _pairs_of(file: str | None) -> list[Pair]:
    """A dev or test set as the user gave it, empty sides aside."""
    if file is None:
        return []
    rules = CleaningRules(
        max_ratio=None, max_characters=None, max_copied_words=None, duplicates=False
    )
    return list(Cleaner(rules).clean(read_pairs(file)))


def _as_many_as_dev(kept: int) -> int:
    return min(2000, max(1, round(0.02 * kept)))


def _count_bad_text(cleaner: Cleaner) -> Callable[[BadLine], None]:
    """Undecodable lines are counted and left out; a line that is no pair stops the reading."""

    def judge(bad: BadLine) -> None:
        if bad.reason == "bad encoding":
            cleaner.skip(bad)
        else:
            refuse(bad)

    return judge


def _write_tsv(path: Path, pairs: Iterable[Pair]) -> None:
    with whole_file(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        for pair in pairs:
            file.write(f"{pair.source}\t{pair.target}\n")


def _pairs(path: Path) -> Iterator[Pair]:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            source, _, target = line.rstrip("\n").partition("\t")
            yield Pair(source, target, number)


def _read_tsv(path: Path) -> list[tuple[str, str]]:
    return [(pair.source, pair.target) for pair in _pairs(path)]
