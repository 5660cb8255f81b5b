"""A damaged file is refused in our own words or read; nothing else may happen."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz.readers import Reader, readers

SLOW = pytest.mark.slow  # compiles WebAssembly for each model
CORPUS = Path(__file__).parent / "corpus"
EXAMPLES = {"models": 60, "http": 60, "page": 12}
READERS = [pytest.param(each, marks=SLOW if each == "page" else ()) for each in readers()]
Prepared = Callable[[str], Reader]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A reader with its valid files, which are written once."""
    folder, known, made = tmp_path_factory.mktemp("fuzz"), readers(), set[str]()

    def prepare(name: str) -> Reader:
        if name not in made:
            known[name].prepare(folder)
            made.add(name)
        return known[name]

    return prepare


@pytest.mark.parametrize("name", READERS)
def test_a_valid_file_is_accepted(name: str, prepared: Prepared) -> None:
    reader = prepared(name)
    assert {reader.try_out(*each) for each in reader.valid.items()} == {"accepted"}


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_read_or_refused(name: str, prepared: Prepared) -> None:
    reader = prepared(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(EXAMPLES.get(name, 150)):
            assert reader.try_out(*reader.input(number)) in ("accepted", "refused")


@pytest.mark.parametrize(
    "file", sorted(CORPUS.rglob("*.*")), ids=lambda file: str(file.relative_to(CORPUS))
)
def test_what_once_broke_a_reader_no_longer_does(file: Path, prepared: Prepared) -> None:
    kind, number = file.relative_to(CORPUS).parts[0], file.name.partition("-")[2]
    reader = prepared(kind)
    [name] = [name for name in reader.valid if name.replace("/", "+") == number]
    assert reader.try_out(name, file.read_bytes()) in ("accepted", "refused")
