"""The learning rate's course: warm-up, inverse square root of the step, and a cooldown to zero."""


def inverse_square_root(step: int, *, peak: float, warmup: int) -> float:
    """The rate at `step` (the first is 1): rises to `peak` at step `warmup`, then falls as step^−½.

    Attention Is All You Need, equation 3, with its factor d_model^−½ · warmup^−½ stated as `peak`.
    """
    if step < warmup:
        return peak * step / warmup
    return float(peak * (max(warmup, 1) / step) ** 0.5)


def cooldown_factor(step: int, *, last: int, cooldown: int) -> float:
    """What the rate is multiplied by: 1, then falling in a line over the last `cooldown` steps.

    The step after `last` would have 0 (Hägele et al. 2024, Scaling Laws and Compute-Optimal
    Training Beyond Fixed Training Durations, section 3).
    """
    return min(1.0, (last + 1 - step) / cooldown) if cooldown else 1.0
