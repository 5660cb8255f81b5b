"""Explanations in the terminal, as Markdown and as a page: readable, cut where said, escaped."""

from html.parser import HTMLParser

import pytest
import torch

from regard.course.explanation import explain_vectors
from regard.course.explanation.pages import explanation_html, explanation_markdown
from regard.course.explanation.record import grid, matrix_of, shape, written
from regard.course.explanation.terminal import explanation_text

TOKENS = ["<b>", "▁old|er", "*man*", "नदी", "a-rather-long-token"]


def explanation(tokens=TOKENS, dim=6, **options):
    draw = torch.Generator().manual_seed(2)
    vectors = torch.randn(len(tokens), dim, generator=draw)
    return explain_vectors(list(tokens), vectors, **options)


def test_a_number_has_its_sign_in_print_and_no_negative_zero():
    assert [written(x) for x in (1.005, -2.5, -0.001, None)] == ["1.00", "−2.50", "0.00", "−∞"]


def test_a_grid_is_cut_with_an_ellipsis_that_takes_one_place():
    found = explanation(dim=6)
    cut = grid(found, found["vectors"], rows=3, columns=4)
    assert cut.columns == ["0", "1", "2", "…"]
    assert cut.rows == ["<b>", "␣old|er", "…"]
    assert cut.cells[-1] == ["…"] * 4
    assert cut.cut
    assert not grid(found, found["vectors"], rows=5, columns=6).cut
    assert grid(found, found["scores"]).columns == grid(found, found["scores"]).rows


def test_shared_heads_of_keys_are_found_by_the_querys():
    found = explanation(heads=2)
    assert [matrix_of(found, found["key"], head) for head in (0, 1)] == [0, 1]
    assert matrix_of(found, found["joined"], 1) == 0
    assert shape(found["key"]) == "2 heads × 5 keys × 3 head_dim"
    assert shape(found["temperature"]) == "one number"
    assert shape(explanation(["a"])["scores"]) == "1 head × 1 query × 1 key"


@pytest.mark.parametrize("width", [80, 60])
def test_no_line_is_wider_than_the_terminal(width):
    from rich.cells import cell_len

    text = explanation_text(explanation(dim=64, mask="causal"), width=width, color=False)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    assert "−∞" in text
    assert "--all shows every number" in text


def test_all_numbers_are_shown_when_asked_for():
    found = explanation([f"t{n}" for n in range(20)], dim=30)
    short, whole = (explanation_text(found, width=80, color=False, whole=w) for w in (False, True))
    last = written(found["vectors"].values[0][19][29])
    assert "--all" not in whole
    line = next(line for line in whole.splitlines() if line.split()[:1] == ["t19"])
    assert line.split()[-1] == last
    assert "t19" not in short


def test_each_step_is_told_and_the_head_that_was_asked_for_is_shown():
    found = explanation(heads=2)
    text = explanation_text(found, 1, width=200, color=False)
    for step in found.steps:
        assert step.title in text
        assert step.sentence in text
        assert step.equation in text
    assert written(found["scores"].values[1][0][0]) in text
    assert "head 1 of 0 to 1" in text


def test_color_is_for_terminals_and_marks_the_largest_weight():
    assert "38;5;208" in explanation_text(explanation(), width=80, color=True)


def test_markdown_escapes_tokens_and_its_tables_are_whole():
    text = explanation_markdown(explanation(dim=30))
    assert "\\<b\\>" in text
    assert "\\*man\\*" in text
    for block in text.split("\n\n"):
        rows = [line.replace("\\|", "") for line in block.splitlines() if line.startswith("| ")]
        assert len({row.count("|") for row in rows}) <= 1
    assert "`--all` writes everything" in text
    assert "`--all`" not in explanation_markdown(explanation(dim=30), whole=True)


class Page(HTMLParser):
    """Whether every tag is closed, and what the page asks of a network."""

    def __init__(self):
        super().__init__()
        self.open, self.links, self.tags = [], [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_escaped_and_needs_no_network():
    html = explanation_html(explanation(heads=2), 1, picture="<?xml version='1.0'?><svg></svg>")
    page = Page()
    page.feed(html)
    assert page.open == []
    assert page.links == []
    assert "b" not in page.tags
    assert "&lt;b&gt;" in html
    assert "script" not in page.tags
    assert html.count("<details open><summary>head 1</summary>") == 8
    assert "<figure><svg></svg></figure>" in html
    assert "rgba(var(--weight)" in html


def test_the_page_without_a_picture_has_no_figure():
    assert "<figure>" not in explanation_html(explanation())
