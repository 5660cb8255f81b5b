"""The learning rate's course: linear warm-up, then the inverse square root of the step."""


def inverse_square_root(step: int, *, peak: float, warmup: int) -> float:
    """The rate at `step` (the first is 1): rises to `peak` at step `warmup`, then falls as step^−½.

    Attention Is All You Need, equation 3, with its factor d_model^−½ · warmup^−½ stated as `peak`.
    """
    if step < warmup:
        return peak * step / warmup
    return float(peak * (max(warmup, 1) / step) ** 0.5)
