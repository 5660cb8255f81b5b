"""The optional packages, and the public names of an installation without any of them."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fixtures.base import run_in_base
from regard import packages
from regard.errors import UnavailableError
from regard.packages import OPTIONAL, MissingPackageError, install_line, optional_package

ROOT = Path(__file__).parents[1]


def base(program: str) -> str:
    """What a program prints where no optional package is installed."""
    done = run_in_base(program)
    assert not done.returncode, done.stderr
    return done.stdout


def test_each_is_in_the_extra_that_is_named() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for package, extra in OPTIONAL.values():
        assert any(each.startswith(package) for each in extras[extra]), package


def test_a_missing_package_is_named_with_its_extra_and_the_command_that_installs_it() -> None:
    message = f"the package torch (in regard's extra 'torch'): {install_line('torch')}."
    assert str(MissingPackageError("this needs", "torch")) == f"this needs {message}"
    with (
        pytest.raises(
            UnavailableError, match=r"^clouds need the package no-such>=3: .*'no-such>=3'"
        ),
        optional_package("no-such>=3", "clouds need"),
    ):
        import no_such  # noqa: F401


def test_the_command_installs_where_this_python_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(packages.shutil, "which", lambda name: "/usr/bin/pip")  # of another python
    assert install_line("ray[data]") == f"{python} -m pip install 'ray[data]'"
    monkeypatch.setattr(packages.shutil, "which", lambda name: str(python.parent / "pip"))
    assert install_line("torch") == "pip install torch"
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    assert install_line("torch") == f"uv pip install --python {python} torch"
    (tmp_path / "pipx_metadata.json").touch()
    assert install_line("torch") == f"pipx inject {tmp_path.name} torch"


def test_another_library_that_tries_for_one_gets_pythons_own_answer() -> None:
    program = (
        "from importlib.util import find_spec\n"
        "assert find_spec('torch') is None\n"
        "try:\n    import torch\n"
        "except ModuleNotFoundError as error:\n    print(type(error).__name__)\n"
    )
    assert base(program) == "ModuleNotFoundError\n"


def test_a_lazy_package_says_how_to_install_it_where_it_is_needed() -> None:
    program = (
        "from regard.lazy import PIL, require, torch\n"
        "print(sentence_of(lambda: torch.zeros(1)))\n"
        "print(sentence_of(lambda: PIL.Image.new('L', (1, 1))))\n"
        "print(sentence_of(lambda: require(PIL)))\n"
    )
    torch = str(MissingPackageError("this needs", "torch"))
    image = str(MissingPackageError("reading images needs", "pillow"))
    assert base(program).splitlines() == [torch, image, image]


def test_every_lazy_module_of_a_room_is_there() -> None:
    source = ROOT / "src"
    rooms = [
        ".".join(path.parent.relative_to(source).parts)
        for path in source.rglob("__init__.py")
        if "modules(" in path.read_text(encoding="utf-8")
    ]
    program = (
        "from importlib import import_module\n"
        "from importlib.util import find_spec\n"
        "from regard.lazy import LazyModule\n"
        f"rooms = map(import_module, {rooms})\n"
        "lazy = [m._name for r in rooms for m in vars(r).values() if isinstance(m, LazyModule)]\n"
        "print(len(lazy) > 20, [name for name in lazy if not find_spec(name)])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "True []\n", done.stderr


def of_module(name: str) -> str:
    """A documented name as "module:attribute"."""
    module, _, attribute = name.rpartition(".")
    return f"{module}:{attribute}" if module and not _exists(name) else f"{name}:__name__"


def _exists(module: str) -> bool:
    path = ROOT / "src" / module.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def test_every_documented_name_is_there_or_says_what_it_needs() -> None:
    pages = "".join(page.read_text() for page in (ROOT / "docs" / "reference").glob("*.md"))
    names = [of_module(name) for name in re.findall(r"^::: (\S+)$", pages, re.MULTILINE)]
    program = f"""
import json
from pkgutil import resolve_name
print(json.dumps({{name: sentence_of(lambda: resolve_name(name)) for name in {names}}}))
"""
    answers = json.loads(base(program))
    sentence = f"this needs the package torch (in regard's extra 'torch'): {install_line('torch')}."
    assert set(answers.values()) == {None, sentence}
    assert answers["regard.attention.attend:attend"] is None
    assert answers["regard.models.decoder:Decoder"] == sentence


def test_public_names_can_be_listed_and_described() -> None:
    program = """
import importlib, inspect, pydoc
from regard import *
for name in ("", ".attention", ".checkpoints", ".data", ".inspection"):
    module = importlib.import_module("regard" + name)
    members = dict(inspect.getmembers(module))
    assert {*module.__all__} <= {*members} and {*module.__all__} <= {*dir(module)}
    pydoc.render_doc(module)
print(sentence_of(lambda: from_pretrained("en-de")), regard.from_pretrained.__name__)
"""
    assert "package torch (in regard's extra 'torch')" in base(program)


def test_every_public_function_runs_or_names_the_package_that_it_needs(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("I love it.\tlove\n")
    program = f"""
import numpy as np
file, x = {str(tmp_path / "pairs.tsv")!r}, np.eye(2)
regard.attend(x, x, x)
regard.attention_weights(x, x)
pipeline = regard.pipeline
assert pipeline("translation_en_to_de", device=-1)("Good morning.")
assert pipeline("text-classification", "emotions")("I love it.")
assert pipeline("feature-extraction", "minilm")("A dog.")
assert pipeline("text-generation", "shakespeare")("ROMEO:", max_new_tokens=2)
assert pipeline("question-answering", "answers")(question="Who?", context="Bob came.")
assert regard.evaluate("emotions", file)
trace = regard.load("emotions").trace("I love it.")
print(sentence_of(lambda: regard.from_pretrained("en-de")))
print(sentence_of(lambda: regard.train("classification", file, "out")))
print(sentence_of(lambda: regard.evaluate("shakespeare", file)))
print(sentence_of(lambda: trace.measures()))
print(sentence_of(lambda: trace.attribution(step=0)))
print(sentence_of(lambda: regard.load("emotions").model))
print(sentence_of(lambda: pipeline("translation", "en-de", dtype="float16")))
print(sentence_of(lambda: regard.evaluate("en-de", file)))
print(sentence_of(lambda: trace.figure(tap=next(iter(trace.taps)))))
print(sentence_of(lambda: pipeline("image-classification", "digits")("x.png")))
print(sentence_of(lambda: trace.show()))
"""
    sentences = base(program).splitlines()
    named = [*["torch"] * 7, "sacrebleu", "matplotlib", "pillow", "anywidget"]
    for sentence, package in zip(sentences, named, strict=True):
        assert f"the package {package} (in regard's extra " in sentence
        assert sentence.endswith(f": {install_line(package)}.")


@pytest.mark.parametrize("name", ["06_self_attention", "11_cross_attention", "intro_bank"])
def test_an_example_without_gradients_prints_the_same_without_torch(name: str) -> None:
    path = str(ROOT / "examples" / f"{name}.py")
    program = f"import runpy\nrunpy.run_path({path!r})['main']()"
    assert (
        base(program)
        == subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    )  # where torch is installed
