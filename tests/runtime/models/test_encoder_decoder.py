"""The packed encoder–decoder computes what the model computes, token by token."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from fixtures.families import ENCODER_DECODERS
from regard import RegardError, UnsupportedError
from regard.attention.scores import cosine
from regard.layers.low_rank import add_adapters
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.runtime.packed import PackedEncoderDecoder, PackedReader
from regard.runtime.packing import pack

SIZES = dict(
    d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3, decoder_heads=2
)
SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TOKENS = torch.tensor([[4, 22, 13, 6, 7], [17, 2, 19, 5, 3]])


def small(**changes: object) -> EncoderDecoder:
    torch.manual_seed(3)
    model = EncoderDecoder(EncoderDecoderConfig(31, **(SIZES | changes)))  # type: ignore[arg-type]
    for parameter in model.parameters():  # nothing hides behind a zero or a one
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    return model.eval()


def packed(model: EncoderDecoder, precision: str = "fp32") -> PackedEncoderDecoder:
    found = pack(model, precision)
    assert isinstance(found, PackedEncoderDecoder)
    return found


@pytest.mark.parametrize("changes", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
@torch.no_grad()
def test_states_and_logits_of_every_family_are_the_models(
    changes: dict[str, object], same: Callable[..., None]
) -> None:
    model = small(**changes)
    ours = packed(model)
    tokens = SOURCE != 0
    states = torch.from_numpy(ours.encode(SOURCE.numpy()))
    same(states[tokens], model.encode(SOURCE)[0][tokens])
    expected, got = model.start(SOURCE), ours.start(SOURCE.numpy())
    same(got.step(TOKENS[:, :2].numpy()), expected.step(TOKENS[:, :2]))  # a prefix at once
    for each in TOKENS.T[2:]:
        same(got.step(each.numpy()), expected.step(each))


@pytest.mark.parametrize("changes", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
@pytest.mark.parametrize("head", ["classification", "question_answering"])
@torch.no_grad()
def test_every_head_of_every_family_is_the_models(
    changes: dict[str, object], head: str, same: Callable[..., None]
) -> None:
    labels = ("no", "yes", "perhaps") if head == "classification" else ()
    model = small(**changes, head=head, labels=labels, start_id=2)
    ours = pack(model)
    assert isinstance(ours, PackedReader)
    got, expected = torch.from_numpy(ours(SOURCE.numpy())), model(SOURCE, SOURCE)
    if head == "question_answering":
        got, expected = got[SOURCE != 0], expected[SOURCE != 0]
    same(got, expected)


def test_a_text_without_the_end_that_labels_are_read_from_is_refused() -> None:
    ours = pack(small(head="classification", labels=("no", "yes")))
    assert isinstance(ours, PackedReader)
    with pytest.raises(RegardError, match="each text must contain the end token"):
        ours(np.array([[5, 1], [5, 6]]))


@pytest.mark.parametrize(
    "rows",
    [
        [0, 0, 0, 1, 1, 1],  # beams of each source
        [1, 1],  # one source is done
        [1, 0],  # not in the order of the sources
        [0, 1, 1],  # not equally many
        [0, 1, 0],  # not neighbors
    ],
)
@torch.no_grad()
def test_rows_are_kept_repeated_and_reordered(rows: list[int], same: Callable[..., None]) -> None:
    model = small()
    expected, got = model.start(SOURCE), packed(model).start(SOURCE.numpy())
    for state, tokens in ((expected, TOKENS[:, :1]), (got, TOKENS[:, :1].numpy())):
        state.step(tokens)  # type: ignore[arg-type]
    chosen = torch.tensor(rows)
    expected.select(chosen)
    got.select(chosen.numpy())
    for tokens in (TOKENS[chosen, 1], TOKENS[chosen, 2]):
        same(got.step(tokens.numpy()), expected.step(tokens))
    again = torch.arange(len(rows)).flip(0)[:2]  # and once more
    expected.select(again)
    got.select(again.numpy())
    same(got.step(TOKENS[:, 3].numpy()), expected.step(TOKENS[:, 3]))


@torch.no_grad()
def test_the_past_outgrows_its_first_block(same: Callable[..., None]) -> None:
    model = small(**ENCODER_DECODERS["t5"], max_positions=64)
    expected, got = model.start(SOURCE), packed(model).start(SOURCE.numpy())
    tokens = torch.randint(2, 31, (40, 2))
    for each in tokens:
        want, have = expected.step(each), got.step(each.numpy())
    same(have, want)


@torch.no_grad()
def test_padding_changes_nothing(same: Callable[..., None]) -> None:
    ours = packed(small())
    padded, alone = ours.start(SOURCE.numpy()), ours.start(SOURCE[1:, :5].numpy())
    got = padded.step(TOKENS[:, :3].numpy())[1:]
    same(got, torch.from_numpy(alone.step(TOKENS[1:, :3].numpy())))


def test_adapters_are_merged(same: Callable[..., None]) -> None:
    model = small()
    add_adapters(model, ["query", "inner"], rank=2, alpha=4)
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    expected, got = model.start(SOURCE), packed(model).start(SOURCE.numpy())
    same(got.step(TOKENS.numpy()), expected.step(TOKENS))


def test_two_vocabularies_have_two_tables(same: Callable[..., None]) -> None:
    model = small(target_vocab_size=37)
    expected, got = model.start(SOURCE), packed(model).start(SOURCE.numpy())
    same(got.step(TOKENS.numpy() + 12), expected.step(TOKENS + 12))


def test_what_has_no_operators_is_refused_by_name() -> None:
    model = small()
    model.encoder.layers[0].self_attention.score = cosine  # type: ignore[union-attr,assignment]
    with pytest.raises(UnsupportedError, match="the score cosine cannot be packed"):
        pack(model)
    model = small()
    model.encoder.layers[0].feed_forward = nn.Bilinear(3, 3, 3)
    with pytest.raises(UnsupportedError, match="the feed-forward network Bilinear"):
        pack(model)
    model = small()
    model.decoder.norm = nn.GroupNorm(1, 12)
    with pytest.raises(UnsupportedError, match="the normalization GroupNorm"):
        pack(model)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.array([[5, 31]]), "from 0 to 30; got 31"),
        (np.array([[5, -1]]), "from 0 to 30; got -1"),
        (np.ones((1, 12), np.int64), "has 11 positions; got a sequence of 12"),
    ],
)
def test_ids_that_cannot_be_read_are_refused(source: np.ndarray, message: str) -> None:
    with pytest.raises(RegardError, match=message):
        packed(small(max_positions=11)).start(source)


def test_a_decode_beyond_the_positions_is_refused() -> None:
    state = packed(small(max_positions=11)).start(SOURCE.numpy())
    state.step(np.ones((2, 11), np.int64))
    with pytest.raises(RegardError, match="has 11 positions; got a sequence of 12"):
        state.step(np.ones(2, np.int64))


def test_one_projection_of_several_may_have_a_bias(same: Callable[..., None]) -> None:
    model = small()
    model.decoder.layers[0].self_attention.key.bias = None  # type: ignore[union-attr,assignment]
    expected, got = model.start(SOURCE), packed(model).start(SOURCE.numpy())
    same(got.step(TOKENS.numpy()), expected.step(TOKENS))


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_text_has_the_same_bits_alone_and_in_any_batch(precision: str) -> None:
    ours = packed(small(max_positions=64), precision)
    random = np.random.default_rng(11)
    lengths = random.permutation(np.arange(2, 46, 2))
    batch = np.zeros((len(lengths), lengths.max()), np.int64)
    for row, length in zip(batch, lengths, strict=True):
        row[:length] = random.integers(2, 31, length)
    together = ours.start(batch)
    alone = [ours.start(row[None, :length]) for row, length in zip(batch, lengths, strict=True)]
    for tokens in random.integers(2, 31, (3, len(lengths))):
        whole = together.step(tokens)
        for row, state in enumerate(alone):
            assert (state.step(tokens[row : row + 1])[0] == whole[row]).all()
