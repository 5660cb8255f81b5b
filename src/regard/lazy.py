"""Lazy imports, which stand at the head of a file, and imports without garbage collection."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from regard.packages import OPTIONAL, MissingPackageError, optional_package


def attach(
    package: dict[str, Any], modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are imported on first use.

    Args:
        package: its globals().
        modules: the names of each module, whose own name is without the package's.
    """
    parent = package["__name__"]
    home = {name: f"{parent}.{module}" for module, names in modules.items() for name in names}

    def getattribute(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {parent!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(home[name]), name)
        except MissingPackageError as error:
            return Unavailable(name, error)
        package[name] = value  # the next look-up finds it without coming here
        return value

    return getattribute, lambda: sorted({*package, *home})


class LazyModule:
    """A module that is imported when one of its names is needed, and so are its modules.

    Its names are the module's, also those that are set.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str):
        object.__setattr__(self, "_name", name)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return vars(import_module(self._name))

    def __setattr__(self, name: str, value: object) -> None:
        setattr(import_module(self._name), name, value)

    def __getattr__(self, name: str) -> Any:
        module = import_module(self._name)
        try:
            return getattr(module, name)
        except AttributeError:
            if name.startswith("__"):  # asked for by those that inspect an object
                raise
            module_name = f"{self._name}.{name}"
            try:
                return import_module(module_name)
            except ModuleNotFoundError as error:
                if error.name != module_name:
                    raise
            raise


class LazyPackage(LazyModule):
    """An optional package that is imported when one of its names is needed.

    Args:
        name: of its module.
        what: the beginning of the sentence where it is missing, such as "figures need".
    """

    __slots__ = ("_what",)

    def __init__(self, name: str, what: str):
        super().__init__(name)
        object.__setattr__(self, "_what", what)

    def __getattr__(self, name: str) -> Any:
        with optional_package(OPTIONAL[self._name][0], self._what):
            return super().__getattr__(name)


def modules(package: str, *names: str) -> tuple[LazyModule, ...]:
    """Modules of a package that are imported when one of their names is needed."""
    return tuple(LazyModule(f"{package}.{name}") for name in names)


class Unavailable:
    """A public function or class whose package is not installed: a call says how to install it.

    Names can be listed, imported and described without the package.
    """

    def __init__(self, name: str, error: MissingPackageError):
        self.__name__, self.__doc__, self._error = name, str(error), error

    def __call__(self, *arguments: object, **named: object) -> NoReturn:
        raise self._error


@contextmanager
def uncollected() -> Iterator[None]:
    """Run a block of imports without garbage collection: they leave no garbage, and the search for
    it takes a tenth of their time. What they made is not searched later either."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


# Packages that many modules use and few calls need: `from regard.lazy import torch` imports nothing
# before one of its names is needed, and the type checker sees the package itself.
if TYPE_CHECKING:
    import gguf
    import huggingface_hub
    import matplotlib
    import PIL
    import pyarrow
    import rich.progress
    import sacrebleu
    import torch
else:
    gguf = LazyPackage("gguf", "GGUF files need")
    matplotlib = LazyPackage("matplotlib", "figures need")
    PIL = LazyPackage("PIL", "reading images needs")
    pyarrow = LazyPackage("pyarrow", "reading and writing Parquet needs")
    huggingface_hub, rich = LazyModule("huggingface_hub"), LazyModule("rich")
    sacrebleu, torch = LazyModule("sacrebleu"), LazyModule("torch")


def require(package: ModuleType) -> None:
    """Import a lazy package before the work that needs it, so that a missing one is named first."""
    import_module(package.__name__)
