"""An example can be copied alone into a folder, and its first line runs it there."""

import ast
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest
import typer

pytest.importorskip("matplotlib")
pytest.importorskip("skimage")
pytest.importorskip("sklearn")
pytest.importorskip("statsmodels")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
WITH_REGARD = {"numpy", "regard", "typer"}
PACKAGES = {"skimage": "scikit-image", "sklearn": "scikit-learn"}
NEEDS = {"regard.figures": "matplotlib", "regard.course.words.cooccurrence": "gensim"}


def text(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def imported(name: str) -> set[str]:
    """The full names of the modules that an example imports anywhere."""
    nodes = list(ast.walk(ast.parse(text(name))))
    plain = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    return plain | {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """The commands on the pages."""
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    return set(re.findall(r"^\$ (python examples/.*)$", pages, re.MULTILINE))


def test_each_is_short_and_ends_as_a_command():
    end = '\n\nif __name__ == "__main__":\n    typer.run(main)\n'
    assert [name for name in NAMES if not text(name).endswith(end)] == []
    assert [name for name in NAMES if len(text(name).splitlines()) > 80] == []


def test_each_first_line_is_a_command_of_the_pages_that_its_options_allow(
    shown, example, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("all-MiniLM-L6-v2").mkdir()
    for name in NAMES:
        first = text(name).splitlines()[0].removeprefix("# ")
        assert first in shown
        python, path, *arguments = shlex.split(first)
        assert (python, path) == ("python", f"examples/{name}.py")
        for argument in arguments:
            if Path(argument).suffix:  # a file of the reader's
                Path(argument).touch()
        app = typer.Typer(add_completion=False)
        app.command()(example(name).main)
        context = typer.main.get_command(app).make_context(path, arguments)
        assert len(context.params) >= len([each for each in arguments if each[:2] != "--"])


def test_none_imports_another_and_each_names_the_packages_that_it_needs():
    for name in NAMES:
        modules = imported(name)
        roots = {module.split(".")[0] for module in modules}
        assert not roots & {*NAMES, "", "importlib", "runpy"}, name
        others = roots - WITH_REGARD - sys.stdlib_module_names
        needed = {PACKAGES.get(root, root) for root in others}
        needed |= {
            package for part, package in NEEDS.items() if any(m.startswith(part) for m in modules)
        }
        said = ast.get_docstring(ast.parse(text(name)))
        named = re.findall(r"`pip install (?:--no-deps )?(.*?)`", said)
        assert needed <= {package for names in named for package in names.split()}, name


def test_each_is_in_the_list_and_no_other():
    story = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| \[.*\]\((\w+)\.py\)", story, re.MULTILINE)) == NAMES


def run(name: str, *arguments: str) -> object:
    """What the command exits with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [f"{name}.py", *arguments])
        with pytest.raises(SystemExit) as stop:
            runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    return stop.value.code


def test_the_command_prints_and_draws(capsys, tmp_path):
    assert run("11_cross_attention", "--output", str(tmp_path / "new" / "folder")) == 0
    assert '"queen" looks at "king" most' in capsys.readouterr().out
    assert (tmp_path / "new" / "folder" / "11_cross_attention.svg").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("01_plain_average", ["--output", "file"], "'file' is a file"),
        ("intro_senses", ["nowhere.tsv"], "'nowhere.tsv' does not exist"),
        ("intro_idioms", ["nowhere.tsv"], "'nowhere.tsv' does not exist"),
        ("intro_it", [], "'all-MiniLM-L6-v2' does not exist"),
    ],
)
def test_what_cannot_be_read_or_written_is_one_sentence(
    name, arguments, message, monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert run(name, *arguments) == 2
    assert message in capsys.readouterr().err
