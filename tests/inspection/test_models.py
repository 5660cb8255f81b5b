"""A traced run is the run: same kernels, same bits; its taps are what the layers were given."""

import pytest
import torch
from torch import Tensor, nn

import regard
from regard import RegardError, attend
from regard.attention import Causal
from regard.inspection import Trace, cross_attention
from regard.inspection.recording import Memory
from regard.models import EncoderDecoder, EncoderDecoderConfig

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])


def small(norm: str = "pre") -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(
        31, d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3,
        decoder_heads=2, max_positions=11, norm=norm,
    )  # fmt: skip
    return EncoderDecoder(config).eval()


class Own(nn.Module):
    """A user's module, whose attention is `attend`."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(6, 18)
        self.pool = Pool()

    def forward(self, states: Tensor) -> Tensor:
        query, key, value = self.project(states).chunk(3, dim=-1)
        return self.pool(attend(query, key, value, mask=Causal()))


class Pool(nn.Module):
    def forward(self, states: Tensor) -> Tensor:
        return attend(states[:, -1:], states, states, score="dot")


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_the_output_is_that_of_an_untraced_run_to_the_bit(norm: str):
    model = small(norm)
    assert torch.equal(
        regard.trace(model, source=SOURCE, target=TARGET).output, model(SOURCE, TARGET)
    )


def test_every_layer_has_a_tap_under_its_public_name():
    model = small()
    trace = regard.trace(model, source=SOURCE, target=TARGET)
    assert list(trace) == [
        "encoder.layers.0.self", "encoder.layers.1.self",
        "decoder.layers.0.self", "decoder.layers.0.cross",
        "decoder.layers.1.self", "decoder.layers.1.cross",
        "decoder.layers.2.self", "decoder.layers.2.cross",
    ]  # fmt: skip
    cross = trace["decoder.layers.2.cross"]
    assert (cross.side, cross.kind, cross.layer) == ("decoder", "cross", 2)
    assert (cross.queries, cross.keys, cross.rows, cross.columns) == ("target", "source", 5, 7)
    assert trace["decoder.layers.1.self"].causal
    assert not trace["encoder.layers.1.self"].causal


def test_weights_are_those_that_the_layer_averaged_with():
    model = small()
    trace = regard.trace(model, source=SOURCE, target=TARGET)
    captured: dict[str, Tensor] = {}

    def capture(name, call):
        captured[name] = call.output

    assert trace.rerun is not None
    trace.rerun(capture)
    for name, tap in trace.items():
        for item in range(2):
            average = tap.weights(item=item) @ tap.value[item]
            assert torch.allclose(average, captured[name][item], atol=1e-6), name


def test_cross_attention_is_that_of_alignment():
    model = small()
    trace = regard.trace(model, source=SOURCE, target=TARGET)
    for layer in range(3):
        expected = cross_attention(model, SOURCE, TARGET, layer=layer)
        for item in range(2):
            weights = trace[f"decoder.layers.{layer}.cross"].weights(item=item)
            assert torch.allclose(weights, expected[item], atol=1e-6)


def test_norms_add_up_to_what_the_layer_gave():
    model = small()
    trace = regard.trace(model, source=SOURCE, target=TARGET)
    tap = trace["encoder.layers.1.self"]
    attention = model.encoder.layers[1].self_attention
    heads = (tap.weights() @ tap.value[0]).unbind(0)
    joined = attention.output(torch.cat(heads, dim=-1))
    parts = [head @ weight for head, weight in zip(heads, tap.output_weight, strict=True)]
    assert torch.allclose(sum(parts) + attention.output.bias, joined, atol=1e-6)


def test_what_is_too_large_for_memory_goes_to_disk():
    model = small()
    on_disk = regard.trace(model, source=SOURCE, target=TARGET, keep="disk")
    in_memory = regard.trace(model, source=SOURCE, target=TARGET, keep="memory")
    assert torch.equal(on_disk.output, in_memory.output)
    for name in in_memory:
        assert torch.equal(on_disk[name].weights(), in_memory[name].weights())
    assert on_disk["encoder.layers.0.self"].query.is_contiguous()


def test_the_limit_decides_what_goes_to_disk(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("regard.inspection.recording.IN_MEMORY", 2500)
    moved = []
    monkeypatch.setattr("regard.inspection.recording.on_disk", lambda t: moved.append(t) or t)
    regard.trace(small(), source=SOURCE, target=TARGET)
    assert len(moved) == 8 * 3 - 3  # three tensors of 2 x 7 x 12 float32 are 2,016 bytes


def test_any_module_that_calls_attend_can_be_traced():
    torch.manual_seed(5)
    model = Own().eval()
    states = torch.randn(2, 9, 6)
    trace = regard.trace(model, states=states)
    assert list(trace) == ["attend", "pool"]
    assert trace["pool"].kind == "cross"
    assert trace["pool"].rows == 1
    assert trace.output.shape == (2, 1, 6)
    assert torch.allclose(trace["pool"].weights(0).sum(-1), torch.ones(1))


def test_a_layer_that_runs_twice_has_two_taps():
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pool = Pool()

        def forward(self, states: Tensor) -> Tensor:
            return self.pool(states) + self.pool(2 * states)

    assert list(regard.trace(Twice().eval(), states=torch.randn(1, 5, 3))) == ["pool", "pool#2"]


def test_hooks_are_gone_afterwards_even_after_an_error():
    model = small()
    with pytest.raises(RegardError, match="token ids must be from 0 to 30"):
        regard.trace(model, source=SOURCE + 30, target=TARGET)
    assert not any(module._forward_pre_hooks or module._forward_hooks for module in model.modules())


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (lambda: regard.trace(3), "trace needs a model"),
        (lambda: regard.trace(nn.Linear(2, 2).eval(), input=torch.zeros(1, 2)), "no attention was"),
        (lambda: regard.trace(small().train(), source=SOURCE, target=TARGET), "call model.eval"),
        (lambda: regard.trace(small(), source=SOURCE, target=TARGET, keep="tape"), "keep must be"),
    ],
)
def test_what_cannot_be_traced_is_refused(run, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        run()


def test_a_compiled_model_is_refused():
    model = Own().eval()
    model._compiled_call_impl = model._call_impl  # what model.compile() sets
    with pytest.raises(RegardError, match=r"as it was before torch\.compile"):
        regard.trace(model, states=torch.randn(1, 5, 6))


def test_a_trace_is_a_mapping():
    trace = regard.trace(small(), source=SOURCE, target=TARGET)
    assert isinstance(trace, Trace)
    assert len(trace) == 8
    assert "encoder.layers.0.self" in trace
    assert trace.receipt.difference < 1e-6


def test_the_memory_of_a_trace_that_is_gone_serves_the_next(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Memory, "_spare", [])
    memory = Memory()
    kept = [memory.copy(torch.full((3, 5), 1.5)), memory.copy(torch.ones(7, dtype=torch.bfloat16))]
    empty = memory.copy(torch.zeros(0, 4))
    part = kept[0][1:]
    address = kept[0].data_ptr()
    del memory, kept, empty
    assert Memory._spare == []  # a part of it is still looked at
    assert part.eq(1.5).all()
    del part
    assert len(Memory._spare) == 1
    assert Memory().copy(torch.zeros(2)).data_ptr() == address


def test_a_tensor_larger_than_a_block_has_its_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Memory, "BLOCK", 1024)
    monkeypatch.setattr(Memory, "_spare", [])
    large = torch.randn(19, 23)
    kept = Memory().copy(large.mT)
    assert torch.equal(kept, large.mT)
    assert kept.is_contiguous()
    del kept
    assert Memory._spare == []
