"""Roles over many sequences: of the engine and of torch, with experts, and what is refused."""

from typing import Any

import numpy as np
import pytest
import tokenizers
import torch

from fixtures.families import DECODERS
from regard import UnsupportedError, load, trace
from regard.errors import BadArgumentError
from regard.models import Decoder, DecoderConfig
from regard.tasks.looking import open_for_looking
from regard.tasks.roles import SEQUENCES, TOKENS, Share, roles
from regard.tasks.text_generation.task import Writer
from regard.text import Tokenizer


def writer(byte_level: Any, family: str, **settings: Any) -> Writer:
    """A decoder of random weights."""
    torch.manual_seed(5)
    config = DecoderConfig(283, **DECODERS[family] | settings)
    model = Decoder(config).eval()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.4)
    return Writer(model, Tokenizer(byte_level, pad=None, eos="<|endoftext|>", unk=None))


@pytest.mark.slow
def test_the_engine_and_torch_measure_the_same(byte_level: Any) -> None:
    ours = writer(byte_level, "llama", max_positions=200)
    expected, found = roles(ours), roles(ours.run_by("native"))
    assert (found.sequences, found.length) == (SEQUENCES, 2 * TOKENS)
    shares = {head.head: head.shares for head in expected.heads}
    assert len(shares) == ours.handle.config.num_layers * ours.handle.config.num_heads
    for head in found.heads:
        for role, share in head.shares.items():
            other = shares[head.head][role]
            assert share.chance == other.chance
            # A sign near zero may differ for copying.
            assert share.share == pytest.approx(other.share, abs=2e-4)


def test_heads_come_by_how_clear_they_are_and_intervals_hold_the_means() -> None:
    found = roles(load("shakespeare"))
    first = found.heads[0]
    assert (first.head, first.role) == ("decoder.layers.0.self:1", "previous")
    assert found.heads[1].role is None
    for head in found.heads:
        assert list(head.shares) == [
            "previous",
            "duplicate",
            "induction",
            "first",
            "copying",
            "names",
        ]
        for share in head.shares.values():
            assert share.low <= share.share <= share.high
    previous = 1 / np.arange(2, 101)
    assert first.shares["previous"].chance == pytest.approx(previous.mean())


def name_mover() -> Writer:
    """A model of two heads, whose weights are made: in layer 0 each word looks at the last name
    before it and passes it on; in layer 1, at a name that was not passed on."""
    words = ["Then", "and", "met", "at", "the", "gave", "a", "to"]
    words += [",", "book", "ring", "drink", "letter", "park", "station", "school", "office"]
    names = ["Mary", "Tom", "Anna", "Peter", "Alice", "David", "Sarah", "James", "Laura", "Paul"]
    vocab = {word: place for place, word in enumerate([*words, *names, "<end>"])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocab, unk_token="<end>"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    size = len(vocab)
    sizes: Any = dict(d_model=2 * size + 1, num_layers=2, num_heads=1, d_ff=4, max_positions=100)
    model = Decoder(DecoderConfig(size, **sizes)).eval()
    is_name = torch.zeros(2 * size + 1)
    is_name[len(words) : len(words) + len(names)] = 1
    token, passed = torch.zeros(2, 2 * size + 1, 2 * size + 1)
    token[:size, :size] = passed[:size, size:-1] = torch.eye(size)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.zero_()
        model.decoder.embed.tokens.weight.copy_(torch.eye(size, 2 * size + 1))
        model.decoder.embed.positions.weight[:, -1] = torch.arange(100) / 60
        first, second = (layer.self_attention for layer in model.decoder.layers)
        first.query.bias.copy_(150 * is_name)
        first.query.bias[-1] = 300
        first.key.weight.copy_(torch.eye(2 * size + 1))
        first.value.weight.copy_(token)
        first.output.weight.copy_(passed.T)
        second.query.bias.copy_(150 * is_name)
        second.query.weight.copy_(-150 * passed)
        second.key.weight.copy_(token)
    return Writer(model, Tokenizer(backend, pad=None, eos="<end>", unk=None))


def test_a_head_that_moves_the_name_that_is_not_repeated_is_found() -> None:
    found = roles(name_mover())
    heads = {head.head: head for head in found.heads}
    mover, passer = (heads[f"decoder.layers.{layer}.self:0"] for layer in (1, 0))
    assert mover.role == "names"
    assert mover.shares["names"].low > 0.9
    assert passer.shares["names"].high < 0.1
    assert mover.shares["names"].chance == pytest.approx(1 / 15)  # words of a sentence


def test_experts_have_their_shares_of_the_tokens(byte_level: Any) -> None:
    ours = writer(byte_level, "qwen3_moe", max_positions=200)
    text = "the small dog sees the red house. " * 20
    found = roles(ours, text)
    config = ours.handle.config
    assert (found.text, found.length) == ("text", 100)
    ids = torch.tensor(ours.tokenizer.encode(text)[: found.sequences * 100]).view(-1, 100)
    name = "decoder.layers.2.experts"
    chosen = torch.cat([trace(ours.handle.model, ids=row[None]).routes[name].chosen for row in ids])
    for expert in range(config.experts):
        [share] = [each.tokens for each in found.experts if each.expert == f"{name}:{expert}"]
        assert share.share == pytest.approx((chosen == expert).any(-1).float().mean().item())
        assert share.chance == pytest.approx(config.experts_per_token / config.experts)
        assert isinstance(share, Share)
        assert share.low <= share.share <= share.high


def test_what_cannot_be_measured_is_refused(byte_level: Any) -> None:
    with pytest.raises(UnsupportedError, match="such as shakespeare; en-de is another kind"):
        roles(load("en-de"))
    ours = writer(byte_level, "llama", max_positions=200)
    with pytest.raises(
        BadArgumentError, match="two sequences of 100 tokens; the text has 3 tokens"
    ):
        roles(ours, "xyz")


@pytest.mark.slow
def test_transformers_measures_the_same(encoder_folder: Any) -> None:
    folder = str(encoder_folder("Llama", "ForCausalLM"))
    from regard.inspection.huggingface import load_for_tracing

    text = "the small dog sees the red house. " * 20
    ours, theirs = open_for_looking(folder), load_for_tracing(folder)
    for read in (None, text):
        found, expected = roles(ours, read), roles(theirs, read)
        assert found.length == expected.length == 67
        assert len(found.heads) == len(expected.heads) == 6
        numbers = [head.head.rpartition(":")[2] for head in expected.heads]
        assert [head.head.rpartition(":")[2] for head in found.heads] == numbers
        for head, other in zip(found.heads, expected.heads, strict=True):
            for role, share in other.shares.items():
                assert head.shares[role].share == pytest.approx(share.share, abs=1e-4)
                assert head.shares[role].chance == pytest.approx(share.chance)
