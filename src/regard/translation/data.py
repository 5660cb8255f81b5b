"""From a user's files to what a translator trains on, once; a resumed run finds it in its folder.

data/
    prepared.json    what it was made from, what cleaning left out, and SHA-256 of the other files
    train.tokens     the training pairs as token ids, read through a memory map
    dev.tsv, test.tsv
    tokenizer.json, …
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from regard.data import BadLine, Cleaner, CleaningRules, Pair, TokenStore, plan_split, read_pairs
from regard.data.lines import check_rereadable
from regard.data.pairs import refuse
from regard.errors import BadArgumentError
from regard.files import whole_file
from regard.recipes.prepared import prepare_once
from regard.recipes.sequences import PairEncoder
from regard.text import TokenizerPair, train_pair
from regard.translation.files import (
    PairFile,
    Pairs,
    held_files,
    languages_of,
    pair_files,
    tag,
)
from regard.translation.growing import grow_pair, read_new, with_tags, write_new
from regard.translation.names import Names
from regard.translation.options import TrainingOptions
from regard.translation.translator import Translator

Say = Callable[[str], None]


class Held(NamedTuple):
    """A dev or test pair."""

    source: str
    target: str
    language: str = ""  # of the target, where there are several


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
    # Of several target languages: the dev set of each, in the order of the files.
    dev_of: Mapping[str, list[tuple[str, str]]] = field(default_factory=dict)


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
    languages = languages_of(files)
    checksum = prepare_once(
        folder,
        files_of(pairs, options),
        {
            "vocab_size": options.vocab_size,
            "separate_vocabularies": options.separate_vocabularies,
            "max_length": options.max_length,
            "seed": options.seed,
            **_newer(files, options),
            **({} if base is None else _read_by(base)),
        },
        lambda: _Preparation(files, options, folder, say, base).run(),
        say=say,
    )
    return TranslationData(
        store=TokenStore.open(folder / "train.tokens"),
        tokenizers=TokenizerPair.load(folder),
        dev=[held[:2] for held in read_held(folder / "dev.tsv")],
        test=[held[:2] for held in read_held(folder / "test.tsv")],
        origin=", ".join(Path(path).name for file in files for path in file.paths),
        sha256=checksum,
        new_subwords=read_new(folder),
        dev_of={language: held_in(folder / "dev.tsv", language) for language in languages},
    )


def files_of(pairs: Pairs, options: TrainingOptions) -> list[str]:
    """The names of the files that training reads."""
    train = pair_files(pairs, options.weights)
    held = (held_files(spec, languages_of(train)) for spec in (options.dev, options.test))
    return [path for file in chain(train, *held) for path in file.paths]


def check_files(pairs: Pairs, options: TrainingOptions) -> None:
    """Raises NotFoundError for a file that is missing."""
    for file in files_of(pairs, options):
        check_rereadable(Path(file))


def held_in(path: Path, language: str) -> list[tuple[str, str]]:
    """The prepared dev or test pairs of a target language."""
    return [held[:2] for held in read_held(path) if held.language == language]


def read_held(path: Path) -> list[Held]:
    """Prepared dev or test pairs; see `held_in` for those of one of several target languages."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return [Held(*row) for row in rows]


