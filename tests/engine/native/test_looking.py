"""A run of the native engine, looked at: beside the same run of the module, and its bad input."""

from typing import Any

import numpy as np
import pytest
import torch

from regard import models
from regard.engine.native import library, looking
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.errors import BadArgumentError
from regard.inspection.attribution import logit_lens
from regard.inspection.models import switched_off, traced
from regard.inspection.recording import capturing
from regard.inspection.storage import load_trace
from regard.inspection.trace import Trace
from regard.inspection.views.ablation import ablate
from regard.inspection.views.needed import reliances
from regard.inspection.views.page import cell
from regard.inspection.views.statistics import summary_of
from regard.inspection.views.tiles import TileRequest, thumbnails, tile
from regard.tasks.looking import open_for_looking

TEXTS = {
    "en-de": "I would like to drink a cup of tea with my friends.",
    "shakespeare": "ROMEO: What light",
    "emotions": "I love it so much!",
    "minilm": "Anna lives in Berlin and likes her garden.",
}
EXACT = 1e-5


@pytest.fixture(scope="module", params=TEXTS)
def traces(request: pytest.FixtureRequest) -> tuple[Trace, Trace]:
    """Of the engine, and of the module."""
    engine: Any = open_for_looking(request.param)
    text = TEXTS[request.param]
    return engine.trace(text), engine.run_by("torch").trace(text)


def difference(engine: Any, module: torch.Tensor) -> float:
    assert isinstance(engine, np.ndarray)
    assert tuple(engine.shape) == tuple(module.shape)
    return float(np.nanmax(np.abs(engine - module.cpu().numpy()), initial=0))


def test_the_maps_are_those_of_the_module(traces: tuple[Trace, Trace]) -> None:
    engine, module = traces
    assert list(engine) == list(module)
    assert engine.axes == module.axes
    assert engine.notes == module.notes
    assert [label.token for label in engine.labels] == [label.token for label in module.labels]
    for name, tap in engine.items():
        assert difference(tap.weights(), module[name].weights()) <= EXACT
        assert difference(tap.query, module[name].query) <= 1e-4
        assert difference(tap.value_norms, module[name].value_norms) <= 1e-4
        assert tap.receipt.difference <= 2e-6
        assert (tap.causal, tap.kind, tap.side) == (
            module[name].causal,
            module[name].kind,
            module[name].side,
        )


def test_what_a_page_shows_is_the_same(traces: tuple[Trace, Trace]) -> None:
    engine, module = traces
    for name in engine:
        theirs = summary_of(module, name)
        for head, other in zip(summary_of(engine, name).heads, theirs.heads, strict=True):
            assert (head.pattern, head.sink_key) == (other.pattern, other.sink_key)
            assert head.entropy == pytest.approx(other.entropy, abs=1e-4)
        for quantity in ("weight", "norm", "score"):
            for more in ({}, {"level": 1}, {"reduce": "mean", "level": 1}, {"group": "word"}):
                request = TileRequest(name, 1, quantity=quantity, **more)  # type: ignore[arg-type]
                ours, others = tile(engine[name], request), tile(module[name], request)
                np.testing.assert_allclose(ours.values, others.values, atol=1e-4, equal_nan=True)
        pictures, _ = thumbnails(engine[name], 3)
        np.testing.assert_allclose(pictures, thumbnails(module[name], 3)[0], atol=EXACT)
        numbers, others = cell(engine, name, 1, 2, 1), cell(module, name, 1, 2, 1)
        assert numbers.weight == pytest.approx(others.weight, abs=EXACT)
        assert numbers.row_entropy == pytest.approx(others.row_entropy, abs=1e-4)
        assert [look.token for look in numbers.row] == [look.token for look in others.row]


OFF = [
    ("en-de", {"without": [2]}),
    ("en-de", {"without": ["decoder.layers.0.cross:1"]}),
    ("en-de", {"without": ["encoder.layers.0.self:2:3:1", "target:2"]}),
    ("en-de", {"looks": {4: 1}}),
    ("en-de", {"looks": {"decoder.layers.1.cross:2:3": 5}, "num_beams": 3}),
    ("en-de", {"target": "Ich trinke Tee.", "without": ["decoder.layers.1.self:0"]}),
    ("shakespeare", {"without": [3]}),
    ("shakespeare", {"without": ["decoder.layers.1.self:0"]}),
    ("shakespeare", {"looks": {7: 4}}),
    ("shakespeare", {"generate": 0}),
]


