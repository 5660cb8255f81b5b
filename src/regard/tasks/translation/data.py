"""Sentence pairs of a user's files, prepared once; a resumed run finds them in its folder.

data/
    train.tokens             the training pairs as token ids, read through a memory map
    dev.jsonl, test.jsonl    the other pairs
    tokenizer.json, …
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import (
    BadLine,
    Cleaner,
    CleaningRules,
    LeftOut,
    Pair,
    TokenStore,
    read_pairs,
    refuse,
)
from regard.data.seen import SeenHashes
from regard.errors import BadArgumentError
from regard.tasks.translation.growing import NewIds, grow_pair, with_tags
from regard.tasks.translation.names import Names
from regard.tasks.translation.read import PairFile, held_files, languages_of, named_languages, tag
from regard.tasks.translation.task import Translator
from regard.tasks.translation.train_options import TrainingOptions
from regard.tasks.translation.typed import typed
from regard.text import TokenizerPair, train_pair
from regard.training.examples import Example, read_examples, split, write_examples
from regard.training.prepared import Values
from regard.training.sequences import PairEncoder, SequenceData

Say = Callable[[str], None]
_NEIGHBORS = 1000  # pairs before one that it may be joined to


@dataclass(frozen=True)
class TranslationData(SequenceData):
    """Sentence pairs; an example's group is its target language, where there are several."""

    # The ids on either side of the subwords that the base of the run did not have.
    new_subwords: tuple[list[int], list[int]]
    # Of each file: the rows that it has in `train`, and how often an epoch reads each.
    shares: list[tuple[int, float]]
    dev: list[Example]
    test: list[Example]

    def rates(self) -> NDArray[np.float64] | None:
        rows, rates = zip(*self.shares, strict=True)
        return None if {*rates} == {1.0} else np.repeat(rates, rows)


def pairs_of(examples: Iterable[Example], language: str = "") -> list[tuple[str, str]]:
    """Return the sentence pairs of a target language."""
    return [(example.text, example.targets[0]) for example in examples if example.group == language]


def by_part(examples: Iterable[Example]) -> dict[str, list[tuple[str, str]]]:
    """Return the sentence pairs of each target language, or of each source if there is one."""
    parts = dict[str, list[tuple[str, str]]]()
    for example in examples:
        pairs = parts.setdefault(example.group or example.source, [])
        pairs.append((example.text, example.targets[0]))
    return parts


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
    rows = Counter[int]()
    store = TokenStore.write(
        folder / "train.tokens",
        _encoded(pairs, options, encode, rows, longest, say),
        vocab_size=sizes,
        max_length=longest,
    )
    shares = list(zip((rows[k] for k in range(len(files))), rates(pairs, options), strict=True))
    if len(files) > 1:
        total = sum(count * rate for count, rate in shares)
        parts = (
            f"{file.source} {count * rate / total:.1%}"
            for file, (count, rate) in zip(files, shares, strict=True)
        )
        say(f"an epoch reads {total:,.0f} pairs: {', '.join(parts)}")
    kind = (
        f"{sizes[0]:,} shared" if tokenizers.joint else f"{sizes[0]:,} source, {sizes[1]:,} target"
    )
    long = f"; {store.too_long:,} pairs over {longest} left out" if store.too_long else ""
    say(f"vocabulary: {kind} subwords; {len(store.tokens):,} tokens{long}")
    pairs.path.unlink()
    return pairs.summary, {"new_subwords": new, "shares": shares}


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


