"""The learning rate's course: a warm-up, a fall, and a cooldown to zero."""

import math

SCHEDULES = ("inverse-sqrt", "linear", "cosine")


def learning_rate(schedule: str, step: int, *, peak: float, warmup: int, last: int | None) -> float:
    """Return the rate at `step` (the first is 1): rises to `peak` at step `warmup`, then falls.

    inverse-sqrt: as step^−½, Attention Is All You Need, equation 3, with its factor
                  d_model^−½ · warmup^−½ stated as `peak`.
    linear:       in a line to 0 at the step after `last`, as BERT is fine-tuned (Devlin et al.
                  2019, appendix A).
    cosine:       along half a cosine to a tenth of the peak (Hoffmann et al. 2022, section 3.1).
    """
    if step < warmup:
        return peak * step / warmup
    if schedule == "inverse-sqrt":
        return float(peak * (max(warmup, 1) / step) ** 0.5)
    assert last is not None  # the config has checked it
    done = (step - warmup) / max(1, last + 1 - warmup)
    if schedule == "linear":
        return peak * (1 - done)
    return peak * (0.1 + 0.9 * (1 + math.cos(math.pi * done)) / 2)


def cooldown_factor(step: int, *, last: int, cooldown: int) -> float:
    """Factor of the rate: 1, then falling in a line over the last `cooldown` steps.

    The step after `last` would have 0 (Hägele et al. 2024, Scaling Laws and Compute-Optimal
    Training Beyond Fixed Training Durations, section 3).
    """
    return min(1.0, (last + 1 - step) / cooldown) if cooldown else 1.0
