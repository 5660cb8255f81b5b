"""From a user's files to what a translator trains on, once; a resumed run finds it in its folder.

data/
    prepared.json    what it was made from, what cleaning left out, and SHA-256 of the other files
    train.tokens     the training pairs as token ids, read through a memory map
    dev.tsv, test.tsv
    tokenizer.json, …
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.data import BadLine, Cleaner, CleaningRules, Pair, TokenStore, plan_split, read_pairs
from regard.data.lines import check_rereadable
from regard.data.pairs import refuse
from regard.errors import BadArgumentError
from regard.files import whole_file
from regard.recipes.prepared import prepare_once
from regard.recipes.sequences import PairEncoder
from regard.text import TokenizerPair, train_pair
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


def prepare(
    pairs: str | tuple[str, str],
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
    files = files_of(pairs, options)
    checksum = prepare_once(
        folder,
        files,
        {
            "vocab_size": options.vocab_size,
            "separate_vocabularies": options.separate_vocabularies,
            "max_length": options.max_length,
            "seed": options.seed,
            **({} if base is None else _read_by(base)),
        },
        lambda: _prepare(pairs, options, folder, say, base),
        say=say,
    )
    return TranslationData(
        store=TokenStore.open(folder / "train.tokens"),
        tokenizers=TokenizerPair.load(folder),
        dev=_read_tsv(folder / "dev.tsv"),
        test=_read_tsv(folder / "test.tsv"),
        origin=", ".join(Path(file).name for file in files[: 1 if isinstance(pairs, str) else 2]),
        sha256=checksum,
    )


def files_of(pairs: str | tuple[str, str], options: TrainingOptions) -> list[str]:
    """The names of the files that training reads."""
    files = [pairs] if isinstance(pairs, str) else list(pairs)
    return files + [file for file in (options.dev, options.test) if file]


def check_files(pairs: str | tuple[str, str], options: TrainingOptions) -> None:
    """Raises NotFoundError for a file that is missing."""
    for file in files_of(pairs, options):
        check_rereadable(Path(file))


def _read_by(base: Translator) -> dict[str, Any]:
    """What the ids of prepared data depend on beside the tokenizer."""
    around = [list(base.before), list(base.after)]
    return {"base_model": base.name, "prefix": base.prefix, "around": around}


def _prepare(
    pairs: str | tuple[str, str],
    options: TrainingOptions,
    folder: Path,
    say: Say,
    base: Translator | None,
) -> str:
    cleaned = folder / "cleaned.tsv"
    cleaner = Cleaner()
    _write_tsv(cleaned, cleaner.clean(read_pairs(pairs, on_bad_line=_count_bad_text(cleaner))))
    say(f"{pairs if isinstance(pairs, str) else ' + '.join(pairs)}: {cleaner.report}")

    dev, test = _pairs_of(options.dev), _pairs_of(options.test)
    split = plan_split(
        _pairs(cleaned),
        dev=0 if dev else None,
        test=0 if test or dev else _as_many_as_dev(cleaner.report.kept),
        seed=options.seed,
    )
    parts: dict[str | None, int] = {"train": 0, "dev": 0, "test": 0, None: 0}
    held_out = {pair.source for pair in dev + test}

    def part_of(pair: Pair) -> str | None:
        """None: not used, since dev or test has it."""
        return None if pair.source in held_out else split.part(pair)

    def train() -> Iterator[Pair]:
        return (pair for pair in _pairs(cleaned) if part_of(pair) == "train")

    for pair in _pairs(cleaned):
        part = part_of(pair)
        parts[part] += 1
        if part in ("dev", "test"):
            (dev if part == "dev" else test).append(pair)
    if not parts["train"] or not dev:
        raise BadArgumentError(
            f"training needs pairs to train on and dev pairs; got {parts['train']} and {len(dev)}"
            f" after leaving out {parts[None]} that are also in dev or test. Give other files."
        )
    summary = f"{parts['train']:,} pairs to train on, {len(dev):,} dev, {len(test):,} test"
    if parts[None]:
        summary += f"; {parts[None]:,} left out because they are also in dev or test"
    say(summary)

    if base is None:
        tokenizers = train_pair(
            ((pair.source, pair.target) for pair in train()),
            joint=not options.separate_vocabularies,
            vocab_size=options.vocab_size,
            seed=options.seed,
        )
        encode, longest = PairEncoder(tokenizers), options.max_length
    else:
        tokenizers, encode = base.tokenizers, PairEncoder.of(base)
        longest = min(options.max_length, base.positions - 1)  # one is for the end of sentence
    tokenizers.save(folder)
    sizes = (tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    kind = (
        f"{sizes[0]:,} shared" if tokenizers.joint else f"{sizes[0]:,} source, {sizes[1]:,} target"
    )
    for name, held in (("dev", dev), ("test", test)):
        kept = list(_short_enough(held, encode, longest))
        if len(kept) < len(held):
            say(f"{name}: {len(held) - len(kept):,} pairs over {longest} left out")
        if name == "dev" and not kept:
            raise BadArgumentError(
                f"all dev pairs have more than {longest} tokens. Give shorter ones."
            )
        _write_tsv(folder / f"{name}.tsv", kept)
    store = TokenStore.write(
        folder / "train.tokens",
        (ids[:2] for ids in encode((pair.source, pair.target) for pair in train())),
        vocab_size=sizes,
        max_length=longest,
    )
    long = f"; {store.too_long:,} pairs over {longest} left out" if store.too_long else ""
    say(f"vocabulary: {kind} subwords; {len(store.tokens):,} tokens{long}")
    cleaned.unlink()
    return summary


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
