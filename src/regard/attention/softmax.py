"""The softmax over the keys, and what it gives a row that sees no key.

Such an empty row has weights of zero, an output of zero and a log-sum-exp of -inf, all with finite
gradients, where a plain softmax would give NaN. `zero_where_empty` is the rule; every kernel and
every look-up of a weight goes through it.
"""

from regard.arrays import Array, arrays_of
from regard.shapes import Bool, Float


def zero_where_empty(
    rows: Float[Array, "*any"], empty: Bool[Array, "*broadcasts"]
) -> Float[Array, "*any"]:
    """Rows (…), with zeros (and no gradient) in those that see no key."""
    return arrays_of(rows).filled(rows, empty, 0)


def softmax(
    scores: Float[Array, "*rows keys"],
) -> tuple[Float[Array, "*rows keys"], Float[Array, "*rows"]]:
    """Scores of whole rows, (…, keys) → weights (…, keys) and log-sum-exp (…)."""
    # The largest score is subtracted so that exp cannot overflow: a constant for the gradient.
    lowest = arrays_of(scores).library.finfo(scores.dtype).min
    top = scores.detach().amax(-1, keepdim=True).clamp(min=lowest)
    exponentials = (scores - top).exp()
    return normalized(exponentials, exponentials.sum(-1, keepdim=True), top)


def normalized(
    sums: Float[Array, "*rows dim"], total: Float[Array, "*rows 1"], top: Float[Array, "*rows 1"]
) -> tuple[Float[Array, "*rows dim"], Float[Array, "*rows"]]:
    """sum / total, (…, dim), and the log-sum-exp, (…), where total = Σ exp(score - top) over the
    keys of the row; top and total are (…, 1)."""
    # The largest score adds exp(0) = 1, so only an empty row has a total of 0. With one visible key
    # it is exactly 1: a clamp there would leave the gradient to how a tie is differentiated.
    empty = total == 0
    divisor = total.masked_fill(empty, 1)
    lse = (top + divisor.log()).masked_fill(empty, float("-inf"))
    return sums / divisor, lse.squeeze(-1)


def log_sum_exp(scores: Float[Array, "*rows keys"]) -> Float[Array, "*rows"]:
    """Scores (…, keys) → log Σ exp over the keys of each row, (…)."""
    empty = (scores == float("-inf")).all(-1)
    arrays = arrays_of(scores)
    total = arrays.log_sum_exp(zero_where_empty(scores, empty[..., None]))
    return arrays.filled(total, empty, float("-inf"))


def log_weights(
    scores: Float[Array, "*rows keys"], lse: Float[Array, "*rows"]
) -> Float[Array, "*rows keys"]:
    """Scores (…, keys) and lse (…) → the logarithms of the weights, (…, keys): score - lse; -inf
    where the weight is zero."""
    # The scores of an empty row are all -inf: its weights are zero whatever finite number goes off.
    return scores - zero_where_empty(lse, lse == float("-inf"))[..., None]