@pytest.mark.parametrize(("name", "options"), OFF, ids=str)
def test_a_part_is_off_in_the_text_that_is_written_and_in_its_maps(
    name: str, options: dict[str, Any]
) -> None:
    engine: Any = open_for_looking(name)
    ours, theirs = (task.trace(TEXTS[name], **options) for task in (engine, engine.run_by("torch")))
    assert ours.output_ids == theirs.output_ids
    assert ours.notes == theirs.notes
    for tap in ours:
        assert difference(ours[tap].weights(), theirs[tap].weights()) <= EXACT
    last = list(ours)[-1]
    for what in ("edge", "head", "token"):
        change, other = (
            ablate(trace, what, last, head=1, query=2, key=1) for trace in (ours, theirs)
        )
        assert change.step == other.step
        assert change.after == pytest.approx(other.after, abs=EXACT)


def test_the_logit_lens_and_what_an_output_relies_on_are_read_from_the_engine() -> None:
    engine: Any = open_for_looking("en-de")
    ours, theirs = (
        task.trace("Where is the station?") for task in (engine, engine.run_by("torch"))
    )
    for step in range(3):
        layers = zip(logit_lens(ours, step).layers, logit_lens(theirs, step).layers, strict=True)
        for layer, other in layers:
            assert layer.rank == other.rank
            assert layer.probability == pytest.approx(other.probability, abs=EXACT)
    for word, other in zip(reliances(ours), reliances(theirs), strict=True):
        assert word.change == pytest.approx(other.change, abs=1e-4)


def test_what_needs_gradients_is_that_of_the_module() -> None:
    ours: Any = open_for_looking("en-de")
    trace, other = (task.trace("Good morning.") for task in (ours, ours.run_by("torch")))
    terms, others = (found.attribution(1).contributions for found in (trace, other))
    assert [term.value for term in terms] == pytest.approx([term.value for term in others])
    [step], [theirs] = trace.measures([1]), other.measures([1])
    assert step.measures == theirs.measures


