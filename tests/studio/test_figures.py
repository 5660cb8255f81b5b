"""A figure of a view has what is on the screen, in each kind of file; mistakes are sentences."""

import re

import pytest

pytest.importorskip("matplotlib")

CROSS = "decoder.layers.1.cross"
SELF = "decoder.layers.2.self"
FIGURE = "/api/traces/given/figure.svg"


def written(answer) -> list[str]:
    """The texts of an SVG file."""
    assert answer.status_code == 200, answer.text
    return re.findall(r"<text[^>]*>([^<]*)</text>", answer.text)


@pytest.mark.parametrize(
    ("kind", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")]
)
@pytest.mark.parametrize("scale", ["linear", "sink"])
def test_figures_are_files_of_their_kind(client, kind, begins, scale):
    asked = {"tap": CROSS, "head": "mean", "scale": scale, "group": "token"}
    answer = client.get(f"/api/traces/given/figure.{kind}", params=asked)
    assert answer.status_code == 200, answer.text
    assert answer.content.startswith(begins)
    assert "attachment" in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    ("asked", "inside", "outside"),
    [
        ({"view": "map"}, "→", "lines drawn"),
        ({"view": "flow", "heads": "0,mean", "focus": "2,3"}, "mean over heads", "␣"),
        ({"view": "translation", "group": "word", "at_output": "true"}, "lines drawn", "→"),
        ({"view": "generation", "step": 1}, "candidates of step 2", "lines drawn"),
        ({"view": "heads", "shade": "one"}, "by its root", "lines drawn"),
        ({"view": "compare", "other_head": 2}, "head 2", "minus"),
    ],
)
def test_a_figure_is_of_the_view_and_without_the_tokenizers_marks(client, asked, inside, outside):
    made = client.post("/api/traces", json={"model": "en-de", "text": "A dog runs."}).json()["id"]
    query = {"tap": CROSS, "head": 1, "row": 0, "column": 0} | asked
    answer = client.get(f"/api/traces/{made}/figure.svg", params=query)
    assert answer.status_code == 200, answer.text
    assert inside in answer.text
    assert outside not in answer.text
    assert "␣" not in answer.text


def test_a_figure_of_heads_that_are_no_numbers_is_refused(client):
    answer = client.get(f"/api/traces/given/figure.svg?tap={CROSS}&view=flow&heads=x")
    assert answer.status_code in (400, 422)
    answer = client.get(f"/api/traces/given/figure.svg?tap={CROSS}&view=flow&heads=99")
    assert (answer.status_code, "has heads 0 to" in answer.json()["detail"]) == (400, True)


def test_a_comparison_has_both_maps_on_one_scale_or_each_its_own(client):
    asked = {"tap": CROSS, "head": 1, "view": "compare", "other_tap": SELF, "other_head": "mean"}
    said = written(client.get(FIGURE, params=asked))
    assert {f"en-de: {CROSS}, head 1", f"en-de: {SELF}, mean over heads"} <= set(said)
    assert said.count("weight α") == 2
    said = written(client.get(FIGURE, params=asked | {"one_scale": True}))
    assert said.count("weight α, both maps") == 1
    assert "weight α" not in said


def test_each_map_of_a_comparison_has_its_own_part(client):
    asked = {"tap": CROSS, "view": "compare", "row": 2, "height": 3, "column": 1, "width": 2}
    both = written(client.get(FIGURE, params=asked | {"other_head": 0}))
    assert sum("→" in text for text in both) == 2 * (3 + 2)  # rows, and the names of the axes
    own = {"other_tap": "encoder.layers.0.self", "other_column": 0, "other_width": 99}
    apart = written(client.get(FIGURE, params=asked | own))
    assert ("red" in both, "red" in apart) == (False, True)


def test_a_difference_is_of_maps_of_one_shape_and_names_both(client):
    made = client.post("/api/traces", json={"model": "en-de", "text": "A dog runs."}).json()["id"]
    asked = {"tap": CROSS, "head": 1, "view": "compare", "difference": True}
    said = " ".join(written(client.get(FIGURE, params=asked | {"other_head": 2})))
    assert f"en-de: {CROSS}, head 1 minus" in said
    assert f"{CROSS}, head 2" in said
    assert "first minus second" in said
    refused = client.get(FIGURE, params=asked | {"other_trace": made})
    assert refused.status_code == 400
    assert refused.json()["detail"].startswith("a difference needs two maps of one shape; these")
    gone = client.get(FIGURE, params=asked | {"other_trace": "gone"})
    detail = "the second text of the comparison is not here any more; look at it again."
    assert (gone.status_code, gone.json()["detail"]) == (404, detail)


def test_all_heads_follow_the_order_and_the_pattern_of_the_page(client, trace):
    asked = {"tap": CROSS, "view": "heads", "order": "entropy", "pattern": "none"}
    said = written(client.get(FIGURE, params=asked))
    assert said[0] == "en-de: heads without a pattern, by entropy"
    heads = [head for name in trace for head in trace.patterns(name) if not head.pattern]
    assert sum("·" in text for text in said) == len(heads) > 0
    refused = client.get(FIGURE, params=asked | {"pattern": "induction"})
    assert refused.status_code == 400
    assert "no head of this text has the pattern 'induction'" in refused.json()["detail"]
    assert client.get(FIGURE, params=asked | {"order": "x"}).status_code == 422