def _encoded(
    pairs: TrainingPairs,
    options: TrainingOptions,
    encode: PairEncoder,
    rows: Counter[int],
    longest: int,
    say: Say,
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the ids of what `versions` yields; `rows` counts those of each file that are stored."""
    files = deque[int]()  # of the pairs that are being encoded

    def texts() -> Iterator[tuple[str, str]]:
        for file, source, target in versions(pairs, options, say=say):
            files.append(file)
            yield source, target

    for source, target, _ in encode(texts()):
        rows[files.popleft()] += max(len(source), len(target)) <= longest
        yield source, target


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
        "dev": _own(held_files(options.dev, languages, files), options, say),
        "test": _own(held_files(options.test, languages), options, say),
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
    """Yield the pairs of each file that stay; `ends` gets the number of those so far."""
    line, seen = 0, defaultdict[str, SeenHashes](SeenHashes)
    for file in files:
        cleaner = Cleaner(seen=seen[file.language])
        on_bad_line = refuse if options.strict else cleaner.skip
        for pair in cleaner.clean(_read(file, options, on_bad_line, say)):
            line += 1
            yield _example(pair, file, line)
        say(f"{file.name}: {cleaner.report}")
        ends.append(line)


def _own(files: Sequence[PairFile], options: TrainingOptions, say: Say) -> list[Example]:
    """Return a dev or test set as the user gave it, empty sides aside."""
    rules = CleaningRules(
        max_ratio=None, max_characters=None, max_copied_words=None, duplicates=False
    )
    examples = list[Example]()
    for file in files:
        bad = LeftOut(strict=options.strict)
        pairs = Cleaner(rules).clean(_read(file, options, bad, say))
        examples += [_example(pair, file, pair.line) for pair in pairs]
        bad.report(say)
    return examples


def _read(
    file: PairFile,
    options: TrainingOptions,
    on_bad_line: Callable[[BadLine], None],
    say: Say,
) -> Iterator[Pair]:
    languages = named_languages(options, file)
    reading: Any = {"languages": languages, "on_bad_line": on_bad_line, "say": say, "note": say}
    for pair in read_pairs(file.path, **reading):
        yield Pair(pair.target, pair.source, pair.line) if file.reverse else pair


def _example(pair: Pair, file: PairFile, line: int) -> Example:
    return Example(pair.source, None, [pair.target], line, file.language, file.source)


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
        fold_quotes=options.fold_quotes,
    )
    return with_tags(tokenizers, ([], []), languages)[0], ([], [])


def _short_enough(
    examples: list[Example], encode: PairEncoder, max_length: int
) -> Iterator[Example]:
    """Yield the pairs whose loss a model can be asked for: as long as those that it is trained
    on."""
    texts = ((f"{before_source(each.group)}{each.text}", each.targets[0]) for each in examples)
    for example, (source, target, _) in zip(examples, encode(texts), strict=True):
        if max(len(source), len(target)) <= max_length:
            yield example


def versions(
    pairs: TrainingPairs, options: TrainingOptions, *, say: Say
) -> Iterator[tuple[int, str, str]]:
    """Yield the number of the file, the source and the target of each pair, in the order of the
    files: as it is, as it may be typed, with other names, and behind one or two pairs that came
    before.

    Raises:
        BadArgumentError: `names` asks for names, and the pairs have none.
    """
    seed = options.seed
    names = Names.of(pairs.texts()) if options.names else None
    if names is not None and not names.found:
        raise BadArgumentError(
            "names asks for pairs with the same capitalized word on both sides, and there are"
            " none: between different scripts, names are not copied. Leave names out."
        )
    renamed = retyped = joined = 0
    recent = deque[Example](maxlen=_NEIGHBORS)  # of the same file
    for example in pairs:
        file, source, target = pairs.file(example), example.text, example.targets[0]
        before = before_source(example.group, pairs.files[file].tag)
        yield file, f"{before}{source}", target
        if names is None and not (options.joined or options.typed):
            continue
        # Of the pair alone, so that the files' other pairs change nothing.
        draw = Random(f"{seed} {example.line}")
        if options.typed and Random(f"{seed} {example.line} typed").random() < options.typed:
            other, answer = typed(source, target, draw)
            if other != source:
                retyped += 1
                yield file, f"{before}{other}", answer
        if names is not None:
            for other, answer in names.variants(source, target, options.names, draw):
                renamed += 1
                yield file, f"{before}{other}", answer
        if not options.joined:
            continue
        if recent and pairs.file(recent[-1]) != file:
            recent.clear()
        if len(recent) > 1 and draw.random() < options.joined:
            joined += 1
            together = [*draw.sample(recent, draw.choice((1, 2))), example]
            texts = " ".join(one.text for one in together)
            yield file, f"{before}{texts}", " ".join(one.targets[0] for one in together)
        recent.append(example)
    if names is not None:
        say(f"{renamed:,} pairs again with other names")
    if options.typed:
        say(f"{retyped:,} pairs again as they may be typed")
    if options.joined:
        say(f"{joined:,} paragraphs of joined pairs")


def rates(pairs: TrainingPairs, options: TrainingOptions) -> list[float]:
    """Return how often an epoch reads each row of each file, on average.

    With a temperature T, a part of n_p pairs is read (n_max / n_p)^(1 - 1/T) times, so that its
    share is n_p^(1/T) over the sum of all (Arivazhagan et al. 2019, "Massively Multilingual Neural
    Machine Translation in the Wild", section 4). A part is a target language, or a file where there
    is one language.
    """
    numbers, sizes = Counter(map(pairs.file, pairs)), dict[str, float]()
    often = [
        min(file.weight, (file.most or math.inf) / max(numbers[number], 1))
        for number, file in enumerate(pairs.files)
    ]
    several = len(languages_of(pairs.files)) > 1
    parts = [file.language if several else str(n) for n, file in enumerate(pairs.files)]
    for number, (part, rate) in enumerate(zip(parts, often, strict=True)):
        sizes[part] = sizes.get(part, 0.0) + numbers[number] * rate
    largest, power = max(sizes.values()), 1 - 1 / options.temperature
    return [
        rate * (largest / max(sizes[part], 1.0)) ** power
        for part, rate in zip(parts, often, strict=True)
    ]


def before_source(language: str, mark: str = "") -> str:
    """Return the text before a source: the tag of its target language and that of its file."""
    return "".join(f"{part} " for part in (language and tag(language), mark) if part)
