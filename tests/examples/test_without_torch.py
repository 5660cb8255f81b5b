"""Most examples run without torch, and the documents name the others."""

import re
from pathlib import Path

import pytest

from fixtures.base import run_in_base

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py"))}
NEED = {name for name, text in TEXTS.items() if re.search(r"^(?:import|from) torch", text, re.M)}
# of a reader's file, of a package or of a model's folder, and of many sentences
NOT_RUN = re.compile(r"[iI]t needs (?:a file|`pip)|must be in the current|idioms\.tsv")
BASE = [name for name, text in TEXTS.items() if name not in NEED and not NOT_RUN.search(text)]
RUN = """
import runpy
for path in sys.argv[1:]:
    runpy.run_path(path)["main"]()
    print("ran", path)
"""


def test_those_that_need_no_package_run_in_the_base_installation(tmp_path):
    paths = [str(FOLDER / f"{name}.py") for name in BASE]
    done = run_in_base(RUN, *paths, cwd=tmp_path)
    assert re.findall(r"^ran (.*)$", done.stdout, re.MULTILINE) == paths, done.stderr
    assert len(paths) == 14


@pytest.mark.parametrize("page", ["examples/README.md", "docs/road/index.md"])
def test_a_page_names_those_that_need_torch_and_no_other(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.search(r"modules need torch: (.*?)\.", text, re.DOTALL)[1]
    assert set(re.findall(r"`(\w+)`", named)) == NEED


def test_the_page_on_installation_has_their_number():
    assert len(NEED) == 12
    assert "twelve of the [programs of the road]" in (ROOT / "docs/start/install.md").read_text()


def test_a_program_says_at_its_head_that_it_needs_torch():
    heads = {name: text.split('\n"""\n')[0] for name, text in TEXTS.items()}
    assert {k for k, head in heads.items() if re.search(r"`pip install torch\b", head)} == NEED
