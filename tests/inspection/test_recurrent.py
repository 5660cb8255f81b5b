"""A recurrent decoder's steps are one tap, whose rows are what each step looked at."""

from pathlib import Path

import pytest
import torch

import regard
from regard import RegardError
from regard.attention import Call
from regard.attention.kernels import run
from regard.inspection import Trace, cross_attention
from regard.inspection.views.ablation import ablate
from regard.models import RecurrentConfig, RecurrentEncoderDecoder

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])
KINDS = [
    dict(),
    dict(attention="luong"),
    dict(attention="luong", score="dot", input_feeding=True, cell="lstm"),
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=["bahdanau", "luong", "feeding"])


def small(**changes: object) -> RecurrentEncoderDecoder:
    torch.manual_seed(3)
    config = RecurrentConfig(31, d_model=10, hidden_size=14, **changes)  # type: ignore[arg-type]
    model = RecurrentEncoderDecoder(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "cross_attention" in name:
                weight *= 3  # weights far from even, so that no two rows are alike
    return model


def contexts(model: RecurrentEncoderDecoder) -> list[torch.Tensor]:
    """What the attention module returned, call by call, joined: (batch, steps, width)."""
    found: list[torch.Tensor] = []
    attention = model.decoder.cross_attention
    handle = attention.register_forward_hook(lambda module, inputs, output: found.append(output))
    model(SOURCE, TARGET)
    handle.remove()
    return found


@every_kind
@torch.no_grad()
def test_the_steps_are_one_tap_of_what_they_looked_at(kind: dict[str, object]) -> None:
    model = small(**kind)
    trace = regard.trace(model, source=SOURCE, target=TARGET)
    assert list(trace) == ["decoder.cross"]
    assert torch.equal(trace.output, model(SOURCE, TARGET))
    tap = trace["decoder.cross"]
    assert (tap.kind, tap.queries, tap.keys, tap.rows, tap.columns) == (
        "cross", "target", "source", 5, 7,
    )  # fmt: skip
    assert tap.head_dim == model.decoder.cross_attention.head_dim
    seen = torch.cat(contexts(model), dim=1)
    states = model.encode(SOURCE).states
    for item in range(2):
        torch.testing.assert_close(tap.weights(0, item=item) @ states[item], seen[item])
    assert not tap.weights(0, item=1)[:, 5:].any()


@every_kind
def test_the_word_alignment_is_the_same_map(kind: dict[str, object]) -> None:
    model = small(**kind)
    tap = regard.trace(model, source=SOURCE, target=TARGET)["decoder.cross"]
    output = cross_attention(model, SOURCE, TARGET)
    assert output.shape == (2, 1, 5, 7)
    torch.testing.assert_close(output[1, 0], tap.weights(0, item=1))
    input = cross_attention(model, SOURCE, TARGET, step="input")
    torch.testing.assert_close(input[:, :, :-1], output[:, :, 1:])


@every_kind
def test_a_saved_trace_has_the_same_map(kind: dict[str, object], tmp_path: Path) -> None:
    trace = regard.trace(small(**kind), source=SOURCE, target=TARGET)
    trace.save(tmp_path / "trace.safetensors")
    again = Trace.load(tmp_path / "trace.safetensors")
    expected = trace["decoder.cross"].weights(0)
    torch.testing.assert_close(again["decoder.cross"].weights(0), expected)


@every_kind
@torch.no_grad()
def test_a_switched_off_edge_changes_its_step_and_later_ones(kind: dict[str, object]) -> None:
    model = small(**kind)
    trace = regard.trace(model, source=SOURCE, target=TARGET)
    assert trace.rerun is not None
    assert torch.equal(trace.rerun(lambda name, call: None), trace.output)
    captured: list[int] = []

    def without_key(name: str, call: Call) -> torch.Tensor:
        captured.append(call.inputs.query.shape[2])
        seen = torch.ones(5, 7, dtype=torch.bool)
        seen[2, 1] = False
        assert call.inputs.mask is not None
        hidden = call.inputs._replace(mask=call.inputs.mask & seen)
        output = call.output.clone()
        output[:, :, 2] = run("plain", hidden, False)[0][:, :, 2]
        return output

    changed = trace.rerun(without_key)
    assert set(captured) == {5}
    torch.testing.assert_close(changed[:, :2], trace.output[:, :2])
    assert not torch.allclose(changed[:, 2], trace.output[:, 2])
    step = ablate(trace, "edge", "decoder.cross", query=2, key=1, step=2)
    ids = trace.output[0].argmax(-1)
    assert step.after == pytest.approx(float(changed[0, 2].softmax(-1)[ids[2]]), abs=1e-6)
    earlier = ablate(trace, "edge", "decoder.cross", query=2, key=1, step=1)
    assert earlier.delta == pytest.approx(0, abs=1e-6)
    assert ablate(trace, "token", "decoder.cross", key=1, step=0).delta != 0


def test_without_attention_there_is_nothing_to_look_at() -> None:
    model = small(attention="none")
    with pytest.raises(RegardError, match="there is no attention to look at"):
        regard.trace(model, source=SOURCE, target=TARGET)
    with pytest.raises(RegardError, match="there is no attention to look at"):
        cross_attention(model, SOURCE, TARGET)
