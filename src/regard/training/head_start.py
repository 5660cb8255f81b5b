"""A new head on a trained model: it begins as the logistic regression on the model's own vectors.

So the first steps do not spoil what the model knows for the sake of random weights (Kumar et al.
2022, Fine-Tuning can Distort Pretrained Features and Underperform Out-of-Distribution).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.training.logistic import fit_projection

if TYPE_CHECKING:
    from regard.training.recipe import Epochs

MOST = 5000  # vectors that are taken

Chosen = Callable[[Tensor, Any], Tensor]


def start_head(
    model: nn.Module,
    batches: "Epochs",
    read: Callable[[nn.Module, Any], object],
    loss: Callable[[Tensor, list[Any]], Tensor],
    *,
    chosen: Chosen = lambda vectors, batch: vectors,
) -> bool:
    """Fit the head's projection on an epoch of batches; return False for a head without one.

    Args:
        read: gives the model a batch.
        loss: of the logits of all vectors and the batches that they are of, summed.
        chosen: of the vectors that the projection reads of a batch, those with a target, (rows,
            width).
    """
    projection = getattr(model.head, "output", None)
    if not isinstance(projection, nn.Linear):
        return False
    seen: list[Any] = []
    vectors: list[Tensor] = []

    def keep(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        vectors.append(chosen(inputs[0], seen[-1]).cpu())

    hook = projection.register_forward_pre_hook(keep)
    model.eval()
    with torch.no_grad():
        for step in range(len(batches)):
            seen.append(batches.at(step))
            read(model, seen[-1])
            if sum(map(len, vectors)) >= MOST:
                break
    hook.remove()
    fit_projection(projection, torch.cat(vectors), lambda logits: loss(logits, seen))
    return True
