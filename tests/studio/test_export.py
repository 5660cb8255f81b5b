"""One file with everything: the page, the trace and its numbers, and nothing from elsewhere."""

import base64
import json
import re

import numpy as np
import pytest
import torch

import regard
from regard.errors import RegardError
from regard.inspection import Trace
from regard.inspection.answers import AxisInfo
from regard.inspection.views.tiles import TileRequest, tile
from regard.models.layers import MultiHeadAttention
from regard.studio import export, page
from regard.studio.export import to_html

TEXT = 'A <b>bold</b> "text" </script><script>alert(1)</script> & <!-- more'


def traced(positions, text=TEXT):
    torch.manual_seed(7)
    model = MultiHeadAttention(6, 3).eval()
    trace = regard.trace(model, input=torch.randn(1, positions, 6))
    (axis,) = trace.axes
    tokens = [f"</script>{position}" for position in range(positions)]
    trace.axes[axis] = AxisInfo(tokens, None, None, None, positions)
    trace.text = text
    for tap in trace.values():
        tap.output_weight = torch.randn(3, 2, 6)
    return trace


@pytest.fixture(autouse=True)
def built(monkeypatch):
    """A page small enough to look through."""
    files = {"regard.js": 'draw("</script><!--");', "regard.css": "b { content: '</style>' }"}
    monkeypatch.setattr(page, "read", files.__getitem__)


def kept(path):
    written = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="regard-trace">(.*?)</script>', written)
    return json.loads(found[1]), written


def numbers(answer):
    return np.frombuffer(base64.b64decode(answer["f32"]), "<f4").reshape(answer["shape"])


@pytest.fixture
def short(tmp_path) -> tuple[Trace, dict, str]:
    trace = traced(11)
    assert to_html(trace, tmp_path / "page.html", query="head=2") == []
    return trace, *kept(tmp_path / "page.html")


def test_everything_of_a_short_text_is_kept_exactly(short):
    trace, content, _ = short
    (name,) = trace
    tap = trace[name]
    answers = content["answers"]
    for head in range(3):
        where = f"head={head}&tap={name}"
        weights = numbers(answers[f"map?head={head}&quantity=weight&tap={name}"])
        assert np.array_equal(weights, tap.weights(head).numpy())
        assert np.array_equal(numbers(answers[f"lse?{where}"]), tap.lse(head).numpy())
        assert np.array_equal(numbers(answers[f"value_norms?{where}"]), tap.value_norms[0, head])
        vectors = numbers(answers[f"vectors?{where}"])
        expected = torch.cat([each[0, head].flatten() for each in (tap.query, tap.key, tap.value)])
        assert np.array_equal(vectors, expected.numpy())
    assert answers[f"scale?tap={name}"] == 2**-0.5
    assert [each["head"] for each in answers[f"summary?tap={name}"]["heads"]] == [0, 1, 2]
    assert numbers(answers[f"thumbnails?size=48&tap={name}"]).shape == (3, 11, 11)
    assert (content["left_out"], content["query"]) == ([], "head=2")


def test_the_trace_is_described_and_has_no_model(short):
    trace, content, _ = short
    assert content["trace"]["text"] == TEXT
    assert [tap["name"] for tap in content["trace"]["taps"]] == list(trace)
    assert content["trace"]["can_ablate"] is False


def test_a_shared_file_does_not_name_the_folders_of_its_machine(tmp_path):
    trace = traced(5)
    trace.model_name = "/home/ada/models/mine"
    to_html(trace, tmp_path / "shared.html")
    html = (tmp_path / "shared.html").read_text(encoding="utf-8")
    assert "ada" not in html
    assert '"model": "mine"' in html or '"model":"mine"' in html


def test_no_text_can_end_a_script_or_begin_one(short):
    _, _, page = short
    assert page.count("<script") == page.count("</script>") == 2
    assert page.count("</style>") == 1
    assert "<!--" not in page
    assert 'draw("\\x3C/script>\\x3C!--");' in page


def test_only_the_pages_own_script_may_run_and_nothing_is_fetched(short):
    _, _, page = short
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.split(";")[1]
    assert "http" not in policy
    assert not re.findall(r'(?:src|href)="(?!data:)', page)


