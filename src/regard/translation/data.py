"""From a user's files to what a translator trains on, once; a resumed run finds it in its folder.

data/
    prepared.json    what it was made from, what cleaning left out, and SHA-256 of the other files
    train.tokens     the training pairs as token ids, read through a memory map
    dev.tsv, test.tsv
    tokenizer.json, …
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from regard.data import TokenStore
from regard.errors import BadArgumentError
from regard.recipes.prepared import prepare_once
from regard.recipes.sequences import PairEncoder
from regard.records.lines import check_rereadable
from regard.text import TokenizerPair, train_pair
from regard.translation.cleaned import CleanedPairs, write_rows
from regard.translation.epoch import before_source, epoch
from regard.translation.files import PairFile, Pairs, held_files, languages_of, pair_files
from regard.translation.growing import grow_pair, read_new, with_tags, write_new
from regard.translation.options import TrainingOptions
from regard.translation.parts import Held, Parts, divided, held_in, read_held
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
        lambda: _fill(files, options, folder, say, base),
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


def _fill(
    files: Sequence[PairFile],
    options: TrainingOptions,
    folder: Path,
    say: Say,
    base: Translator | None,
) -> str:
    """Reads the files once and fills the folder; a summary in a few words."""
    cleaned = CleanedPairs.write(folder / "cleaned.tsv", files, strict=options.strict, say=say)
    parts = divided(cleaned, options, say=say)
    say(str(parts))
    tokenizers = _tokenizers(parts, options, folder, say, base)
    if base is None:
        encode, longest = PairEncoder(tokenizers), options.max_length
    else:
        encode = replace(PairEncoder.of(base), tokenizers=tokenizers)
        longest = min(options.max_length, base.positions - 1)  # one is for the end
    for name, held in (("dev", parts.dev), ("test", parts.test)):
        kept = list(_short_enough(held, encode, longest))
        if len(kept) < len(held):
            say(f"{name}: {len(held) - len(kept):,} pairs over {longest} left out")
        if name == "dev" and not kept:
            raise BadArgumentError(
                f"all dev pairs have more than {longest} tokens. Give shorter ones."
            )
        write_rows(folder / f"{name}.tsv", kept)
    sizes = (tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    store = TokenStore.write(
        folder / "train.tokens",
        (ids[:2] for ids in encode(epoch(parts, options, say=say))),
        vocab_size=sizes,
        max_length=longest,
    )
    kind = (
        f"{sizes[0]:,} shared" if tokenizers.joint else f"{sizes[0]:,} source, {sizes[1]:,} target"
    )
    long = f"; {store.too_long:,} pairs over {longest} left out" if store.too_long else ""
    say(f"vocabulary: {kind} subwords; {len(store.tokens):,} tokens{long}")
    cleaned.path.unlink()
    return str(parts)


def _tokenizers(
    parts: Parts, options: TrainingOptions, folder: Path, say: Say, base: Translator | None
) -> TokenizerPair:
    """Trained, or the base's, with new subwords where the data needs some; saved in the folder."""
    if base is not None:
        tokenizers, new = grow_pair(base, parts.texts, options.new_subwords, say=say)
    else:
        tokenizers = train_pair(
            parts.texts(),
            joint=not options.separate_vocabularies,
            vocab_size=options.vocab_size,
            seed=options.seed,
        )
        new = [], []
    tokenizers, new = with_tags(tokenizers, languages_of(parts.cleaned.files), new)
    if base is not None:
        write_new(folder, new)
    tokenizers.save(folder)
    return tokenizers


def _short_enough(pairs: list[Held], encode: PairEncoder, max_length: int) -> Iterator[Held]:
    """The pairs whose loss a model can be asked for: as long as those that it is trained on."""
    texts = ((f"{before_source(held.language)}{held.source}", held.target) for held in pairs)
    for pair, (source, target, _) in zip(pairs, encode(texts), strict=True):
        if max(len(source), len(target)) <= max_length:
            yield pair
