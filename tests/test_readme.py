"""The README is true: its programs run, and CONTRIBUTING's map lists every folder and no other."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tree() -> tuple[set[str], set[str]]:
    """The folders under src/regard, and the others, that the tree names."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    inner = re.findall(r"^ {6}(\w+)/ ", text, re.MULTILINE)
    outer = re.findall(r"^ {4}([\w/]+)/(?: |$)", text, re.MULTILINE)
    return set(inner), set(outer)


def test_the_tree_lists_every_folder_of_the_package():
    package = ROOT / "src" / "regard"
    folders = {path.name for path in package.iterdir() if path.is_dir()} - {"__pycache__"}
    assert tree()[0] == folders


def test_the_tree_names_no_folder_that_is_not_there():
    outer = tree()[1]
    assert "src/regard" in outer
    assert {name for name in outer if not (ROOT / name).is_dir()} == set()


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", "docs/design.md", "docs/look.md"]
)
def test_links_lead_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    missing = [link for link in links if not ((ROOT / document).parent / link).exists()]
    assert missing == []


def test_the_map_of_what_to_change_names_files_that_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+(?:/|\.(?:py|ts|css)))`", text.split("## Where would I change")[1])
    assert len(named) > 10
    homes = (ROOT, ROOT / "src" / "regard")
    assert [name for name in named if not any((home / name).exists() for home in homes)] == []


BLOCKS = [
    program
    for document in ("README.md", "docs/look.md")
    for program in re.findall(
        r"```python\n(.*?)```", (ROOT / document).read_text("utf-8"), re.DOTALL
    )
]


@pytest.mark.parametrize("program", BLOCKS, ids=range(len(BLOCKS)))
def test_programs_run(program):
    shipped = ROOT / "src" / "regard" / "shipped" / "en-de" / "model.safetensors"
    if "regard.load" in program and not shipped.exists():
        pytest.skip("the model en-de is not in this checkout")
    exec(program, {})
