"""HTML stays well-formed in a translation, whatever a model answers."""

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

import regard
from regard.tasks.translation.passage import Passage
from regard.tasks.translation.passages import joined

SNIPPETS = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "html_snippets.json").read_text("utf-8")
)
VOID = ("br", "hr", "img", "wbr")  # elements without an end tag, by the HTML standard


class Tags(HTMLParser):
    """The tags of a snippet, and those that close another element than the last that is open."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=False)
        self.tags, self.opened, self.crossing = list[str](), list[str](), list[str]()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(f"{tag} {attrs}")
        self.opened += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(f"{tag} {attrs}")

    def handle_endtag(self, tag: str) -> None:
        if not self.opened or self.opened.pop() != tag:
            self.crossing.append(tag)


@pytest.fixture(scope="module")
def read() -> list[list[Passage]]:
    translator = regard.load("en-de")
    return [[*translator.passages(text)] for text in SNIPPETS]


@pytest.mark.parametrize(
    "answer",
    [str, str.upper, lambda unit: "", lambda unit: f"{unit} {unit}",
     lambda unit: " ".join(reversed(unit.split())), lambda unit: " ".join(unit.split()[::2])],
    ids=["copied", "in capitals", "nothing", "repeated", "in another order", "half of it"],
)  # fmt: skip
def test_tags_are_nested_and_none_is_lost(
    answer: Callable[[str], str], read: list[list[Passage]]
) -> None:
    for text, passages in zip(SNIPPETS, read, strict=True):
        its = [
            (passage, passage.translated(list(map(answer, passage.units)))[0])
            for passage in passages
        ]
        before, after = Tags(text), Tags(joined(text, its))
        assert (after.opened, after.crossing) == ([], []), text
        assert sorted(after.tags) == sorted(before.tags), text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('<a title="1 > 0" href=x>The new book</a> is here.', "The new book is here."),
        ("See https://example.org</a> and go.", "See Boston and go."),
        ("Read <span>https://</span><span>a.org/b</span> now.", "Read Boston now."),
        ('Ask <a href="https://a.org/@bo">@<span>bo</span></a> now.', "Ask Boston now."),
        ("Press <kbd>Ctrl</kbd>+<kbd>C</kbd> now.", "Press Boston now."),
        ("Open <code>my file</code> now.", "Open Boston now."),
        ('Say <i translate="no">Good Morning</i> now.', "Say Boston now."),
        ("H<sub>2</sub>O is water.", "Boston is water."),
        ("It is 5&nbsp;km long.", "It is 17 long."),
        ("Anna&#39;s house is big.", "Anna's house is big."),
        ("Open the door&gt; now.", "Open the door> now."),
    ],
)
def test_what_the_model_reads_of_html(text: str, read: str) -> None:
    (passage,) = regard.load("en-de").passages(text)
    assert passage.units[0] == read


@pytest.mark.parametrize("text", ["The door<br>is open.", "<td>The door</td><td>is open.</td>"])
def test_a_line_break_or_a_cell_ends_a_sentence(text: str) -> None:
    its = [passage.source for passage in regard.load("en-de").passages(text)]
    assert its == ["The door", "is open."]
