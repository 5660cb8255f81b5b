"""Models and the page as one HTML file, which needs no server.

The page runs the native engine, in WebAssembly (web/src/local), from int8 weights with a scale for
each row; it computes in float32.
"""

import base64
import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from regard.checkpoints import open_checkpoint
from regard.checkpoints.hub import short_name
from regard.course.explanation.sentence import WORDS
from regard.course.words import load_vectors
from regard.errors import BadArgumentError, UnsupportedError
from regard.files import whole_file
from regard.studio.live_model import content, parameters_of
from regard.studio.page import of_bytes, of_json, one_file
from regard.tasks.kinds import kind_of
from regard.tasks.loading import task_class
from regard.tasks.looking import describe

LARGEST = 150_000_000  # bytes of a model's weights in int8


@dataclass(frozen=True)
class LivePage:
    """A page with models inside, to be written."""

    html: str
    models: list[str]
    parameters: int  # of all of them

    @property
    def megabytes(self) -> float:
        """Size of the file."""
        return round(len(self.html.encode()) / 1e6, 2)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the file.

        Raises:
            OSError: it cannot be written.
        """
        with whole_file(path) as file:
            file.write_text(self.html, encoding="utf-8")
        return Path(path)


def live_page(models: str | Sequence[str]) -> LivePage:
    """Return the page with these models inside.

    Args:
        models: names, as `regard.load` takes them.

    Raises:
        BadArgumentError: no model, or two of one name.
        UnsupportedError: a model that the page cannot run, or of more than 150 MB in int8.
    """
    models = [models] if isinstance(models, str) else models
    names = [Path(model).name if Path(model).is_dir() else short_name(model) for model in models]
    if not names or len(set(names)) < len(names):
        raise BadArgumentError(
            f"give at least one model, and each of them once; got {', '.join(names) or 'none'}."
        )
    infos: list[dict[str, Any]] = []
    parts: dict[str, str] = {}
    pieces: list[str] = []
    parameters = 0
    for model, name in zip(models, names, strict=True):
        checkpoint = open_checkpoint(model)
        infos.append(asdict(describe(model, _refuse, name=name)))
        count = sum(map(math.prod, checkpoint.config.shapes().values()))
        _check_size(name, count // 2)  # a tied table has two names: before all are read
        task = task_class(kind_of(checkpoint)).load(checkpoint, name=name, lazily=True)
        description, weights = content(task)
        _check_size(name, len(weights))
        parameters += parameters_of(description, checkpoint.config)
        parts[f"regard-model-{len(parts)}"] = packed_json({"info": infos[-1], **description})
        pieces += of_bytes(weights)
    html = one_file(
        f"{', '.join(names)} · regard",
        {"regard-info": of_json(infos), **parts},
        pieces=pieces,
        after={"regard-words": of_json(_words())},
    )
    return LivePage(html, names, parameters)


def _check_size(name: str, bytes_: int) -> None:
    if bytes_ > LARGEST:
        raise UnsupportedError(
            f"{name} has {bytes_ / 1e6:,.0f} MB of weights in int8, and a page holds"
            f" {LARGEST / 1e6:.0f} MB of a model; {_look(name)}."
        )


def packed_json(content: dict[str, Any]) -> str:
    """Return a script element with JSON, packed as the weights are."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    [element] = of_bytes(text.encode(), kind="gzip", size=None)
    return element


def _words() -> dict[str, Any]:
    """Return the lessons' word vectors, with their numbers as float16 in base64."""
    words = load_vectors(WORDS)
    numbers = base64.b64encode(words.vectors.astype("<f2").tobytes()).decode()
    return {"name": WORDS, "words": words.words, "dim": words.dim, "vectors": numbers}


def _look(name: str) -> str:
    return f"use `regard look {name}`"


def _refuse(name: str) -> NoReturn:
    raise UnsupportedError(
        f"{name} must be a model that regard implements; use `regard studio {name}`."
    )
