"""The native engine reads texts and images as the model itself does, in any company."""

from typing import Any

import numpy as np
import pytest
import torch

from fixtures.covering import parametrize
from fixtures.families import DECODERS, ENCODER_DECODERS, ENCODERS, VOCAB, drawn, small
from regard import RegardError
from regard.engine.native import library
from regard.engine.native.loading import open_native
from regard.engine.native.reads import NativeDual, NativeReader, NativeVision
from regard.models import Encoder, VisionTransformer
from regard.models.configs.heads import ENCODER_HEADS, VISION_HEADS
from regard.models.layers.low_rank import add_adapters

IDS = np.array([[5, 9, 2, 30, 7, 11, 1], [8, 3, 14, 1, 0, 0, 0]])
IMAGES: dict[str, Any] = dict(image_size=(10, 21), patch_size=(5, 3), channels=2)
KERNELS = library.kernels()
EVERY_KERNEL = range(len(KERNELS))


def encoder(head: str = "none", family: str = "bert", **changes: Any) -> Encoder:
    model: Encoder = small(family, std=0.3, head=head, **changes)
    return model


def vision(head: str = "none", **changes: Any) -> VisionTransformer:
    model: VisionTransformer = small("vit", std=0.3, head=head, **IMAGES | changes)
    return model


def opened(model: Any, precision: str = "fp32", **settings: Any) -> Any:
    native = open_native(model, precision, **settings)
    assert isinstance(native, NativeReader | NativeVision)
    return native


def same(got: Any, expected: torch.Tensor) -> None:
    assert got.shape == expected.shape
    assert np.abs(got - expected.numpy()).max() <= 1e-5 * expected.abs().max()


def ragged(count: int, longest: int = 40) -> Any:
    draw = np.random.default_rng(5)
    batch = np.zeros((count, longest), np.int64)
    for row in batch:
        length = draw.integers(1, longest + 1)
        row[:length] = draw.integers(1, VOCAB, length)
    return batch


@parametrize("head, family, kernels", ENCODER_HEADS, ENCODERS, EVERY_KERNEL)
@torch.no_grad()
def test_every_head_of_every_family_is_the_models(head: str, family: str, kernels: int) -> None:
    model, ids = encoder(head, family), ragged(9)
    got, expected = opened(model, kernels=kernels)(ids), model(torch.from_numpy(ids))
    if head not in ("pooler", "embedding", "classification"):
        got, expected = got[ids != 0], expected[torch.from_numpy(ids != 0)]
    same(got, expected)


@pytest.mark.parametrize(
    "changes",
    [
        dict(d_model=48, d_ff=130, num_heads=1),
        dict(d_model=64, d_ff=64, num_heads=4, activation="relu", pad_id=None),
        dict(num_layers=0),
        dict(num_layers=1, num_heads=15, activation="gelu_new"),
    ],
)
@torch.no_grad()
def test_other_sizes(changes: dict[str, Any]) -> None:
    model = encoder("classification", **changes)
    same(opened(model)(IDS), model(torch.from_numpy(IDS)))


@torch.no_grad()
def test_token_types_and_mask_are_read() -> None:
    model = encoder("token_classification")
    types = np.array([[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 0, 0, 0]])
    mask = np.array([[1, 1, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 0, 0]], bool)
    got = opened(model)(IDS, token_type_ids=types, attention_mask=mask)
    expected = model(
        *map(torch.from_numpy, [IDS]),
        token_type_ids=torch.from_numpy(types),
        attention_mask=torch.from_numpy(mask),
    )
    same(got[mask], expected[torch.from_numpy(mask)])


@torch.no_grad()
def test_states_and_head_are_the_models_one_after_the_other() -> None:
    model = encoder("masked_lm")
    native, tokens = opened(model), IDS != 0
    states, expected = native.hidden(IDS), model.hidden(torch.from_numpy(IDS))
    same(states[tokens], expected[torch.from_numpy(tokens)])
    assert not states[~tokens].any()
    masked = expected[torch.from_numpy(tokens)][None, ::3]
    same(native.head(masked.numpy()), model.head(masked, model.embed.tokens.weight))


@parametrize(
    "head, family, kernels",
    ["classification", "question_answering"],
    ENCODER_DECODERS,
    EVERY_KERNEL,
)
@torch.no_grad()
def test_encoder_decoders_read(head: str, family: str, kernels: int) -> None:
    model, ids = small(family, std=0.3, head=head), ragged(9)
    ids[np.arange(9), (ids != 0).sum(1) - 1] = model.config.eos_id
    native, source = opened(model, kernels=kernels), torch.from_numpy(ids)
    got, expected = native(ids), model(source, source)
    tokens = np.ones(9, bool) if head == "classification" else ids != 0
    same(got[tokens], expected[torch.from_numpy(tokens)])
    alone = native(ids[3:4, : (ids[3] != 0).sum()])[0]
    assert (alone == got[3][: len(alone)]).all()


def test_a_text_without_the_end_token_has_no_labels() -> None:
    model = small("paper", head="classification")
    with pytest.raises(RegardError, match="must contain the end token, where its labels are read"):
        opened(model)(np.array([[5, 6, 7]]))


