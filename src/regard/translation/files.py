"""The files of sentence pairs that a translator learns from, and how often each is read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from regard.errors import BadArgumentError
from regard.records.lines import check_rereadable

# A file of pairs, a source file and a target file, or several files of pairs.
Pairs = str | tuple[str, str] | list[str]
_NAMED = re.compile(r"(?P<language>[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*)=(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True)
class PairFile:
    """A file of sentence pairs, or a source file and a target file."""

    path: str | tuple[str, str]
    weight: float = 1.0  # how often each of its pairs is read in an epoch, on average
    language: str = ""  # of the targets, where the files have several

    @property
    def paths(self) -> list[str]:
        return [self.path] if isinstance(self.path, str) else list(self.path)

    @property
    def name(self) -> str:
        return " + ".join(self.paths)

    def check(self) -> None:
        """Raises NotFoundError for a file that is missing."""
        for path in self.paths:
            check_rereadable(Path(path))


def pair_files(pairs: Pairs, weights: str = "") -> list[PairFile]:
    """The files that were given: "pairs.tsv", or "de=pairs.tsv" where there are several targets.

    Args:
        weights: a number for each file, "3,1"; "": every file is read once in an epoch.

    Raises:
        BadArgumentError: weights that are not a number above 0 for each file; languages for some
            files only, or one language alone.
    """
    files = [_file(path) for path in (pairs if isinstance(pairs, list) else [pairs])]
    languages = {file.language for file in files}
    if len(languages) > 1 and "" in languages:
        without = next(file.name for file in files if not file.language)
        raise BadArgumentError(
            f"every file needs its target language, such as de={without}, or none does; got"
            f" {without!r} beside {', '.join(sorted(languages - {''}))}."
        )
    if len(languages) == 1 and "" not in languages:
        (language,) = languages
        raise BadArgumentError(
            f"files with {language}= are for a model of several target languages; got one. Leave"
            f" {language}= out and give target_language = {language!r}."
        )
    numbers = _numbers(weights, len(files))
    return [replace(file, weight=each) for file, each in zip(files, numbers, strict=True)]


def held_files(spec: str | None, languages: Sequence[str]) -> list[PairFile]:
    """The files of a dev or test set: "dev.tsv", or "de=dev.tsv,hi=dev.tsv" of several targets.

    Raises:
        BadArgumentError: languages that the files to train on do not have.
    """
    if spec is None:
        return []
    parts = [spec] if Path(spec).exists() or not languages else spec.split(",")
    files = [_file(part) for part in parts]
    for file in files:
        if (file.language or "") not in (languages or ("",)):
            raise BadArgumentError(
                f"dev and test need the target language of each file, one of"
                f" {', '.join(languages)}, such as {languages[0]}=dev.tsv,{languages[-1]}=dev.tsv;"
                f" got {spec!r}."
            )
    return files


def languages_of(files: Sequence[PairFile]) -> list[str]:
    """The target languages that are named, each once, in the order of the files."""
    return list(dict.fromkeys(file.language for file in files if file.language))


def tag(language: str) -> str:
    """The token before a source that is to be translated into a language.

    Johnson et al. 2017, "Google's Multilingual Neural Machine Translation System".
    """
    return f"<2{language}>"


def _file(path: str | tuple[str, str]) -> PairFile:
    found = None if isinstance(path, tuple) or Path(path).exists() else _NAMED.fullmatch(path)
    return PairFile(path) if found is None else PairFile(found["path"], language=found["language"])


def _numbers(weights: str, count: int) -> list[float]:
    if not weights:
        return [1.0] * count
    try:
        found = [float(part) for part in weights.split(",")]
    except ValueError:
        found = []
    if len(found) != count or not all(0 < weight < float("inf") for weight in found):
        raise BadArgumentError(
            f"weights must be a number above 0 for each of the files of pairs, which are {count},"
            f" such as {','.join(['3', *['1'] * (count - 1)])}; got {weights!r}."
        )
    return found