CONFIGS = {
    "t5": models.preset(
        "tiny",
        60,
        norm="pre",
        positions="relative",
        score="dot",
        scale_output=True,
        norm_kind="rms",
    ),
    "post-norm": models.preset("tiny", 60, norm="post"),
    "window": models.decoder_preset("tiny", 60, window=3, num_heads=4, num_key_heads=2),
    "rotary": models.decoder_preset("tiny", 60, positions="rotary"),
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_every_way_to_attend_is_the_modules(kind: str) -> None:
    torch.manual_seed(0)
    config = CONFIGS[kind]
    model = (models.Decoder if kind in ("window", "rotary") else models.EncoderDecoder)(config)
    model.eval()
    ids = np.array([[5, 6, 7, 8, 9, 10, 11, 1]])
    inputs = {"ids": ids} if isinstance(model, models.Decoder) else {"source": ids, "target": ids}
    engine = seen(open_native(model), model)
    ours, theirs = traced(engine, inputs), traced(model, inputs)
    assert list(ours) == list(theirs)
    for name in ours:
        assert difference(ours[name].weights(), theirs[name].weights()) <= EXACT
        assert difference(ours[name].attention.output(), theirs[name].attention.output()) <= 1e-4
    assert difference(ours.output, theirs.output) <= 1e-4


def test_looking_changes_no_bit_and_ends_with_its_context() -> None:
    model = models.Decoder(CONFIGS["rotary"]).eval()
    engine, ids = seen(open_native(model), model), np.array([[5, 6, 7, 8]])
    before, calls = engine(ids=ids), list[str]()
    with capturing(engine, lambda path, call: calls.append(path)):
        np.testing.assert_array_equal(engine(ids=ids), before)
    np.testing.assert_array_equal(engine(ids=ids), before)
    assert calls == list(engine.attentions())


def test_an_error_of_the_listener_ends_the_run_and_is_raised() -> None:
    model = models.Decoder(CONFIGS["rotary"]).eval()
    engine = seen(open_native(model), model)

    def refuse(path: str, call: Any) -> None:
        raise ValueError(path)

    with pytest.raises(ValueError, match=r"decoder\.layers\.0"), capturing(engine, refuse):
        engine(ids=np.array([[5, 6, 7]]))


@pytest.mark.parametrize(
    ("source", "target", "sentence"),
    [
        ([], [5], "1 to"),
        ([5], [], "1 to"),
        ([60], [5], "an id must be from 0 to 59; got 60"),
        ([5], [-1], "a token must be from 0 to 59; got -1"),
        ([5], [5] * 600, "1 to"),
    ],
    ids=str,
)
def test_the_library_refuses_a_pair_that_it_cannot_read(
    source: list[int], target: list[int], sentence: str
) -> None:
    packed = open_native(models.EncoderDecoder(CONFIGS["post-norm"]).eval())
    ids, written = (np.array(row, np.int32) for row in (source, target))
    states = np.empty((max(1, len(target)), packed._width), np.float32)
    pointers = [library.pointer_to(array) for array in (ids, written, states)]
    status = library.library().regard_read_pair(
        packed.pointer, pointers[0], len(ids), pointers[1], len(written), 1, pointers[2]
    )
    with pytest.raises(BadArgumentError, match=sentence):
        library.check(status)


def test_a_decoder_reads_no_pair() -> None:
    packed = open_native(models.Decoder(CONFIGS["rotary"]).eval())
    ids, states = np.array([5], np.int32), np.empty((1, packed._width), np.float32)
    pointer = library.pointer_to(ids)
    status = library.library().regard_read_pair(
        packed.pointer, pointer, 1, pointer, 1, 1, library.pointer_to(states)
    )
    with pytest.raises(BadArgumentError, match="reads no source"):
        library.check(status)


def test_a_saved_trace_is_the_engines(tmp_path: Any) -> None:
    engine: Any = open_for_looking("en-de")
    trace = engine.trace("Good morning.")
    trace.save(tmp_path / "trace.safetensors")
    saved = load_trace(tmp_path / "trace.safetensors")["taps"]
    for name, tap in trace.items():
        assert np.array_equal(tap.weights(), saved[name].weights())
        assert isinstance(saved[name].query, np.memmap)  # read as it is looked at


def test_a_long_text_is_looked_at_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    config = models.decoder_preset(
        "tiny", 60, num_layers=2, num_heads=2, d_model=32, positions="rotary", sinks=True,
        window=2060, unwindowed=(1,), score_cap=4.0,
    )  # fmt: skip
    model = models.Decoder(config).eval()
    for layer in model.decoder.layers:
        torch.nn.init.normal_(layer.self_attention.query.weight)
        torch.nn.init.normal_(layer.self_attention.sinks)
    ids = np.random.default_rng(0).integers(0, 60, (1, 2201))
    packed = open_native(model)
    monkeypatch.setattr(looking, "IN_MEMORY", 0)
    whole = traced(seen(packed, model), {"ids": ids})
    monkeypatch.setattr(looking, "MOST_LOGITS", 60 * 2200)
    engine = traced(seen(packed, model), {"ids": ids}, keep="disk")
    assert engine.output.shape == (1, 2201, 60)
    assert np.array_equal(engine.output[0, 7:], whole.output[0, 7:])
    assert not isinstance(engine.output, np.ndarray)  # too large for that
    assert engine.axes == whole.axes
    with torch.no_grad():
        assert difference(whole.output, model(torch.from_numpy(ids))) <= EXACT
    for name, tap in engine.items():
        assert isinstance(tap.query, np.memmap)
        assert not isinstance(whole[name].query, np.memmap)
        assert tap.known_lse is not None
        np.testing.assert_allclose(tap.known_lse, tap.attention.lse(), atol=EXACT)
        assert tap.receipt.row_sum_error <= EXACT
    pieces = packed.start()
    for first, last in ((0, 2050), (2050, 2071), (2071, 2200)):
        pieces.step(ids[:, first:last])
    at_once = packed.start()
    at_once.step(ids[:, :2200])
    assert np.array_equal(pieces.step(ids[:, 2200:]), at_once.step(ids[:, 2200:]))


def test_a_part_that_is_not_there_is_refused() -> None:
    model = models.EncoderDecoder(CONFIGS["post-norm"]).eval()
    engine = seen(open_native(model), model)
    with pytest.raises(BadArgumentError, match="has heads 0 to"):
        switched_off(engine, ["decoder.layers.0.cross:99"], {"source": 3})


def test_a_second_trace_reads_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    engine: Any = open_for_looking("emotions")
    engine.trace("I love it!")
    monkeypatch.delattr(looking, "weights_of")
    tap = engine.trace("So do I.")["encoder.layers.0.self"]
    assert tap.output_weight is not None
