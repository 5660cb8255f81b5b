"""The sources of sentence pairs that a translator learns from, and how often each is read."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regard.data.lines import check_rereadable
from regard.errors import BadArgumentError, DamagedFileError

# A file of pairs, a source file and a target file, or several files of pairs.
Pairs = str | tuple[str, str] | list[str]
_NAMED = re.compile(
    r"(?:(?P<language>[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*)=)?(?P<path>.+?)(?::(?P<weight>[^:/\\]*))?",
    re.DOTALL,
)


@dataclass(frozen=True)
class PairFile:
    """A file of sentence pairs, or a source file and a target file."""

    path: str | tuple[str, str]
    weight: float = 1.0  # how often each of its pairs is read in an epoch, on average
    language: str = ""  # of the targets, where the files have several
    most: int | None = None  # pairs that an epoch reads of it, others in each epoch
    dev: str | tuple[str, str] | None = None  # a file of its own to choose the best model by
    origin: str = ""  # language of the sources; "": that of the options
    reverse: bool = False  # whether the second side of each pair is its source
    title: str = ""  # in tables of scores; "": the file's name
    tag: str = ""  # before each of its sources

    @property
    def paths(self) -> list[str]:
        return [self.path] if isinstance(self.path, str) else list(self.path)

    @property
    def name(self) -> str:
        return " + ".join(self.paths)

    @property
    def source(self) -> str:
        """The name in tables of scores."""
        return self.title or Path(self.paths[0]).name.split(".")[0]


class _Source(BaseModel):
    """A `[[source]]` of a file of sources."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    pairs: str | list[str] = Field(min_length=1)
    name: str = ""
    weight: float = Field(default=1.0, gt=0)
    most: int | None = Field(default=None, ge=1)
    language: str = ""
    dev: str | list[str] | None = None
    source_language: str = ""
    reverse: bool = False
    tag: str = ""


class _Sources(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: list[_Source] = Field(min_length=1)


def pair_files(pairs: Pairs) -> list[PairFile]:
    """Return the files that were given.

    Each is "pairs.tsv", "train.en,train.de" where the lines of two files correspond, "pairs.tsv:3"
    where it is read three times in an epoch, "de=pairs.tsv" where there are several targets, or
    "sources.toml", which lists files; see `read_sources`.

    Raises:
        BadArgumentError: a weight that is not a number above 0; languages for some files only, or
            one language alone.
        DamagedFileError: a list of sources that is not one.
        NotFoundError: a list of sources that is missing.
    """
    files: list[PairFile] = []
    for path in pairs if isinstance(pairs, list) else [pairs]:
        if isinstance(path, str) and path.endswith(".toml"):
            files += read_sources(path)
        else:
            files.append(_file(path))
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
    return files


def read_sources(path: str) -> list[PairFile]:
    """Return the files that a TOML file lists, each a table `[[source]]` of these values:

    pairs     the file, or [SOURCE FILE, TARGET FILE]; relative to the TOML file's folder
    name      in tables of scores; the file's name if not given
    weight    how often each of its pairs is read in an epoch; 1 if not given
    most      pairs that an epoch reads of it at most, others in each epoch
    language  of its targets, where there are several
    dev       a file like `pairs`, to choose the best model by
    source_language  where that is another than the option says
    reverse   true: the second side of each pair, and of dev, is its source
    tag       a word before each source, for those that a model wrote (Caswell et al. 2019, "Tagged
              Back-Translation"): the translator learns what is theirs apart

    Raises:
        DamagedFileError: another value, or one of another kind.
        NotFoundError: there is no such file.
    """
    check_rereadable(Path(path))
    folder = Path(path).parent
    try:
        listed = _Sources.model_validate(tomllib.loads(Path(path).read_text("utf-8"))).source
    except ValidationError as error:
        first, known = error.errors()[0], ", ".join(list(_Source.model_fields)[1:])
        where = " ".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
        raise DamagedFileError(
            f'{path} must list sources of pairs, each [[source]] with pairs = "FILE" and, if you'
            f" like, {known}; at {where}: {first['msg']}."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedFileError(f"{path} is not TOML: {error}. Mend it there.") from None

    def beside(value: str | list[str]) -> str | tuple[str, str]:
        paths = [str(folder / part) for part in ([value] if isinstance(value, str) else value)]
        if len(paths) > 2:
            raise DamagedFileError(
                f"{path}: a source has one file of pairs, or a source file and a target file; got"
                f" {len(paths)}. List each as a [[source]]."
            )
        return paths[0] if len(paths) == 1 else (paths[0], paths[1])

    return [
        PairFile(
            beside(source.pairs),
            weight=source.weight,
            language=source.language,
            most=source.most,
            dev=None if source.dev is None else beside(source.dev),
            origin=source.source_language,
            reverse=source.reverse,
            title=source.name,
            tag=source.tag,
        )
        for source in listed
    ]


def held_files(
    spec: str | None, languages: Sequence[str], files: Sequence[PairFile] = ()
) -> list[PairFile]:
    """Return the files of a dev or test set: those that `files` have of their own and "dev.tsv", or
    "de=dev.tsv,hi=dev.tsv" of several targets.

    Raises:
        BadArgumentError: languages that the files to train on do not have.
    """
    apart = [
        replace(file, path=file.dev, title=file.source) for file in files if file.dev is not None
    ]
    if spec is None:
        return apart
    parts = [spec] if Path(spec).exists() or not languages else spec.split(",")
    others = [_file(part) for part in parts]
    for file in others:
        if (file.language or "") not in (languages or ("",)):
            raise BadArgumentError(
                f"dev and test need the target language of each file, one of"
                f" {', '.join(languages)}, such as {languages[0]}=dev.tsv,{languages[-1]}=dev.tsv;"
                f" got {spec!r}."
            )
    return [*apart, *others]


def languages_of(files: Sequence[PairFile]) -> list[str]:
    """Return the target languages that are named, each once, in the order of the files."""
    return list(dict.fromkeys(file.language for file in files if file.language))


def tag(language: str) -> str:
    """Return the token before a source that is to be translated into a language.

    Johnson et al. 2017, "Google's Multilingual Neural Machine Translation System".
    """
    return f"<2{language}>"


def named_languages(options: Any, file: PairFile) -> tuple[str, str] | None:
    """Return the languages of the two sides of a file, where the options or the file name both."""
    source = file.origin or options.source_language
    target = file.language or options.target_language
    if source in (None, "source") or target in (None, "target"):
        return None
    return (target, source) if file.reverse else (source, target)


def two_files(path: str) -> str | tuple[str, str]:
    """Return a file, or the source file and the target file of "train.en,train.de"."""
    first, comma, second = path.partition(",")
    there = comma and not Path(path).exists() and Path(first).exists() and Path(second).exists()
    return (first, second) if there else path


def _file(path: str | tuple[str, str]) -> PairFile:
    path = path if isinstance(path, tuple) else two_files(path)
    parts = None if isinstance(path, tuple) or Path(path).exists() else _NAMED.fullmatch(path)
    if parts is None:
        return PairFile(path)
    weight = parts["weight"]
    try:
        number = 1.0 if weight is None else float(weight)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise BadArgumentError(
            f"a file's weight, behind a colon, must be a number above 0, such as"
            f" {parts['path']}:3; got {path!r}."
        )
    return PairFile(parts["path"], number, parts["language"] or "")
