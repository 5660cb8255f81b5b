"""tools/documents.py: a fault of a page or a script is found, with its line."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    monkeypatch.setenv("COLUMNS", "100")
    import documents

    return documents


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., Path]:
    """Writes a page, or a script."""

    def write(text: str, name: str = "page.md") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_link_into_nothing_has_its_line(documents, page):
    (fault,) = documents.of_prose([page("One.\n\n[Two](none.md).\n")])
    assert fault[1:] == (3, "none.md: there is no such file")


def test_prose_that_is_hard_to_read_is_found(documents, page):
    hard = "Institutional considerations necessitate organizational characteristics. "
    ((_, line, what),) = documents.of_prose([page(hard * 30)])
    assert line == 1
    assert "reads like grade" in what


def test_a_comparison_without_a_number_has_its_line(documents, page):
    ((_, line, what),) = documents.of_claims([page("One.\n\nIt is much\nfaster.\n")])
    assert (line, what) == (3, "has no number: It is much faster.")


def test_a_picture_must_be_described_and_drawn(documents, page):
    text = "![](a.svg)\n\n![A](b.svg)\n\n```console run\n$ python examples/b.py\n```\n"
    faults = [(line, what) for _, line, what in documents.of_pages([page(text)])]
    assert faults == [
        (1, "a picture is not described"),
        (1, "a.svg: no file, and no program draws it"),
    ]


def test_a_measured_number_and_an_end_without_a_question_are_found(documents, page):
    good = "It is `3.5`.\n\n## A question\n\nWhy?\n\n```console run\n$ regard info\n```\n"
    assert list(documents.of_road([page(good)])) == []
    faults = [what for *_, what in documents.of_road([page("One.\nIt took 3.5 ms.\n")])]
    assert faults == [
        "3.5 is measured; let a program print it",
        "must end with a question that a command answers",
    ]


@pytest.mark.parametrize(
    ("where", "command", "reason"),
    [
        ("[here](#one)", "regard info", None),
        ("not here yet", "", None),
        ("not here yet", "regard info", "what is not here yet has no command"),
        ("[here](#two)", "regard info", "there is no section two"),
        ("here", "python examples/none.py", "there is no examples/none.py"),
        ("here", "regard info --no-such-option", "No such option: --no-such-option"),
        ("here", "ls", "'ls' is no command of python or regard"),
    ],
)
def test_a_row_of_the_introductions_needs_a_command_that_works(
    documents, page, where, command, reason
):
    head = "# Page\n\n## One\n\n| from the | where | by |\n|---|---|---|\n"
    table = page(f"{head}| It | {where} | `{command}` |\n")
    faults = [
        (line, what.partition(" (")[0]) for _, line, what in documents.of_introductions(table)
    ]
    assert faults == ([] if reason is None else [(7, reason)])


def test_a_benchmark_must_say_how_it_is_called_and_what_it_measures(documents, page):
    parsed = "import argparse\nargparse.ArgumentParser(description={}).parse_args()\n"
    good = '"""Speed of x.\n\n    python benchmarks/a.py\n"""\n' + parsed.format("__doc__")
    assert list(documents.of_benchmarks([page(good, "a.py")])) == []
    bad = '"""Speed of x.\n"""\n' + parsed.format("'Another'")
    faults = [what for *_, what in documents.of_benchmarks([page(bad, "b.py")])]
    assert faults == [
        "its docstring must hold `python benchmarks/b.py`",
        "--help must say 'Speed of x.'",
    ]
    broken = page(good.replace("import argparse", "import argparser"), "a.py")
    ((*_, what),) = documents.of_benchmarks([broken])
    assert what == "--help ends with 1: ModuleNotFoundError: No module named 'argparser'"


def test_a_name_that_cannot_be_imported_has_its_line(documents, page):
    text = "`regard.load`\n\n`regard.inspection.trace.Trace`, `regard.inspection.entropy`.\n"
    faults = [fault[1:] for fault in documents.of_names([page(text)])]
    assert faults == [(3, "regard.inspection.entropy: there is no such name")]
