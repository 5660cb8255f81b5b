"""What holds for every model, whatever its family: a table of them, and one test for each law."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from fixtures.families import FAMILIES, small
from regard.attention.kernels import choice
from regard.models import (
    Decoder,
    Encoder,
    RecurrentEncoderDecoder,
    SpeechEncoderDecoder,
    VisionTransformer,
)

PAD = 0
TEXTS = [[5, 9, 2, 30, 7, 11, 1], [8, 3, 14, 1], [22], [4, 4, 19, 28, 6]]  # unequal lengths
TARGETS = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, PAD, PAD], [9, 9, 30, 1, PAD], [3] * 5])
# Positions that count padding too, as transformers' do, give a text that is padded on the left
# other positions than it has alone.
COUNTING = ("bert", "distilbert", "electra", "clip", "paper", "pegasus", "bart", "mbart")
# The fused kernel computes products of query and key. A score may have a cap, and a recurrent
# decoder another score, or no attention.
UNFUSED = ("gemma2", "no attention", "no attention, one direction", "bahdanau", "bahdanau, deep")
UNFUSED += ("luong",)


class Family:
    """How a model of it reads, and which laws it is exempt from by construction."""

    def __init__(self, name: str):
        self.name, self.model = name, FAMILIES[name][0]
        self.left, self.fused = name not in COUNTING, name not in UNFUSED

    @property
    def reads_text(self) -> bool:
        return self.model not in (VisionTransformer, SpeechEncoderDecoder)

    @property
    def writes(self) -> bool:
        """Whether it gives a text token by token, so that there is a cache, and a future."""
        return self.model not in (Encoder, VisionTransformer)


def families(applies: Callable[[Family], bool] = lambda family: True) -> pytest.MarkDecorator:
    """A test for each family that a law applies to; SigLIP's texts have no padding."""
    chosen = [family for family in map(Family, FAMILIES) if family.name != "siglip"]
    names = [family for family in chosen if applies(family)]
    return pytest.mark.parametrize("family", names, ids=[family.name for family in names])


def build(family: Family) -> Any:
    """A model in float64."""
    return small(family.name).double()


def batch(family: Family, rows: list[int], side: str = "right", more: int = 0) -> tuple[Any, ...]:
    """What the model takes: those texts, padded to the longest and `more`; images; or sounds."""
    if not family.reads_text:
        draw, shape = torch.Generator().manual_seed(7), (5, 14) if family.writes else (3, 6, 10)
        read = torch.randn(len(TEXTS), *shape, generator=draw, dtype=torch.float64)[rows]
        return (read, TARGETS[rows]) if family.writes else (read,)
    length = max(len(TEXTS[row]) for row in rows) + more
    ids = torch.full((len(rows), length), PAD)
    for place, row in enumerate(rows):
        text = torch.tensor(TEXTS[row])
        ids[place, slice(-len(text), None) if side == "left" else slice(len(text))] = text
    if family.model is Decoder:
        return ids, ids != PAD
    return (ids, TARGETS[rows]) if family.writes else (ids,)


def outputs(model: Any, family: Family, given: tuple[Any, ...]) -> list[Tensor]:
    """What the model gives for each text: of its tokens only, not of padding."""
    output = model(*given)
    if family.model in (Encoder, Decoder):
        return [states[ids != PAD] for states, ids in zip(output, given[0], strict=True)]
    return list(output)


ALL = list(range(len(TEXTS)))


@families()
def test_a_batch_gives_each_what_it_gets_alone(family: Family) -> None:
    model = build(family)
    together = outputs(model, family, batch(family, ALL))
    for row, output in zip(ALL, together, strict=True):
        [alone] = outputs(model, family, batch(family, [row]))
        torch.testing.assert_close(output, alone)


@families(lambda family: family.reads_text)
def test_padding_on_the_right_changes_nothing(family: Family) -> None:
    model = build(family)
    for row in ALL:
        [padded] = outputs(model, family, batch(family, [row], "right", more=3))
        [alone] = outputs(model, family, batch(family, [row]))
        torch.testing.assert_close(padded, alone)


@families(lambda family: family.left and family.reads_text)
def test_padding_on_the_left_changes_nothing(family: Family) -> None:
    model = build(family)
    for row in ALL:
        [padded] = outputs(model, family, batch(family, [row], "left", more=3))
        [alone] = outputs(model, family, batch(family, [row]))
        torch.testing.assert_close(padded, alone, atol=1e-6, rtol=1e-5)  # angles are float32


@families(lambda family: not family.left)
def test_positions_that_count_padding_are_why_some_are_exempt(family: Family) -> None:
    model = build(family)
    [padded] = outputs(model, family, batch(family, [0], "left", more=3))
    [alone] = outputs(model, family, batch(family, [0]))
    assert not torch.allclose(padded, alone)


PLACES = (0, slice(1, 3), slice(3, 5))  # a token, and two at once


@families(lambda family: family.writes)
@pytest.mark.parametrize("side", ["right", "left"])
def test_step_by_step_with_a_cache_gives_what_is_given_at_once(family: Family, side: str) -> None:
    model = build(family)
    first, second = batch(family, ALL, side)
    if family.model is Decoder:  # the prompt, padded, and then a token at a time
        state, new = model.start(second), TARGETS.clamp(min=2)
        steps = [state.step(first), *(state.step(new[:, places]) for places in PLACES)]
        left = batch(family, ALL, "left")
        whole = torch.cat([left[0], new], 1), torch.cat([left[1], torch.ones_like(new).bool()], 1)
        expected = model(*whole)[:, first.shape[1] - 1 :][:, [0, 1, 3, 5]]
    else:
        state, inputs = model.start(first), model.shift_right(second)
        steps, expected = [state.step(inputs[:, t]) for t in range(5)], model(first, second)
        if family.model is not RecurrentEncoderDecoder:
            again = model.start(first)
            steps += [again.step(inputs[:, places]) for places in PLACES]
            expected = torch.cat([expected, expected[:, [0, 2, 4]]], 1)
    torch.testing.assert_close(torch.stack(steps, dim=1), expected)


@families(lambda family: family.writes)
def test_no_gradient_comes_from_the_future(family: Family) -> None:
    model, place = build(family), 2
    embedded: list[Tensor] = []

    def keep(module: object, inputs: object, output: Tensor) -> Tensor:
        embedded.append(output.detach().requires_grad_())
        return embedded[-1]

    model.decoder.embed.register_forward_hook(keep)
    given = batch(family, [0, 3])
    model(*given)[:, place].square().cumsum(1).sum().backward()
    gradient = embedded[-1].grad
    assert gradient is not None
    assert (gradient[:, place + 1 :] == 0).all()
    assert (gradient[:, : place + 1] != 0).any(dim=2).all()


@families(lambda family: family.fused)
def test_the_fused_kernel_gives_what_the_plain_one_gives(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, found, used = build(family), {}, []
    for kernel in ("plain", "fused"):
        monkeypatch.setattr(choice, "choose", lambda inputs, name=kernel: used.append(name) or name)
        found[kernel] = outputs(model, family, batch(family, ALL))
    assert set(used) == {"plain", "fused"}
    torch.testing.assert_close(found["fused"], found["plain"])
