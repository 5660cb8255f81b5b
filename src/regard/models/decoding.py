"""Masks and positions of tokens, for models that write."""

import torch
from torch import Tensor

from regard.errors import BadArgumentError


def left_padded(tokens: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return the prompt with its padding moved to the left, so that new tokens follow its last one.

    Args:
        tokens, attention_mask: (batch, length) each.

    Returns:
        both; None for the mask of a prompt without padding.
    """
    check_attention_mask(attention_mask, tuple(tokens.shape))
    if bool(attention_mask.all()):
        return tokens, None
    attention_mask, order = attention_mask.sort(dim=1, stable=True)  # False, padding, first
    return tokens.gather(1, order), attention_mask


def check_attention_mask(attention_mask: Tensor, shape: tuple[int, ...]) -> None:
    """Raise BadArgumentError unless the mask is boolean and of this shape, (batch, length)."""
    if attention_mask.dtype != torch.bool or attention_mask.shape != shape:
        raise BadArgumentError(
            f"attention_mask must be boolean, True for tokens, with the shape {shape} of the ids;"
            f" got {attention_mask.dtype} {tuple(attention_mask.shape)}."
        )


def check_documents(documents: Tensor, ids: Tensor, *others: object) -> None:
    """Raise BadArgumentError unless documents have the ids' shape, (batch, length), and the others
    are None."""
    if documents.shape != ids.shape or any(other is not None for other in others):
        raise BadArgumentError(
            f"documents must have the shape {tuple(ids.shape)} of the ids, and come without"
            f" attention_mask and caches; got {tuple(documents.shape)}."
        )


def positions_of_tokens(attention_mask: Tensor) -> Tensor:
    """Return number of tokens before each, (batch, length); padding does not count.

    Args:
        attention_mask: (batch, length), True for a token.
    """
    return (attention_mask.cumsum(1) - 1).clamp(min=0)


def positions_within(documents: Tensor) -> Tensor:
    """Distance of each token from the first of its document, (batch, length).

    Args:
        documents: (batch, length), the number of each token's document, which never falls.
    """
    index = torch.arange(documents.shape[1], device=documents.device).expand_as(documents)
    begins = torch.ones_like(documents, dtype=torch.bool)
    begins[:, 1:] = documents[:, 1:] != documents[:, :-1]
    return index - (index * begins).cummax(1).values
