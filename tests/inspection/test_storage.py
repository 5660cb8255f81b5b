"""A trace comes back from its file with the same numbers, or not at all."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from regard import RegardError
from regard.attention import Causal, Dense, Documents, Padding, Prefix, Window, capped, scaled
from regard.attention.scores import cosine, general
from regard.inspection import Tap, Trace
from regard.inspection.answers import (
    AxisInfo,
    Candidate,
    GenerationInfo,
    HypothesisInfo,
    Step,
)

Make = Callable[..., Tap]
AXIS = AxisInfo([f"t{i}" for i in range(13)], None, [(0, 2), (2, 13)], [(0, 13)], prompt=13)


def of(tap: Tap) -> Trace:
    tap.keys, tap.queries = "source", "target"
    target = AxisInfo(
        [f"r{i}" for i in range(11)], [f"p{i}" for i in range(11)], None, None, prompt=1
    )
    generation = GenerationInfo(
        axis="target",
        steps=[Step("p0", 0.5, [Candidate("p0", 0.5), Candidate("x", 0.25)])],
        hypotheses=[
            HypothesisInfo("p", ["p0"], -0.5, True), HypothesisInfo("x", ["x"], None, False),
        ],
        shown=0,
    )  # fmt: skip
    return Trace(
        {tap.name: tap}, {"source": AXIS, "target": target}, "a model", "translation",
        text="some text", generation=generation, notes=["a note"],
    )  # fmt: skip


@pytest.mark.parametrize(
    "mask",
    [
        None,
        Causal(),
        Padding.from_lengths(torch.tensor([13, 9]), 13),
        Window(2, 1) & ~Prefix(2),
        Causal() | Prefix(torch.tensor([3, 5])),
        Documents(torch.arange(13)[None] // 4, torch.arange(11)[None] // 3),
        Dense(torch.arange(11 * 13).view(11, 13) % 3 > 0),
    ],
)
def test_every_mask_comes_back(make_tap: Make, mask, tmp_path: Path):
    trace = of(make_tap(mask=mask))
    trace.save(tmp_path / "t.safetensors")
    loaded = Trace.load(tmp_path / "t.safetensors")
    name = "decoder.layers.1.self"
    for item in range(2):
        assert torch.equal(loaded[name].weights(item=item), trace[name].weights(item=item))
    assert torch.equal(loaded[name].norms(), trace[name].norms())


@pytest.mark.parametrize(
    "score", [cosine, scaled(0.2), capped(scaled(0.4), 3.0), general(torch.randn(5, 5))]
)
def test_every_score_comes_back(make_tap: Make, score, tmp_path: Path):
    trace = of(make_tap(score=score, key_heads=6))
    trace.save(tmp_path / "t.safetensors")
    loaded = Trace.load(tmp_path / "t.safetensors")
    assert torch.equal(
        loaded["decoder.layers.1.self"].weights(), trace.taps[next(iter(trace))].weights()
    )


def test_everything_else_comes_back(make_tap: Make, tmp_path: Path):
    trace = of(make_tap(bias=torch.randn(1, 6, 11, 13), dtype=torch.bfloat16))
    trace.save(tmp_path / "t.safetensors")
    loaded = Trace.load(tmp_path / "t.safetensors")
    assert loaded.axes == trace.axes
    assert loaded.generation == trace.generation
    assert (loaded.model_name, loaded.task, loaded.text) == ("a model", "translation", "some text")
    assert loaded.receipt == trace.receipt
    assert loaded.notes[:1] == ["a note"]
    assert "without the model" in loaded.notes[1]
    assert loaded.rerun is None


def test_a_tensor_that_taps_share_is_stored_once(make_tap: Make, tmp_path: Path):
    bias = torch.randn(1, 6, 11, 13)
    trace = of(make_tap(bias=bias))
    again = make_tap(bias=bias)
    again.name, again.queries, again.keys = "another", "target", "source"
    query = trace["decoder.layers.1.self"].query
    again.attention = again.attention._replace(query=query)
    trace.taps["another"] = again
    trace.save(tmp_path / "t.safetensors")
    assert len(load_file(tmp_path / "t.safetensors")) == 5 + 3  # key, value and W_O are not shared


def test_a_score_of_the_users_own_cannot_be_stored(make_tap: Make, tmp_path: Path):
    trace = of(make_tap(score=lambda query, key: query @ key.mT))
    with pytest.raises(
        RegardError, match=r"can hold only the masks and scores of regard\.attention"
    ):
        trace.save(tmp_path / "t.safetensors")
    assert not list(tmp_path.iterdir())


def test_a_file_cut_short_is_refused(make_tap: Make, tmp_path: Path):
    whole, cut = tmp_path / "t.safetensors", tmp_path / "cut.safetensors"
    of(make_tap()).save(whole)
    cut.write_bytes(whole.read_bytes()[:-100])
    with pytest.raises(RegardError, match="cut short"):
        Trace.load(cut)


def test_a_file_of_another_version_is_refused(make_tap: Make, tmp_path: Path):
    path = tmp_path / "t.safetensors"
    save_file({"0": torch.zeros(1)}, path, metadata={"format": "regard-trace", "version": "99"})
    with pytest.raises(RegardError, match="a trace of version 99"):
        Trace.load(path)


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        (None, "does not hold a trace"),
        ({"format": "pt"}, "does not hold a trace"),
        ({"format": "regard-trace", "version": "1"}, "is not a trace as regard writes it"),
        ({"format": "regard-trace", "version": "1", "trace": "{"}, "is not a trace as regard"),
        ({"format": "regard-trace", "version": "1", "trace": "{}"}, "is not a trace as regard"),
        ({"format": "regard-trace", "version": "1", "trace": "[" * 10**5}, "is not a trace as"),
    ],
)
def test_another_safetensors_file_is_refused(tmp_path: Path, metadata, sentence: str):
    save_file({"0": torch.zeros(1)}, tmp_path / "t.safetensors", metadata=metadata)
    with pytest.raises(RegardError, match=sentence):
        Trace.load(tmp_path / "t.safetensors")


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("axes", {"source": {"tokens": 5}}), ("axes", []), ("generation", {"axis": "target"}),
        ("generation", {"axis": 1, "steps": [], "hypotheses": [], "shown": 0}), ("taps", [3]),
        ("axes", {"source": {"tokens": ["a"], "predicts": None, "words": [[0]], "sentences": None,
                             "prompt": 0}}),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_type_is_refused(
    make_tap: Make, tmp_path: Path, part: str, wrong: object
):
    file = tmp_path / "t.safetensors"
    of(make_tap()).save(file)
    with safe_open(file, framework="pt") as opened:
        header = opened.metadata()
    content = json.loads(header["trace"]) | {part: wrong}
    save_file(load_file(file), file, metadata=header | {"trace": json.dumps(content)})
    with pytest.raises(RegardError, match=r"is not a trace as regard writes it \([^\n]+\)\. Copy"):
        Trace.load(file)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("taps", 0, "queries"), "nowhere"), (("taps", 0, "kind"), "other"),
        (("taps", 0, "output_weight"), {"tensor": "1"}), (("task",), "juggling"),
        (("axes", "source", "tokens"), ["a"]), (("axes", "target", "predicts"), ["a"]),
        (("axes", "source", "words"), [[0, 99]]), (("generation", "axis"), "nowhere"),
        (("generation", "shown"), 9), (("notes",), [3]),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_each_other_are_refused(
    make_tap: Make, tmp_path: Path, place: tuple[str | int, ...], wrong: object
):
    file = tmp_path / "t.safetensors"
    of(make_tap()).save(file)
    with safe_open(file, framework="pt") as opened:
        header = opened.metadata()
    content = part = json.loads(header["trace"])
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = wrong
    save_file(load_file(file), file, metadata=header | {"trace": json.dumps(content)})
    with pytest.raises(RegardError, match="is not a trace as regard writes it"):
        Trace.load(file)


def test_no_file_is_refused(tmp_path: Path):
    with pytest.raises(RegardError, match="there is no trace at"):
        Trace.load(tmp_path / "none.safetensors")


def test_a_part_goes_to_numpy_with_its_tokens(make_tap: Make, tmp_path: Path):
    trace = of(make_tap())
    part = dict(queries=slice(1, 4), keys=slice(5, 7))
    trace.to_npz(tmp_path / "t.npz", "decoder.layers.1.self", 2, **part)
    stored = np.load(tmp_path / "t.npz")
    expected = trace["decoder.layers.1.self"].weights(2, **part)
    np.testing.assert_allclose(stored["values"], expected.numpy(), atol=1e-7)
    assert [label.partition(" ")[0] for label in stored["rows"].tolist()] == ["r1", "r2", "r3"]
    assert stored["columns"].tolist() == ["t5", "t6"]
    assert (stored["tap"].item(), stored["head"].item()) == ("decoder.layers.1.self", "2")


def test_a_tap_that_is_not_there_is_named_with_the_nearest(make_tap: Make):
    with pytest.raises(RegardError, match=r"tap must be one of .* Did you mean 'decoder.layers.1"):
        of(make_tap())["decoder.layers.1.sefl"]