@parametrize(
    "head, family, kernels", ["classification", "question_answering"], DECODERS, EVERY_KERNEL
)
@torch.no_grad()
def test_decoders_read(head: str, family: str, kernels: int) -> None:
    model, ids = small(family, std=0.3, max_positions=64, pad_id=0, head=head), ragged(9)
    native, mask = opened(model, kernels=kernels), ids != 0
    got = native(ids, attention_mask=mask)
    expected = model(torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
    tokens = np.ones(9, bool) if head == "classification" else mask
    same(got[tokens], expected[torch.from_numpy(tokens)])
    alone = native(ids[3:4, : mask[3].sum()])[0]
    assert (alone == got[3][: len(alone)]).all()


@parametrize("head, positions, kernels", VISION_HEADS, ["learned", "grid"], EVERY_KERNEL)
@torch.no_grad()
def test_every_head_of_images_is_the_models(head: str, positions: str, kernels: int) -> None:
    model, pixels = vision(head, positions=positions), torch.randn(5, 2, 10, 21)
    same(opened(model, kernels=kernels)(pixels.numpy()), model(pixels))


@parametrize(
    "changes, kernels",
    [
        dict(patch_bias=False, embedding_norm=True, projection=7, activation="quick_gelu"),
        dict(class_token=False, pooling="attention", d_model=24),
    ],
    EVERY_KERNEL,
    strength=1,
)
@torch.no_grad()
def test_the_vector_of_an_image_and_of_each_patch_are_the_models(
    changes: dict[str, Any], kernels: int
) -> None:
    model, pixels = vision("embedding", **changes), torch.randn(5, 2, 10, 21)
    native = NativeDual(opened(encoder()), opened(model, kernels=kernels), 0.0, 0.0)
    same(native(pixels=pixels.numpy()), model(pixels))
    same(native.patches(pixels.numpy()), model.patches(pixels))


def test_a_text_whose_state_is_of_padding_is_refused() -> None:
    model = encoder("embedding", pooling="last")
    with pytest.raises(RegardError, match="got a text with padding in its place"):
        opened(model)(np.array([[5, 6, 0]]))


@torch.no_grad()
def test_adapters_are_read() -> None:
    model = encoder("classification")
    add_adapters(model, ["query", "inner"], rank=2, alpha=4)
    drawn(model)
    same(opened(model)(IDS), model(torch.from_numpy(IDS)))


@parametrize(
    "precision, head, kernels", library.PRECISIONS, ["classification", "masked_lm"], EVERY_KERNEL
)
def test_a_text_has_the_same_bits_alone_and_in_any_company(
    precision: str, head: str, kernels: int
) -> None:
    model, ids = encoder(head), ragged(33)
    one, four = (opened(model, precision, kernels=kernels, threads=each) for each in (1, 4))
    together = one(ids)
    assert (four(ids[::-1])[::-1] == together).all()
    for row, output in zip(ids, together, strict=True):
        length = int((row != 0).sum())
        alone = one(row[None, :length])[0]
        assert (alone == (output if head == "classification" else output[:length])).all()


@parametrize("precision, kernels", library.PRECISIONS, EVERY_KERNEL)
def test_an_image_has_the_same_bits_alone_and_in_any_company(precision: str, kernels: int) -> None:
    model, pixels = vision("classification"), torch.randn(13, 2, 10, 21).numpy()
    one, four = (opened(model, precision, kernels=kernels, threads=each) for each in (1, 4))
    together = one(pixels)
    assert (four(pixels[::-1])[::-1] == together).all()
    for image, output in zip(pixels, together, strict=True):
        assert (one(image[None])[0] == output).all()


@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_kernels_with_fused_products_give_the_same_bits(precision: str) -> None:
    model, ids = encoder("masked_lm"), ragged(5)
    fused = [index for index, name in enumerate(KERNELS) if name != "plain"]
    outputs = [opened(model, precision, kernels=index)(ids) for index in fused]
    assert all((each == outputs[0]).all() for each in outputs)


def test_integers_and_bf16_are_near_and_bf16_is_exact_where_the_weights_are() -> None:
    model = encoder("classification")
    for parameter in model.parameters():
        parameter.data = parameter.data.bfloat16().float()
    exact, narrow, coarse, coarser = (
        opened(model, precision)(IDS) for precision in library.PRECISIONS
    )
    assert (exact == narrow).all()
    assert 0 < np.abs(coarse - exact).max() < 0.2 * np.abs(exact).max()
    assert 0 < np.abs(coarser - exact).max() < 0.9 * np.abs(exact).max()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (dict(ids=np.array([[5, 31]])), "token ids must be from 0 to 30; got 31"),
        (dict(ids=np.array([[5, -1]])), "token ids must be from 0 to 30; got -1"),
        (dict(ids=np.ones((1, 65), np.int64)), "has 64 positions; got a sequence of 65"),
        (dict(ids=IDS, token_type_ids=IDS), "a token type must be from 0 to 1; got 5"),
        (dict(ids=IDS[:, ::-1]), "a text that begins with padding"),
    ],
)
def test_what_cannot_be_read_is_refused(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        opened(encoder("classification"))(**inputs)


def test_token_types_of_a_model_without_any_are_refused() -> None:
    with pytest.raises(RegardError, match="no token types"):
        opened(encoder(token_types=None))(IDS, token_type_ids=IDS)


def test_images_of_another_shape_are_refused() -> None:
    with pytest.raises(RegardError, match=r"with \(2, 10, 21\) after batch; got \(1, 3, 10, 21\)"):
        opened(vision())(np.zeros((1, 3, 10, 21), np.float32))


def test_nothing_is_read_where_there_is_nothing() -> None:
    assert opened(encoder())(np.zeros((0, 5), np.int64)).shape == (0, 5, 15)
    assert opened(encoder("masked_lm"))(np.zeros((2, 4), np.int64)).shape == (2, 4, VOCAB)
    assert opened(vision())(np.zeros((0, 2, 10, 21), np.float32)).shape == (0, 15, 12)
