"""docs/build.py: what pages ask for is run, shown, kept, and refused where it cannot be had."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "docs_build", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RUNS", tmp_path / "runs")
    return module


@pytest.fixture
def page(build, tmp_path):
    """Completes a page and returns its text."""

    def complete(text: str) -> str:
        path = tmp_path / "pages" / "page.md"
        build.write(path, text)
        build.complete(path, state="")
        return path.read_text(encoding="utf-8")

    return complete


def test_a_console_shows_each_command_and_what_it_printed(page):
    text = page("Before.\n\n```console run\n$ echo one\n$ echo two \\\n    three\n```\n\nAfter.\n")
    output = "```console\n$ echo one\none\n$ echo two \\\n    three\ntwo three\n```"
    assert text == f"Before.\n\n{output}\n\nAfter.\n"


def test_a_program_is_followed_by_what_it_printed(page):
    text = page("```python run\nprint(6 * 7)\n```\n")
    assert text == "```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n"


def test_what_is_not_marked_is_left_alone(page):
    text = "```console\n$ regard studio\n```\n\n```python\n1 / 0\n```\n"
    assert page(text) == text


def test_a_mark_for_the_check_of_commands_is_taken_off(page):
    assert (
        page("```console own\n$ regard info mine\n```\n") == "```console\n$ regard info mine\n```\n"
    )


def test_programs_of_a_page_share_one_folder_and_its_pictures_come_beside_it(page, tmp_path):
    text = "```console run\n$ echo '<svg/>' >one.svg; echo 5 >data\n```\n"
    assert page(text + "```console run\n$ cat data\n```\n").endswith("$ cat data\n5\n```\n")
    assert {path.name for path in (tmp_path / "pages").iterdir()} == {"page.md", "one.svg"}


def test_data_beside_a_page_is_there_for_its_programs(build, page, tmp_path):
    build.write(tmp_path / "pages" / "some.tsv", "a\tb\n")
    assert "a\tb" in page("```console run\n$ cat some.tsv\n```\n")


def test_what_was_run_is_run_again_only_when_something_changed(build, tmp_path):
    counted = build.Program("console", f"$ echo x >>{tmp_path}/times\n")
    for state in ("1", "1", "2"):
        build.results([counted], [], state)
    assert (tmp_path / "times").read_text() == "x\nx\n"


def test_functions_and_constants_of_a_file_are_shown_as_they_stand(build, page, tmp_path):
    (tmp_path / "some.py").write_text(
        "A = 3\nB = 5\n\n\ndef f(x):\n    return x  # why\n\n\ndef g(): ...\n"
    )
    build.ROOT = tmp_path
    assert page("```python source some.py f A\n```\n") == (
        "```python\ndef f(x):\n    return x  # why\n\n\nA = 3\n```\n"
    )
    assert page("```python source some.py A B f\n```\n") == (
        "```python\nA = 3\nB = 5\n\n\ndef f(x):\n    return x  # why\n```\n"
    )


@pytest.mark.parametrize(
    ("fence", "message"),
    [
        ("```console run\n$ echo no >&2; exit 3\n```\n", r"`echo no .*` ended with 3: no"),
        ("```python source examples/none.py\n```\n", r"there is no examples/none\.py to show\."),
        (
            "```python source examples/11_cross_attention.py walk\n```\n",
            r"11_cross_attention\.py has no walk; it has Sentence, Folder, main\.",
        ),
    ],
)
def test_what_cannot_be_had_is_one_sentence(build, page, fence, message):
    with pytest.raises(build.BuildError, match=message):
        page(fence)


def test_every_command_and_option_is_on_the_page_of_commands(build):
    from generated import commands_page

    text = commands_page()
    assert "## regard translate\n" in text
    assert "### regard words near\n" in text
    assert re.search(r"^\| `--num-beams` \| .+ \|$", text, re.MULTILINE)
    assert re.search(r"^\| `TEXTS` \| What to translate", text, re.MULTILINE)
    assert re.search(r"^\| `--model` `-m` \| .* Required\. \|$", text, re.MULTILINE)
    assert re.search(r"^\| `--count` `-k` \| .* Default: `10`\. \|$", text, re.MULTILINE)
    rows = re.findall(r"^\| .*$", text, re.MULTILINE)
    assert all(re.fullmatch(r"\|( | `.+` )\| ?.*\|", row) for row in rows)


def test_every_result_stands_under_what_its_script_measures(build):
    from generated import results_page

    benchmarks = DOCS.parent / "benchmarks"
    text = results_page(benchmarks)
    results = [
        path for path in (benchmarks / "results").iterdir() if path.suffix in (".txt", ".md")
    ]
    assert len(results) > 10
    for result in results:
        first, _, rest = result.read_text(encoding="utf-8").partition("\n")
        output = (rest or first).rstrip()
        assert text.count(output) == 1
        assert (f"{output}\n```" in text) == (result.suffix == ".txt")


def test_examples_in_docstrings_become_code(build):
    pytest.importorskip("griffe", reason="griffe is not installed: make docs brings it")
    from doctests import fenced

    text = "Says.\n\n>>> f(1)\n2\n>>> f(\n...     2)\n3\n\nArgs:\n    x: a number.\n"
    code = ">>> f(1)\n2\n>>> f(\n...     2)\n3"
    assert fenced(text) == f"Says.\n\n```pycon\n{code}\n```\n\nArgs:\n    x: a number.\n"


def test_the_site_has_a_page_that_translates_with_its_lessons(build, tmp_path):
    build.live(tmp_path)
    page = (tmp_path / "try" / "index.html").read_text(encoding="utf-8")
    for part in ("regard-model-0", "regard-words", "regard-worker"):
        assert f'id="{part}"' in page
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert '<a href="try/">' in index
