"""The packages that regard can do without, and the sentence where one of them is missing."""

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from regard.errors import UnavailableError

# Module → its package, and the extra of pyproject.toml that installs it.
OPTIONAL = {
    "PIL": ("pillow", "images"),
    "anywidget": ("anywidget", "notebook"),
    "gensim": ("gensim", "words"),
    "gguf": ("gguf", "gguf"),
    "httpx2": ("httpx2", "notebook"),
    "matplotlib": ("matplotlib", "figures"),
    "pyarrow": ("pyarrow", "parquet"),
    "rapidfuzz": ("rapidfuzz", "audio"),
    "ray": ("ray[data]", "ray"),
    "rouge_score": ("rouge-score", "rouge"),
    "sacrebleu": ("sacrebleu", "bleu"),
    "scipy": ("scipy", "words"),
    "sklearn": ("scikit-learn", "words"),
    "soundfile": ("soundfile", "audio"),
    "soxr": ("soxr", "audio"),
    "tensorboard": ("tensorboard", "tensorboard"),
    "torch": ("torch", "torch"),
    "transformers": ("transformers", "transformers"),
    "umap": ("umap-learn", "umap"),
    "xlsxwriter": ("xlsxwriter", "xlsx"),
}


class MissingPackageError(UnavailableError, ModuleNotFoundError):
    """An optional package that is not installed.

    Args:
        what: the beginning of the sentence, such as "figures need".
        requirement: as pip takes it.
    """

    def __init__(self, what: str, requirement: str):
        extras = [extra for package, extra in OPTIONAL.values() if requirement.startswith(package)]
        extra = f" (in regard's extra {extras[0]!r})" if extras else ""
        super().__init__(f"{what} the package {requirement}{extra}: {install_line(requirement)}.")


class Missing(MetaPathFinder):
    """The last of Python's finders: where a module of regard imports an optional package that is
    not installed, the error says how to install it.

    Other libraries that try whether a package is there get Python's own answer.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        if fullname in OPTIONAL and _importer().partition(".")[0] == "regard":
            raise MissingPackageError("this needs", OPTIONAL[fullname][0])


def _importer() -> str:
    """Return the name of the module whose statement is importing."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals["__name__"] in ("importlib", "importlib._bootstrap"):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__"))


@contextmanager
def optional_package(requirement: str, what: str) -> Iterator[None]:
    """Return the import of a package that regard can do without; what needs it says how to install
    it.

    Args:
        requirement: as pip takes it, such as "matplotlib".
        what: the beginning of the sentence, such as "figures need".

    Raises:
        UnavailableError: the package is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise MissingPackageError(what, requirement) from error


def install_line(requirement: str) -> str:
    """Return the command that installs a package into the environment of this interpreter."""
    quoted, prefix = shlex.quote(requirement), Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx inject {prefix.name} {quoted}"
    if find_spec("pip") is None:  # uv makes environments without it
        return f"uv pip install --python {shlex.quote(sys.executable)} {quoted}"
    pip = shutil.which("pip")
    if pip is not None and Path(pip).parent == Path(sys.executable).parent:
        return f"pip install {quoted}"
    return f"{shlex.quote(sys.executable)} -m pip install {quoted}"
