"""What an epoch reads: pairs as often as their file and language say, also with other names."""

from collections.abc import Callable, Iterator
from random import Random

from regard.errors import BadArgumentError
from regard.translation.files import tag
from regard.translation.names import Names
from regard.translation.options import TrainingOptions
from regard.translation.parts import Parts


def epoch(
    parts: Parts, options: TrainingOptions, *, say: Callable[[str], None]
) -> Iterator[tuple[str, str]]:
    """The pairs of texts, in the order of the files.

    Raises:
        BadArgumentError: `names` asks for names, and the pairs have none.
    """
    cleaned, count, seed = parts.cleaned, options.names, options.seed
    names = Names.of(parts.texts()) if count else None
    if names is not None and not names.found:
        raise BadArgumentError(
            "names asks for pairs with the same capitalized word on both sides, and there are"
            " none: between different scripts, names are not copied. Leave names out."
        )
    often, renamed = rates(parts, options.temperature), 0
    for pair in parts.train():
        number = cleaned.file(pair)
        before = before_source(cleaned.files[number].language)
        # Of the pair alone, so that the files' other pairs change nothing.
        draw = Random(f"{seed} {pair.line}") if names or often[number] != 1 else None
        for _ in range(_times(often[number], draw)):
            yield f"{before}{pair.source}", pair.target
            if names is not None and draw is not None:
                for source, target in names.variants(pair.source, pair.target, count, draw):
                    renamed += 1
                    yield f"{before}{source}", target
    if names is not None:
        say(f"{renamed:,} pairs again with other names")


def rates(parts: Parts, temperature: float) -> list[float]:
    """How often the pairs of each file are read in an epoch, on average.

    With a temperature T, language l of n_l pairs is read (n_max / n_l)^(1 - 1/T) times, so that its
    share is n_l^(1/T) over the sum of all (Arivazhagan et al. 2019, "Massively Multilingual Neural
    Machine Translation in the Wild", section 4).
    """
    files = parts.cleaned.files
    sizes = dict.fromkeys((file.language for file in files), 0.0)
    for file, size in zip(files, parts.sizes, strict=True):
        sizes[file.language] += size * file.weight
    largest, power = max(sizes.values()), 1 - 1 / temperature
    return [file.weight * (largest / max(sizes[file.language], 1.0)) ** power for file in files]


def before_source(language: str) -> str:
    """What stands before a source that is translated into a language of several."""
    return f"{tag(language)} " if language else ""


def _times(rate: float, draw: Random | None) -> int:
    """A whole number that is `rate` on average."""
    return int(rate) + (draw is not None and draw.random() < rate % 1)
