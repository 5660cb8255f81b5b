"""The vision Transformer: patches and a class token through pre-norm layers."""

from typing import Any

import pytest
import torch
from torch import Tensor

import regard
from fixtures.families import small
from regard import RegardError
from regard.models import VISION_PRESETS, VisionConfig, VisionTransformer, vision_preset

BATCH, HEIGHT, WIDTH = 2, 6, 10
PATCHES = 2 * 5
LABELS = ("cat", "dog", "neither")
SIZES: dict[str, Any] = dict(
    image_size=(HEIGHT, WIDTH), patch_size=(3, 2), d_model=12, num_layers=2, num_heads=3, d_ff=22
)
OUTPUTS: dict[str, tuple[int, ...]] = {
    "none": (BATCH, 1 + PATCHES, 12),
    "pooler": (BATCH, 12),
    "classification": (BATCH, 3),
}
every_head = pytest.mark.parametrize("head", OUTPUTS)


def model(head: str = "none", **changes: Any) -> VisionTransformer:
    made: VisionTransformer = small("vit", std=0.3, head=head, **changes).double()
    return made


def pixels() -> Tensor:
    torch.manual_seed(37)
    return torch.randn(BATCH, 3, HEIGHT, WIDTH, dtype=torch.float64)


@every_head
def test_every_head_gives_what_it_says(head: str) -> None:
    assert model(head)(pixels()).shape == OUTPUTS[head]


def test_the_class_token_is_what_the_heads_read() -> None:
    made = model("classification")
    states = made.hidden(pixels())
    torch.testing.assert_close(made(pixels()), made.head.output(states[:, 0]))
    made = model("pooler")
    states = made.hidden(pixels())
    torch.testing.assert_close(made(pixels()), torch.tanh(made.head.dense(states[:, 0])))


def test_the_last_states_are_normalized() -> None:
    made = model()
    states = made.embed(pixels())
    for layer in made.encoder.layers:
        states = layer(states)
    torch.testing.assert_close(made(pixels()), made.encoder.norm(states))


@pytest.mark.parametrize("bias", [True, False])
def test_attention_bias_is_that_of_query_key_and_value_only(bias: bool) -> None:
    attention = model(attention_bias=bias).encoder.layers[1].self_attention
    assert [
        part.bias is not None for part in (attention.query, attention.key, attention.value)
    ] == [bias] * 3
    assert attention.output.bias is not None


def test_every_patch_reaches_the_class_token() -> None:
    image = pixels().requires_grad_()
    model("classification")(image)[0].square().sum().backward()
    assert image.grad is not None
    assert image.grad[0].ne(0).all()
    assert not image.grad[1].any()  # nor any other image's


def test_a_grid_is_no_parameter_that_trains() -> None:
    made = model(positions="grid")
    made(pixels()).sum().backward()
    assert made.embed.positions.grad is None
    assert not made.embed.positions[:, 0].any()


def test_it_can_be_built_without_memory() -> None:
    with torch.device("meta"):
        assert all(parameter.is_meta for parameter in model("classification").parameters())


def test_a_trace_names_its_layers() -> None:
    trace = regard.trace(model("classification"), pixels=pixels()[:1])
    assert list(trace) == ["encoder.layers.0.self", "encoder.layers.1.self"]
    assert trace["encoder.layers.0.self"].weights(head=0).shape == (1 + PATCHES, 1 + PATCHES)


def test_presets_have_the_sizes_of_their_papers() -> None:
    labels = tuple(str(index) for index in range(1000))
    with torch.device("meta"):
        made = VisionTransformer(vision_preset("base", head="classification", labels=labels))
    assert sum(parameter.numel() for parameter in made.parameters()) == 86_567_656
    for name in VISION_PRESETS:
        assert vision_preset(name).d_model % vision_preset(name).num_heads == 0
    with pytest.raises(RegardError, match=r"preset must be one of mini, .*, tiny, .*got 'medium'"):
        vision_preset("medium")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(head="masked_lm"), "head must be one of none, pooler, embedding"),
        (dict(activation="mish"), "activation must be one of"),
        (dict(positions="rotary"), "positions must be one of learned, grid"),
        (dict(dropout=2.0), "dropout must be from 0"),
        (dict(head="classification"), "labels must be given"),
        (dict(patch_size=(4, 2)), "image_size must be a multiple of patch_size"),
    ],
)
def test_a_config_that_is_none_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        VisionTransformer(VisionConfig(**(SIZES | changes)))


def test_an_image_of_another_size_is_refused() -> None:
    with pytest.raises(RegardError, match="pixels must be"):
        model()(pixels().mT)
