"""The settings of sentence-transformers in a model folder: how states become vectors."""

from dataclasses import dataclass
from pathlib import Path

from regard.errors import DamagedFileError, NotFoundError, UnsupportedError, refusing
from regard.json_files import JsonFiles, read_json, read_object

POOLINGS = ("mean", "cls", "max")  # of those that sentence-transformers has


@dataclass(frozen=True)
class EmbedderSettings:
    """How the states of an encoder become vectors."""

    folder: Path  # of the model itself
    pooling: str = "mean"  # a name in POOLINGS
    normalize: bool = True
    max_length: int | None = None  # tokens of a text, special ones included; None: the model's
    lowercase: bool = False  # before the tokenizer


def read_settings(folder: Path) -> EmbedderSettings:
    """The settings in modules.json and the folders it names; the defaults without that file.

    Raises:
        UnsupportedError: a module other than an encoder, pooling and normalization.
        NotFoundError: a missing file.
    """
    if not (folder / "modules.json").is_file():
        return EmbedderSettings(folder)
    with refusing(f"{folder}/modules.json is malformed"):
        modules = {
            str(module["type"]).rpartition(".")[2]: folder / str(module.get("path", ""))
            for module in read_json(folder / "modules.json")
        }
    if other := modules.keys() - {"Transformer", "Pooling", "Normalize"}:
        raise UnsupportedError(
            f"{folder}/modules.json may name Transformer, Pooling and Normalize; it names"
            f" {', '.join(sorted(other))}. Use sentence-transformers for this model."
        )
    model = modules.get("Transformer", folder)
    settings = JsonFiles(model).get("sentence_bert_config.json", {})
    length = settings.get("max_seq_length")
    if not isinstance(length, int | None):
        raise DamagedFileError(
            f"max_seq_length in {model}/sentence_bert_config.json must be a number of tokens;"
            f" it is {length!r}. Copy the file again from where it came from."
        )
    return EmbedderSettings(
        model,
        _pooling(modules["Pooling"] / "config.json") if "Pooling" in modules else "mean",
        normalize="Normalize" in modules,
        max_length=length,
        lowercase=bool(settings.get("do_lower_case")),
    )


def _pooling(file: Path) -> str:
    """By its name, or by the flags of older files."""
    if not file.is_file():
        raise NotFoundError(f"modules.json asks for {file}, which is missing. Copy it too.")
    settings = read_object(file)
    flags = [key for key, value in settings.items() if key.startswith("pooling_mode_") and value]
    names = settings.get("pooling_mode") or [
        flag.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for flag in flags
    ]
    names = [names] if isinstance(names, str) else names
    if len(names) != 1 or names[0] not in POOLINGS:
        raise UnsupportedError(
            f"{file} must name one way of pooling of {', '.join(POOLINGS)}; it names"
            f" {', '.join(map(str, names)) or 'none'}. Use sentence-transformers for this model."
        )
    return str(names[0])
