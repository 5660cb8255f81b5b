import pytest
import torch
from torch import Tensor

from regard import RegardError
from regard.models import EncoderDecoder, EncoderDecoderConfig, preset

SIZES = dict(
    d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3, decoder_heads=2
)


def small(**changes: object) -> EncoderDecoder:
    torch.manual_seed(3)
    return EncoderDecoder(EncoderDecoderConfig(31, **(SIZES | changes))).double().eval()  # type: ignore[arg-type]


SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])


@pytest.mark.parametrize(
    ("name", "vocab", "millions"), [("base", 37_000, 63.1), ("big", 37_000, 214.2)]
)
def test_the_papers_models_have_the_papers_size(name: str, vocab: int, millions: float) -> None:
    # Table 3 gives 65 and 213 million parameters.
    with torch.device("meta"):
        model = EncoderDecoder(preset(name, vocab))
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert count / 1e6 == pytest.approx(millions, abs=0.1)
    assert count / 1e6 == pytest.approx({"base": 65, "big": 213}[name], rel=0.03)


def test_tiny_has_the_published_size_on_multi30k() -> None:
    with torch.device("meta"):
        model = EncoderDecoder(preset("tiny", 10_000))
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert count / 1e6 == pytest.approx(2.6, abs=0.05)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_cached_logits_equal_uncached(norm: str, positions: str) -> None:
    model = small(norm=norm, positions=positions)
    whole = model(SOURCE, TARGET)
    state = model.start(SOURCE)
    inputs = model.shift_right(TARGET)
    steps = torch.stack([state.step(inputs[:, t]) for t in range(inputs.shape[1])], dim=1)
    torch.testing.assert_close(steps, whole)


def test_a_prompt_of_several_tokens_equals_single_steps() -> None:
    model = small()
    inputs = model.shift_right(TARGET)
    one_by_one, at_once = model.start(SOURCE), model.start(SOURCE)
    for t in range(3):
        expected = one_by_one.step(inputs[:, t])
    torch.testing.assert_close(at_once.step(inputs[:, :3]), expected)
    torch.testing.assert_close(at_once.step(inputs[:, 3]), one_by_one.step(inputs[:, 3]))


def test_selected_rows_go_on_as_they_would_have() -> None:
    model = small()
    inputs = model.shift_right(TARGET)
    state, other = model.start(SOURCE), model.start(SOURCE)
    state.step(inputs[:, 0]), other.step(inputs[:, 0])
    state.select(torch.tensor([1, 0, 1]))
    expected = other.step(inputs[:, 1])
    torch.testing.assert_close(state.step(inputs[[1, 0, 1], 1]), expected[[1, 0, 1]])


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_future_is_unseen(norm: str) -> None:
    model = small(norm=norm)
    memory, mask = model.encode(SOURCE)
    embedded: Tensor | None = None

    def keep(module: object, inputs: object, output: Tensor) -> Tensor:
        nonlocal embedded
        embedded = output.detach().requires_grad_()
        return embedded

    model.decoder.embed.register_forward_hook(keep)
    hidden = model.decoder(model.shift_right(TARGET), memory, mask)
    hidden[:, 2].square().cumsum(1).sum().backward()
    assert embedded is not None
    assert embedded.grad is not None
    assert (embedded.grad[:, 3:] == 0).all()
    assert (embedded.grad[:, :3] != 0).any(dim=2).all()


def test_padding_changes_nothing() -> None:
    model = small()
    alone = model(SOURCE[1:, :5], TARGET[1:, :3])
    padded_right = model(SOURCE, TARGET)[1:, :3]
    torch.testing.assert_close(padded_right, alone)


def test_pre_norm_ends_in_a_norm_and_post_norm_does_not() -> None:
    assert any(name.startswith("encoder.norm") for name, _ in small(norm="pre").named_parameters())
    assert not any(name.startswith("encoder.norm") for name, _ in small().named_parameters())


def test_one_table_serves_source_target_and_output() -> None:
    model = small()
    assert model.encoder.embed.tokens.weight is model.decoder.embed.tokens.weight
    assert model.output_weight is model.decoder.embed.tokens.weight
    separate = small(target_vocab_size=23)
    assert separate.encoder.embed.tokens.weight.shape == (31, 12)
    assert separate.output_weight.shape == (23, 12)
    assert separate(SOURCE, TARGET % 23).shape == (2, 5, 23)


@pytest.mark.parametrize("id_", [31, -1])
def test_an_id_outside_the_vocabulary_is_named(id_: int) -> None:
    source = SOURCE.clone()
    source[1, 2] = id_
    with pytest.raises(RegardError, match=f"from 0 to 30; got {id_}"):
        small()(source, TARGET)


def test_a_sequence_longer_than_the_positions_is_refused() -> None:
    with pytest.raises(RegardError, match="6 positions; got a sequence of 7 tokens"):
        small(max_positions=6)(SOURCE, TARGET)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm": "both"}, "norm must be one of post, pre; got 'both'"),
        ({"activation": "tanh"}, "activation must be one of relu"),
        ({"d_model": 13}, "even d_model; got 13"),
        ({"eos_id": 31}, "eos_id must be below the vocabulary's 31"),
    ],
)
def test_a_config_that_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        EncoderDecoderConfig(31, **(SIZES | change))  # type: ignore[arg-type]


def test_an_unknown_preset_lists_the_known() -> None:
    with pytest.raises(RegardError, match="tiny, small, base, big; got 'huge'"):
        preset("huge", 100)


def test_dropout_acts_in_training_only() -> None:
    model = small(dropout=0.5)
    first, second = model(SOURCE, TARGET), model(SOURCE, TARGET)
    assert torch.equal(first, second)
    model.train()
    assert not torch.equal(model(SOURCE, TARGET), first)