def test_a_layer_whose_score_is_not_a_multiple_of_the_product_keeps_its_scores(tmp_path):
    from regard.attention import capped, scaled_dot

    trace = traced(5)
    (name,) = trace
    tap = trace[name]
    tap.attention = tap.attention._replace(score=capped(scaled_dot, 2.0))
    to_html(trace, tmp_path / "page.html")
    answers = kept(tmp_path / "page.html")[0]["answers"]
    scores = numbers(answers[f"map?head=1&quantity=score&tap={name}"])
    assert np.array_equal(scores, trace[name].scores(1).numpy())


def test_of_a_long_text_coarse_levels_are_kept_and_the_rest_is_said(tmp_path):
    trace = traced(600)
    (name,) = trace
    said = to_html(trace, tmp_path / "page.html", heads=[2], limit_mb=1.5)
    content, _ = kept(tmp_path / "page.html")
    tiles = {key: value for key, value in content["answers"].items() if key.startswith("tile?")}
    whole = (
        "tile?column=0&every=1&group=token&head=2&height=150&level=2&quantity=weight&reduce=max"
        f"&row=0&tap={name}&width=150"
    )
    blocks = trace[name].weights(2).reshape(150, 4, 150, 4).amax((1, 3)).numpy()
    np.testing.assert_allclose(numbers(tiles[whole]), blocks, rtol=1e-6)
    assert {re.search(r"level=(\d)", key)[1] for key in tiles} == {"2", "1", "0"}
    assert not any(key.startswith("map?") for key in content["answers"])
    assert said == content["left_out"]
    assert said[:2] == [
        "1 of 3 maps are included at coarse levels only.",
        "2 of 3 maps are not included, only their thumbnails.",
    ]
    assert (tmp_path / "page.html").stat().st_size < 1.7e6


def test_every_map_has_its_coarsest_level_before_one_has_a_finer(tmp_path):
    trace = traced(300)
    (name,) = trace
    coarsest = 150 * 150 * 4 * 4 / 3 / 1e6
    said = to_html(trace, tmp_path / "page.html", limit_mb=3.5 * coarsest)
    assert said[0] == "3 of 3 maps are included at coarse levels only."
    answers, _ = kept(tmp_path / "page.html")
    tiles = [key for key in answers["answers"] if key.startswith("tile?")]
    assert len(tiles) == 3
    for head in range(3):
        (key,) = [key for key in tiles if f"head={head}&" in key]
        assert "&level=1&" in key
        expected = tile(trace[name], TileRequest(name, head, level=1)).values
        assert np.array_equal(numbers(answers["answers"][key]), expected, equal_nan=True)


def test_a_map_that_would_take_too_long_is_left_out(tmp_path, monkeypatch):
    trace = traced(300)
    monkeypatch.setattr(export, "ENTRIES", 2 * 300 * 300)
    said = to_html(trace, tmp_path / "page.html", limit_mb=0.4)
    assert said[:2] == [
        "2 of 3 maps are included at coarse levels only.",
        "1 of 3 maps are not included, only their thumbnails.",
    ]


def test_what_is_chosen_comes_first(tmp_path):
    trace = traced(64)
    (name,) = trace
    one_map = 1.2 * 64 * 64 * 4 * 4 / 3 / 1e6
    to_html(trace, tmp_path / "page.html", heads=[1], limit_mb=one_map)
    answers = kept(tmp_path / "page.html")[0]["answers"]
    assert [key for key in answers if key.startswith("map?")] == [
        f"map?head=1&quantity=weight&tap={name}"
    ]


def test_a_tap_or_head_that_is_not_there_is_refused_and_nothing_written(tmp_path):
    trace = traced(5)
    with pytest.raises(RegardError, match="tap must be one of"):
        to_html(trace, tmp_path / "page.html", taps=["decoder"])
    with pytest.raises(RegardError, match="has heads 0 to 2; got 3"):
        to_html(trace, tmp_path / "page.html", heads=[3])
    assert list(tmp_path.iterdir()) == []


def test_a_package_without_its_page_says_so(tmp_path, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(page, "STATIC", tmp_path / "none")
    with pytest.raises(RegardError, match=r"has no built page"):
        to_html(traced(5), tmp_path / "page.html")
