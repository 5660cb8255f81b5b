"""Checks of a running model: neither padding nor the future may change a result."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

PADS = 3
ROUNDING = 1e-3  # of the largest value: what other shapes may change; a mask changes far more


@torch.no_grad()
def check_run(model: Any, text: Sequence[int], pad: int | None) -> Iterator[str]:
    """Run a short text alone, padded, and with another end; yield what is wrong.

    Args:
        model: one that reads text, in evaluation mode.
        pad: what the tokenizer pads with; None where it has no such token.
    """
    ids = torch.tensor([text])
    alone = _result(model, ids, torch.ones_like(ids, dtype=torch.bool))
    if not bool(alone.isfinite().all()):
        yield (
            "the model returns NaN or infinity for a short text:"
            " go back to an earlier checkpoint, or load it in float32"
        )
        return
    yield from _padding(model, ids, alone, pad)
    yield from _future(model, ids, alone)


def _padding(model: Any, ids: Tensor, alone: Tensor, pad: int | None) -> Iterator[str]:
    masked = model.writing == "generation"
    if pad is None and not masked:
        return  # a recurrent model takes no padding; a decoder gets an attention mask
    # On the left too where it may stand there; behind a causal mask, nothing sees it on the right.
    sides = (0, PADS) if masked else (0,)
    if any(_differ(_padded(model, ids, pad or 0, left), alone) for left in sides):
        yield (
            f"a text that is padded with {pad or 0} gives a different result, so the mask treats"
            " padding as text or text as padding: set pad_token_id in config.json to the token"
            " that the tokenizer pads with"
        )


def _padded(model: Any, ids: Tensor, pad: int, left: int) -> Tensor:
    padded = functional.pad(ids, (left, PADS - left), value=pad)
    place = torch.arange(padded.shape[1])[None]
    return _result(model, padded, (place >= left) & (place < left + ids.shape[1]))


def _future(model: Any, ids: Tensor, alone: Tensor) -> Iterator[str]:
    """Another token may change what is given at its own place and behind it."""
    if not model.writing:
        return  # every token sees the whole text
    other, place = ids.clone(), ids.shape[1] // 2
    other[0, place] = (ids[0, place] + 1) % model.config.vocab_size
    changed = _result(model, ids, torch.ones_like(ids, dtype=torch.bool), target=other)
    if _differ(changed[:, :place], alone[:, :place]):
        yield (
            "a token changes the output before it, so the decoder sees the future: its causal"
            " mask is inverted or missing; report it, with this folder's config.json"
        )


def _result(
    model: Any, ids: Tensor, attention_mask: Tensor, target: Tensor | None = None
) -> Tensor:
    """Output of a model for the tokens of one text, (1, tokens, anything).

    Args:
        target: what an encoder–decoder writes, and what a decoder reads in the place of ids.
    """
    tokens = ids[attention_mask][None]
    if not model.writing:
        return model.hidden(ids)[attention_mask][None]
    if model.writing == "generation":
        states = model.hidden(ids if target is None else target, attention_mask)
        return (states if model.head else model.logits(states))[attention_mask][None]
    written = (tokens if target is None else target) % model.config.decoder_vocab_size
    return model(ids, written) if model.writes else model.hidden(ids, written)


def _differ(ours: Tensor, alone: Tensor) -> bool:
    return not bool((ours - alone).abs().max() <= ROUNDING * alone.abs().max())
