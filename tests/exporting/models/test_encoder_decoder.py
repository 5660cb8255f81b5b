"""The exported encoder–decoder computes what the model computes, token by token."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from fixtures.families import ENCODER_DECODERS
from fixtures.graphs import Graphs, Steps
from regard import UnsupportedError
from regard.attention.scores import cosine
from regard.exporting.onnx_folder import graphs_of
from regard.layers.low_rank import add_adapters
from regard.models import EncoderDecoder, EncoderDecoderConfig

SIZES = dict(
    d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3, decoder_heads=2
)
SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TOKENS = torch.tensor([[4, 22, 13, 6, 7], [17, 2, 19, 5, 3]])
every_family = pytest.mark.parametrize(
    "changes", ENCODER_DECODERS.values(), ids=list(ENCODER_DECODERS)
)
Same = Callable[..., None]


def small(**changes: object) -> EncoderDecoder:
    torch.manual_seed(3)
    model = EncoderDecoder(EncoderDecoderConfig(31, **(SIZES | changes)))  # type: ignore[arg-type]
    for parameter in model.parameters():  # nothing hides behind a zero or a one
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    return model.eval()


def started(
    model: EncoderDecoder, folder: Path, precision: str = "fp32", source: torch.Tensor = SOURCE
) -> Steps:
    graphs = Graphs.of(model, folder, precision)
    return Steps(graphs, len(source), graphs.encode(source.numpy())[1])


@every_family
@torch.no_grad()
def test_states_and_logits_of_every_family_are_the_models(
    changes: dict[str, object], same: Same, tmp_path: Path
) -> None:
    model = small(**changes)
    graphs, tokens = Graphs.of(model, tmp_path), SOURCE != 0
    states, memory = graphs.encode(SOURCE.numpy())
    same(torch.from_numpy(states)[tokens], model.encode(SOURCE)[0][tokens])
    expected, got = model.start(SOURCE), Steps(graphs, 2, memory)
    same(got.step(TOKENS[:, :2].numpy()), expected.step(TOKENS[:, :2]))
    for each in TOKENS.T[2:]:
        same(got.step(each.numpy()), expected.step(each))


@every_family
@pytest.mark.parametrize("head", ["classification", "question_answering"])
@torch.no_grad()
def test_every_head_of_every_family_is_the_models(
    changes: dict[str, object], head: str, same: Same, tmp_path: Path
) -> None:
    labels = ("no", "yes", "perhaps") if head == "classification" else ()
    model = small(**changes, head=head, labels=labels, start_id=2)
    got = torch.from_numpy(Graphs.of(model, tmp_path).read(SOURCE.numpy()))
    expected = model(SOURCE, SOURCE)
    if head == "question_answering":
        got, expected = got[SOURCE != 0], expected[SOURCE != 0]
    same(got, expected)


@torch.no_grad()
def test_neighboring_rows_share_the_memory_of_a_text(same: Same, tmp_path: Path) -> None:
    model, rows = small(), torch.tensor([0, 0, 0, 1, 1, 1])
    graphs, expected = Graphs.of(model, tmp_path), model.start(SOURCE)
    expected.select(rows)
    got = Steps(graphs, 6, graphs.encode(SOURCE.numpy())[1])
    tokens = torch.arange(2, 26).view(6, 4)
    for column in tokens.T:
        same(got.step(column.numpy()), expected.step(column))


@torch.no_grad()
def test_biases_by_distance_reach_far(same: Same, tmp_path: Path) -> None:
    model = small(**ENCODER_DECODERS["t5"], max_positions=64)
    expected, got = model.start(SOURCE), started(model, tmp_path)
    for each in torch.randint(2, 31, (40, 2)):
        want, have = expected.step(each), got.step(each.numpy())
    same(have, want)


def test_adapters_are_merged(same: Same, tmp_path: Path) -> None:
    model = small()
    add_adapters(model, ["query", "inner"], rank=2, alpha=4)
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    expected, got = model.start(SOURCE), started(model, tmp_path)
    same(got.step(TOKENS.numpy()), expected.step(TOKENS))


def test_two_vocabularies_have_two_tables(same: Same, tmp_path: Path) -> None:
    model = small(target_vocab_size=37)
    expected, got = model.start(SOURCE), started(model, tmp_path)
    same(got.step(TOKENS.numpy() + 12), expected.step(TOKENS + 12))


def test_what_has_no_operators_is_refused_by_name() -> None:
    model = small()
    model.encoder.layers[0].self_attention.score = cosine  # type: ignore[union-attr,assignment]
    with pytest.raises(UnsupportedError, match="the score cosine cannot be exported"):
        graphs_of(model, "fp32")
    model = small()
    model.encoder.layers[0].feed_forward = nn.Bilinear(3, 3, 3)
    with pytest.raises(UnsupportedError, match="the feed-forward network Bilinear"):
        graphs_of(model, "fp32")
    model = small()
    model.decoder.norm = nn.GroupNorm(1, 12)
    with pytest.raises(UnsupportedError, match="the normalization GroupNorm"):
        graphs_of(model, "fp32")


def test_one_projection_of_several_may_have_a_bias(same: Same, tmp_path: Path) -> None:
    model = small()
    model.decoder.layers[0].self_attention.key.bias = None  # type: ignore[union-attr,assignment]
    expected, got = model.start(SOURCE), started(model, tmp_path)
    same(got.step(TOKENS.numpy()), expected.step(TOKENS))


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_text_has_the_same_bits_beside_longer_ones(precision: str, tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    lengths = random.permutation(np.arange(2, 46, 2))
    batch = np.zeros((len(lengths), lengths.max()), np.int64)
    for row, length in zip(batch, lengths, strict=True):
        row[:length] = random.integers(2, 31, length)
    graphs = Graphs.of(small(max_positions=64), tmp_path, precision)
    together = Steps(graphs, len(batch), graphs.encode(batch)[1])
    alone = [
        Steps(graphs, 1, graphs.encode(row[None, :length])[1])
        for row, length in zip(batch, lengths, strict=True)
    ]
    for tokens in random.integers(2, 31, (3, len(lengths))):
        whole = together.step(tokens)
        for row, state in enumerate(alone):
            assert (state.step(tokens[row : row + 1])[0] == whole[row]).all()
