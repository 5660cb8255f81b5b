"""Sentence pairs of a user's files, prepared once; a resumed run finds them in its folder.

data/
    train.tokens             the training pairs as token ids, read through a memory map
    dev.jsonl, test.jsonl    the other pairs
    tokenizer.json, …
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from regard.data import Cleaner, CleaningRules, Pair, TokenStore, read_pairs
from regard.errors import BadArgumentError
from regard.recipes.examples import Example, read_examples, split, write_examples
from regard.recipes.prepared import Values
from regard.recipes.sequences import PairEncoder, SequenceData
from regard.records import LeftOut, refuse
from regard.text import TokenizerPair, train_pair
from regard.translation.files import PairFile, held_files, languages_of, tag
from regard.translation.growing import NewIds, grow_pair, with_tags
from regard.translation.names import Names
from regard.translation.options import TrainingOptions
from regard.translation.translator import Translator

Say = Callable[[str], None]


@dataclass(frozen=True)
class TranslationData(SequenceData):
    """Sentence pairs; an example's group is its target language, where there are several."""

    # The ids on either side of the subwords that the base of the run did not have.
    new_subwords: tuple[list[int], list[int]]
    dev: list[Example]
    test: list[Example]


def pairs_of(examples: Iterable[Example], language: str = "") -> list[tuple[str, str]]:
    """Return the sentence pairs of a target language."""
    return [(each.text, each.targets[0]) for each in examples if each.group == language]


def fill(
    files: Sequence[PairFile],
    options: TrainingOptions,
    folder: Path,
    say: Say,
    base: Translator | None,
) -> tuple[str, Values]:
    """Read the files once and fill the folder; see `Recipe.fill`.

    Args:
        base: the translator that training continues from, whose tokenizers and prefix are used.
    """
    pairs = divided(files, options, folder, say)
    tokenizers, new = _tokenizers(pairs, options, say, base)
    tokenizers.save(folder)
    if base is None:
        encode, longest = PairEncoder(tokenizers), options.max_length
    else:
        encode = replace(PairEncoder.of(base), tokenizers=tokenizers)
        longest = min(options.max_length, base.positions - 1)  # one is for the end
    for name in ("dev", "test"):
        held = list(read_examples(folder / f"{name}.jsonl"))
        kept = list(_short_enough(held, encode, longest))
        if len(kept) < len(held):
            say(f"{name}: {len(held) - len(kept):,} pairs over {longest} left out")
        if name == "dev" and not kept:
            raise BadArgumentError(
                f"all dev pairs have more than {longest} tokens. Give shorter ones."
            )
        write_examples(folder / f"{name}.jsonl", kept)
    sizes = (tokenizers.source.vocab_size, tokenizers.target.vocab_size)
    store = TokenStore.write(
        folder / "train.tokens",
        (ids[:2] for ids in encode(epoch(pairs, options, say=say))),
        vocab_size=sizes,
        max_length=longest,
    )
    kind = (
        f"{sizes[0]:,} shared" if tokenizers.joint else f"{sizes[0]:,} source, {sizes[1]:,} target"
    )
    long = f"; {store.too_long:,} pairs over {longest} left out" if store.too_long else ""
    say(f"vocabulary: {kind} subwords; {len(store.tokens):,} tokens{long}")
    pairs.path.unlink()
    return pairs.summary, {"new_subwords": new}


