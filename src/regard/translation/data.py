"""From a user's files to what a translator trains on, once; a resumed run finds it in its folder.

data/
    train.tokens             the training pairs as token ids, read through a memory map
    dev.jsonl, test.jsonl    the other pairs
    tokenizer.json, …
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from regard.data import TokenStore
from regard.errors import BadArgumentError
from regard.recipes.examples import Example, write_examples
from regard.recipes.prepared import Values
from regard.recipes.sequences import PairEncoder, SequenceData
from regard.text import TokenizerPair, train_pair
from regard.translation.cleaned import CleanedPairs
from regard.translation.epoch import before_source, epoch
from regard.translation.files import PairFile, languages_of
from regard.translation.growing import NewIds, grow_pair, with_tags
from regard.translation.options import TrainingOptions
from regard.translation.parts import Parts, divided
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
    cleaned = CleanedPairs.write(folder / "cleaned.tsv", files, strict=options.strict, say=say)
    parts = divided(cleaned, options, say=say)
    say(str(parts))
    tokenizers, new = _tokenizers(parts, options, say, base)
    tokenizers.save(folder)
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
        write_examples(folder / f"{name}.jsonl", kept)
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
    return str(parts), {"new_subwords": new}


def _tokenizers(
    parts: Parts, options: TrainingOptions, say: Say, base: Translator | None
) -> tuple[TokenizerPair, NewIds]:
    """Tokenizers, trained or the base's, and the ids of those subwords that the base lacks."""
    languages = languages_of(parts.cleaned.files)
    if base is not None:
        return with_tags(*grow_pair(base, parts.texts, options.new_subwords, say=say), languages)
    tokenizers = train_pair(
        parts.texts(),
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