def _newer(files: Sequence[PairFile], options: TrainingOptions) -> dict[str, Any]:
    """What else the data depends on, where it differs from what earlier releases did: their runs
    must still resume."""
    names = ("weights", "names", "new_subwords", "temperature")
    defaults = options.settings()
    found = {name: getattr(options, name) for name in names}
    changed = {name: each for name, each in found.items() if each != defaults[name].default}
    if not (languages := languages_of(files)):
        return changed
    languages = [file.language for file in files]
    return {**changed, "languages": languages, "source_language": options.source_language}


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
            _write_rows(folder / f"{name}.tsv", kept)
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

        _write_rows(self.cleaned, (pair[:2] for pair in each()))

    def split(self) -> None:
        """Sets dev and test apart."""
        options = self.options
        languages = languages_of(self.files)
        self.dev, self.test = (
            list(chain.from_iterable(map(_held, held_files(spec, languages))))
            for spec in (options.dev, options.test)
        )
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
        self.sizes = [0] * len(self.files)
        for pair in _pairs(self.cleaned):
            part = self.part_of(pair)
            parts[part] += 1
            number = self.file(pair)
            self.sizes[number] += part == "train"
            if part in ("dev", "test"):
                held = Held(*pair[:2], self.files[number].language)
                (self.dev if part == "dev" else self.test).append(held)
        if without := {*languages} - {held.language for held in self.dev}:
            raise BadArgumentError(
                f"every target language needs dev pairs; {', '.join(sorted(without))} got no pairs."
                " Give more pairs, or a dev file for each language."
            )
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
        else:
            tokenizers = train_pair(
                self.texts(),
                joint=not options.separate_vocabularies,
                vocab_size=options.vocab_size,
                seed=options.seed,
            )
            new = [], []
        tokenizers, new = with_tags(tokenizers, languages_of(self.files), new)
        if base is not None:
            write_new(self.folder, new)
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
        rates, renamed = self.rates(), 0
        for pair in self.train():
            number = self.file(pair)
            before = _before(self.files[number].language)
            # Of the pair alone, so that the files' other pairs change nothing.
            draw = Random(f"{seed} {pair.line}") if names or rates[number] != 1 else None
            for _ in range(_times(rates[number], draw)):
                yield f"{before}{pair.source}", pair.target
                if names is not None and draw is not None:
                    for source, target in names.variants(pair.source, pair.target, count, draw):
                        renamed += 1
                        yield f"{before}{source}", target
        if names is not None:
            self.say(f"{renamed:,} pairs again with other names")

    def rates(self) -> list[float]:
        """How often the pairs of each file are read in an epoch, on average.

        With a temperature T, language l of n_l pairs is read (n_max / n_l)^(1 - 1/T) times, so that
        its share is n_l^(1/T) over the sum of all (Arivazhagan et al. 2019, "Massively Multilingual
        Neural Machine Translation in the Wild", section 4).
        """
        sizes = dict.fromkeys((file.language for file in self.files), 0.0)
        for file, size in zip(self.files, self.sizes, strict=True):
            sizes[file.language] += size * file.weight
        largest, power = max(sizes.values()), 1 - 1 / self.options.temperature
        return [
            file.weight * (largest / max(sizes[file.language], 1.0)) ** power for file in self.files
        ]

    def file(self, pair: Pair) -> int:
        """The number of the file that a pair of the cleaned file is from."""
        return bisect_left(self.ends, pair.line)


def _times(rate: float, draw: Random | None) -> int:
    """A whole number that is `rate` on average."""
    return int(rate) + (draw is not None and draw.random() < rate % 1)


def _before(language: str) -> str:
    """What stands before a source that is translated into a language of several."""
    return f"{tag(language)} " if language else ""


def _short_enough(pairs: list[Held], encode: PairEncoder, max_length: int) -> Iterator[Held]:
    """The pairs whose loss a model can be asked for: as long as those that it is trained on."""
    texts = ((f"{_before(held.language)}{held.source}", held.target) for held in pairs)
    for pair, (source, target, _) in zip(pairs, encode(texts), strict=True):
        if max(len(source), len(target)) <= max_length:
            yield pair


def _held(file: PairFile) -> Iterator[Held]:
    """A dev or test set as the user gave it, empty sides aside."""
    rules = CleaningRules(
        max_ratio=None, max_characters=None, max_copied_words=None, duplicates=False
    )
    for pair in Cleaner(rules).clean(read_pairs(file.path)):
        yield Held(pair.source, pair.target, file.language)


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


def _write_rows(path: Path, rows: Iterable[tuple[str, ...]]) -> None:
    with whole_file(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        for row in rows:
            file.write("\t".join(row) + "\n")


def _pairs(path: Path) -> Iterator[Pair]:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            source, _, target = line.rstrip("\n").partition("\t")
            yield Pair(source, target, number)