@dataclass(frozen=True)
class TrainingPairs:
    """The pairs to train on: examples whose line counts those of all files that stayed."""

    path: Path
    files: Sequence[PairFile]
    ends: Sequence[int]  # the last line of each file
    summary: str  # "29,000 pairs to train on, 580 dev, 580 test"

    def __iter__(self) -> Iterator[Example]:
        return read_examples(self.path)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield their two sides."""
        return ((example.text, example.targets[0]) for example in self)

    def file(self, example: Example) -> int:
        """Return the number of the file that an example is from."""
        return bisect_left(self.ends, example.line)


def divided(
    files: Sequence[PairFile], options: TrainingOptions, folder: Path, say: Say
) -> TrainingPairs:
    """Clean the pairs, and set dev and test apart: the user's own, or pairs split off.

    Raises:
        DamagedFileError: no pair of a file stays.
        BadArgumentError: nothing is left to train on, or a target language lacks dev pairs.
    """
    languages, ends, said = languages_of(files), list[int](), list[str]()
    own = {
        name: [each for file in held_files(spec, languages) for each in _own(file, options, say)]
        for name, spec in (("dev", options.dev), ("test", options.test))
    }

    def remember(sentence: str) -> None:
        said.append(sentence)
        say(sentence)

    split(
        _cleaned(files, ends, options, say), own, folder,
        seed=options.seed, targets_leak=True, noun="pairs ", say=remember,
    )  # fmt: skip
    known = {example.group for example in read_examples(folder / "dev.jsonl")}
    if without := {*languages} - known:
        raise BadArgumentError(
            f"every target language needs dev pairs; {', '.join(sorted(without))} got no pairs."
            " Give more pairs, or a dev file for each language."
        )
    return TrainingPairs(folder / "train.jsonl", files, ends, said[-1])


def _cleaned(
    files: Sequence[PairFile], ends: list[int], options: TrainingOptions, say: Say
) -> Iterator[Example]:
    """The pairs of each file that stay; `ends` gets the number of those so far."""
    line = 0
    for file in files:
        cleaner = Cleaner()
        on_bad_line = refuse if options.strict else cleaner.skip
        for pair in cleaner.clean(read_pairs(file.path, on_bad_line=on_bad_line, say=say)):
            line += 1
            yield _example(pair, file.language, line)
        say(f"{file.name}: {cleaner.report}")
        ends.append(line)


def _own(file: PairFile, options: TrainingOptions, say: Say) -> Iterator[Example]:
    """A dev or test set as the user gave it, empty sides aside."""
    rules = CleaningRules(
        max_ratio=None, max_characters=None, max_copied_words=None, duplicates=False
    )
    bad = LeftOut(strict=options.strict)
    for pair in Cleaner(rules).clean(read_pairs(file.path, on_bad_line=bad, say=say)):
        yield _example(pair, file.language, pair.line)
    bad.report(say)


def _example(pair: Pair, language: str, line: int) -> Example:
    return Example(pair.source, None, [pair.target], line, language)


def _tokenizers(
    pairs: TrainingPairs, options: TrainingOptions, say: Say, base: Translator | None
) -> tuple[TokenizerPair, NewIds]:
    """Tokenizers, trained or the base's, and the ids of those subwords that the base lacks."""
    languages = languages_of(pairs.files)
    if base is not None:
        return with_tags(*grow_pair(base, pairs.texts, options.new_subwords, say=say), languages)
    tokenizers = train_pair(
        pairs.texts(),
        joint=not options.separate_vocabularies,
        vocab_size=options.vocab_size,
        seed=options.seed,
    )
    return with_tags(tokenizers, ([], []), languages)[0], ([], [])


def _short_enough(
    examples: list[Example], encode: PairEncoder, max_length: int
) -> Iterator[Example]:
    """The pairs whose loss a model can be asked for: as long as those that it is trained on."""
    texts = ((f"{before_source(each.group)}{each.text}", each.targets[0]) for each in examples)
    for example, (source, target, _) in zip(examples, encode(texts), strict=True):
        if max(len(source), len(target)) <= max_length:
            yield example


def epoch(pairs: TrainingPairs, options: TrainingOptions, *, say: Say) -> Iterator[tuple[str, str]]:
    """Yield what an epoch reads: pairs as often as their file and language say, in the order of the
    files, also with other names.

    Raises:
        BadArgumentError: `names` asks for names, and the pairs have none.
    """
    count, seed = options.names, options.seed
    names = Names.of(pairs.texts()) if count else None
    if names is not None and not names.found:
        raise BadArgumentError(
            "names asks for pairs with the same capitalized word on both sides, and there are"
            " none: between different scripts, names are not copied. Leave names out."
        )
    often, renamed = rates(pairs, options.temperature), 0
    for example in pairs:
        rate, before = often[pairs.file(example)], before_source(example.group)
        [target] = example.targets
        # Of the pair alone, so that the files' other pairs change nothing.
        draw = Random(f"{seed} {example.line}") if names or rate != 1 else None
        for _ in range(_times(rate, draw)):
            yield f"{before}{example.text}", target
            if names is not None and draw is not None:
                for source, other in names.variants(example.text, target, count, draw):
                    renamed += 1
                    yield f"{before}{source}", other
    if names is not None:
        say(f"{renamed:,} pairs again with other names")


def rates(pairs: TrainingPairs, temperature: float) -> list[float]:
    """Return how often the pairs of each file are read in an epoch, on average.

    With a temperature T, language l of n_l pairs is read (n_max / n_l)^(1 - 1/T) times, so that its
    share is n_l^(1/T) over the sum of all (Arivazhagan et al. 2019, "Massively Multilingual Neural
    Machine Translation in the Wild", section 4).
    """
    numbers, sizes = Counter(map(pairs.file, pairs)), dict[str, float]()
    for number, file in enumerate(pairs.files):
        sizes[file.language] = sizes.get(file.language, 0.0) + numbers[number] * file.weight
    largest, power = max(sizes.values()), 1 - 1 / temperature
    return [
        file.weight * (largest / max(sizes[file.language], 1.0)) ** power for file in pairs.files
    ]


def before_source(language: str) -> str:
    """Return the text before a source that is translated into a language of several."""
    return f"{tag(language)} " if language else ""


def _times(rate: float, draw: Random | None) -> int:
    """A whole number that is `rate` on average."""
    return int(rate) + (draw is not None and draw.random() < rate % 1)
