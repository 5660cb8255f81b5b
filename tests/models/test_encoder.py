"""An encoder sees the whole text on both sides, but no padding, and its heads read its states."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import regard
from fixtures.families import LABELS, VOCAB, small
from regard import RegardError
from regard.models import ENCODER_PRESETS, Encoder, EncoderConfig, encoder_preset

SIZES: dict[str, Any] = dict(
    d_model=15, num_layers=2, num_heads=3, d_ff=22, max_positions=11, dropout=0.0
)
OUTPUTS: dict[str, tuple[int, ...]] = {
    "none": (2, 7, 15),
    "pooler": (2, 15),
    "masked_lm": (2, 7, VOCAB),
    "classification": (2, 3),
    "question_answering": (2, 7, 2),
}
IDS = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 14, 1, 0, 0, 0]])
every_head = pytest.mark.parametrize("head", OUTPUTS)


def model(head: str = "none", **changes: Any) -> Encoder:
    settings: dict[str, Any] = dict(head=head, max_positions=11, dropout=0.0)
    made: Encoder = small("bert", std=0.3, **settings | changes).double()
    return made


@every_head
def test_every_head_gives_what_it_says(head: str) -> None:
    assert model(head)(IDS).shape == OUTPUTS[head]


def test_embedding_and_layer_are_berts_by_hand() -> None:
    made = model(num_layers=1, token_types=2)
    token_type_ids = torch.tensor([[0, 0, 0, 1, 1]])
    embed, layer = made.embed, made.encoder.layers[0]
    assert embed.positions is not None
    assert embed.token_types is not None
    total = embed.tokens.weight[IDS[0, :5]] + embed.positions.weight[:5]
    x = embed.norm(total + embed.token_types.weight[token_type_ids[0]])
    attention = layer.self_attention
    query, key, value = (
        part(x).view(5, 3, 5).transpose(0, 1)
        for part in (attention.query, attention.key, attention.value)
    )
    heads = (query @ key.mT / 5**0.5).softmax(-1) @ value
    x = layer.self_attention_norm(x + attention.output(heads.transpose(0, 1).reshape(5, 15)))
    inner = functional.gelu(layer.feed_forward.inner(x))
    x = layer.feed_forward_norm(x + layer.feed_forward.outer(inner))
    torch.testing.assert_close(made(IDS[:1, :5], token_type_ids=token_type_ids)[0], x)


def test_heads_are_their_formulas_on_the_states() -> None:
    made = model("masked_lm")
    states = made.hidden(IDS)
    inner = made.head.norm(functional.gelu(made.head.dense(states)))
    torch.testing.assert_close(made(IDS), inner @ made.embed.tokens.weight.T + made.head.bias)
    made = model("classification", pooler_activation="relu")
    pooled = torch.relu(made.head.pooler.dense(made.hidden(IDS)[:, 0]))
    torch.testing.assert_close(made(IDS), made.head.output(pooled))
    made = model("pooler")
    torch.testing.assert_close(made(IDS), torch.tanh(made.head.dense(made.hidden(IDS)[:, 0])))


def test_padding_that_does_not_count_is_at_the_row_before_the_first() -> None:
    made = model(count_padding=False, position_offset=1)
    left = IDS[1:].roll(3, dims=1)
    table = made.embed.positions
    assert table is not None
    embedded: list[Tensor] = []
    table.register_forward_hook(lambda _module, inputs, _output: embedded.append(inputs[0]))
    made(left)
    assert embedded[0].tolist() == [[0, 0, 0, 1, 2, 3, 4]]


def test_every_token_sees_both_sides() -> None:
    made = model()
    for changed in range(7):
        ids = IDS[:1].clone()
        ids[0, changed] = 17
        moved = (made(ids) - made(IDS[:1])).abs().amax(-1)[0]
        assert (moved > 1e-6).all()


def test_each_optional_input_moves_the_output() -> None:
    made = model()
    plain = made(IDS)
    assert not torch.allclose(made(IDS, token_type_ids=torch.ones_like(IDS)), plain)
    assert torch.equal(made(IDS, token_type_ids=torch.zeros_like(IDS)), plain)
    attention_mask = IDS != 0
    assert torch.equal(made(IDS, attention_mask=attention_mask), plain)
    attention_mask[0, 3] = False
    assert not torch.allclose(made(IDS, attention_mask=attention_mask)[0], plain[0])
    everything = model(pad_id=None)(IDS)
    torch.testing.assert_close(
        made(IDS, attention_mask=torch.ones_like(attention_mask)), everything
    )
    assert not torch.allclose(everything[1], plain[1])


@every_head
def test_gradients_reach_every_weight_that_has_a_part_in_the_output(head: str) -> None:
    made = model(head).train()
    weights = torch.randn(OUTPUTS[head], dtype=torch.float64)
    (made(IDS, token_type_ids=IDS % 2) * weights).sum().backward()
    for name, parameter in made.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any() or name.endswith("key.bias"), name


def test_dropout_before_the_heads_projection_is_its_own() -> None:
    made = model("classification", head_dropout=0.5).train()
    assert not torch.equal(made(IDS), made(IDS))
    assert torch.equal(made.hidden(IDS), made.hidden(IDS))
    same = model("classification", dropout=0.5, head_dropout=0.0)
    assert same.head.dropout.dropped == 0
    assert model("question_answering", dropout=0.5).head.dropout.dropped == 128


@every_head
def test_it_can_be_built_without_memory(head: str) -> None:
    with torch.device("meta"):
        assert all(parameter.is_meta for parameter in model(head).parameters())


def test_first_values_are_berts() -> None:
    made = Encoder(EncoderConfig(VOCAB, head="masked_lm", d_model=64, num_layers=1, num_heads=4))
    for name, parameter in made.named_parameters():
        if parameter.ndim == 2 and parameter.shape[0] > 2:
            assert 0.015 < float(parameter.detach().std()) < 0.025, name
        elif name.endswith("bias"):
            assert not parameter.any(), name


def test_a_trace_names_its_layers() -> None:
    made = model()
    trace = regard.trace(made, ids=IDS[:1], token_type_ids=torch.ones_like(IDS[:1]))
    assert list(trace) == ["encoder.layers.0.self", "encoder.layers.1.self"]
    weights = trace["encoder.layers.1.self"].weights(head=2)
    assert weights.shape == (7, 7)
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[0]))
    with torch.no_grad():
        assert torch.equal(trace.output, made(IDS[:1], token_type_ids=torch.ones_like(IDS[:1])))


def test_presets_have_the_sizes_of_their_papers() -> None:
    with torch.device("meta"):
        base = Encoder(encoder_preset("base", 30522, head="pooler"))
        tiny = Encoder(encoder_preset("tiny", 30522, head="pooler"))
    assert sum(parameter.numel() for parameter in base.parameters()) == 109_482_240
    assert sum(parameter.numel() for parameter in tiny.parameters()) == 4_385_920
    for name in ENCODER_PRESETS:
        config = encoder_preset(name, VOCAB)
        assert config.d_model == 64 * config.num_heads
    with pytest.raises(RegardError, match=r"preset must be one of tiny, .*got 'huge'"):
        encoder_preset("huge", VOCAB)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(head="words"), "head must be one of none, .*; got 'words'"),
        (dict(activation="mish"), "activation must be one of"),
        (dict(pooler_activation="silu"), "pooler_activation must be one of tanh, relu, gelu"),
        (dict(dropout=1.5), "dropout must be from 0"),
        (dict(head_dropout=-1.0), "dropout must be from 0"),
        (dict(head="classification"), "labels must be given for head='classification'"),
        (dict(labels=LABELS), "labels must be given .* got head='none' and 3 labels"),
        (dict(pad_id=VOCAB), "pad_id must be below the vocabulary's 31; got 31"),
        (dict(count_padding=False), "needs a pad_id and a position_offset"),
        (dict(count_padding=False, pad_id=None, position_offset=1), "needs a pad_id"),
    ],
)
def test_a_config_that_is_none_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        EncoderConfig(VOCAB, **(SIZES | changes))


def test_inputs_that_the_model_has_not_are_refused() -> None:
    with pytest.raises(RegardError, match="token ids must be from 0 to 30; got 31"):
        model()(IDS + 1)
    with pytest.raises(RegardError, match="token_type_ids must be from 0 to 1; got 2"):
        model()(IDS, token_type_ids=IDS.clamp(max=2))
    with pytest.raises(RegardError, match=r"this model has no token types.*Leave them out"):
        model(token_types=None)(IDS, token_type_ids=torch.zeros_like(IDS))
    with pytest.raises(RegardError, match="the model has 11 positions"):
        model()(IDS.repeat(1, 2))
