import ast
import re
import tomllib
from pathlib import Path

import pytest

from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    RegardError,
    did_you_mean,
    nearest,
    refusing,
    unknown,
)

ROOT = Path(__file__).parents[1]
SOURCES = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]


def test_whatever_a_files_values_cause_is_one_sentence() -> None:
    for cause in (KeyError("a"), RecursionError("deep"), AttributeError("no"), AssertionError()):
        message = rf"^a\.json is malformed \({type(cause).__name__}: .*\)\. Copy the file again"
        with pytest.raises(DamagedFileError, match=message), refusing("a.json is malformed"):
            raise cause
    for kept in (RegardError("said already"), FileNotFoundError("a.json")):
        with pytest.raises(type(kept)) as raised, refusing("a.json is malformed"):
            raise kept
        assert raised.value is kept


def test_a_value_that_is_out_of_range_in_a_file_is_the_files_mistake() -> None:
    message = r"^a\.json is malformed: top_k must be at least 0; got -1\.$"
    with pytest.raises(DamagedFileError, match=message), refusing("a.json is malformed"):
        raise BadArgumentError("top_k must be at least 0; got -1.")


def test_an_unknown_name_lists_the_valid_ones_and_the_nearest() -> None:
    error = unknown("score", "dots", ("dot", "cosine"))
    assert type(error) is BadArgumentError
    assert str(error) == "score must be one of dot, cosine; got 'dots'. Did you mean 'dot'?"
    assert str(unknown("score", 3, {"dot": 1})) == "score must be one of dot; got 3."
    assert did_you_mean("en_de", ["en-de"]) == " Did you mean 'en-de'?"
    assert did_you_mean("en_de", ["en-de", "en-hi"]) == " Did you mean 'en-de'?"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("wieght", "weight"), ("eweight", "weight"), ("weiht", "weight"), ("weights", "weight"),
        ("Weight", "weight"), ("scaled", "scaled_dot"), ("num_beam", "num_beams"),
        ("sumarization", "summarization"),
    ],
)  # fmt: skip
def test_a_slip_or_an_abbreviation_is_near(name: str, near: str) -> None:
    assert nearest(name, ["weight", "scaled_dot", "num_beams", "summarization", "seed"]) == near


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("vile", "device"), ("served", "seed"), ("orange", "average"), ("albert", "bert"),
        ("amends", "en-de"), ("rent", "words-en"), ("dog", "dot"), ("s", "seed"), ("", "seed"),
        ("toaster", "translate"), ("survive", "summarize"), ("qwen3", "qwen2"),
    ],
)  # fmt: skip
def test_a_far_word_gets_no_suggestion(name: str, known: str) -> None:
    assert nearest(name, [known]) is None
    assert did_you_mean(name, [known]) == ""


def calls_in(tree: ast.AST) -> set[str]:
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def test_every_error_that_is_raised_says_its_kind() -> None:
    kinds = {kind.__name__ for kind in RegardError.__subclasses__()}
    assert kinds >= {"NotFoundError", "UnsupportedError"}
    called = set().union(*(calls_in(ast.parse(source)) for source in SOURCES))
    assert kinds & called == kinds
    assert "RegardError" not in called
    # One place decides what was meant; the other lends a word another one's vector.
    guessing = {source for source in SOURCES if "get_close_matches" in source}
    places = ("errors.py", "course/words/vectors.py")
    assert guessing == {(ROOT / "src/regard" / place).read_text("utf-8") for place in places}


def test_a_librarys_message_names_no_option_of_a_command() -> None:
    found, raised = [], 0
    for path in (ROOT / "src").rglob("*.py"):
        if "cli" in path.parts or path.name == "command.py":  # of a task
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise):
                raised += 1
                for part in ast.walk(node):
                    if isinstance(part, ast.Constant) and re.search(r"--[a-z]", str(part.value)):
                        found.append((path.name, node.lineno))
    assert raised > 300
    assert found == []


def test_every_optional_package_is_in_an_extra() -> None:
    asked = {name for text in SOURCES for name in re.findall(r'optional_package\("([\w-]+)', text)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {
        re.match(r"[\w-]+", requirement)[0]
        for name, requirements in project["optional-dependencies"].items()
        if name not in ("dev", "docs")
        for requirement in requirements
    }
    assert len(asked) > 8
    assert asked <= extras


def test_nothing_tells_a_reader_to_install_regard_from_an_index() -> None:
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").glob("*.md"),
    ]
    texts = SOURCES + [page.read_text("utf-8") for page in pages]
    assert [text for text in texts if re.search(r"install [\"']?regard[\[\"'\s`]", text)] == []
