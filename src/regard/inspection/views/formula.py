"""Score functions in a form to read, with the numbers that they have in a layer."""

import math

from regard.attention import additive, average, capped, cosine, dot, gaussian, general, scaled
from regard.attention.scores import Score, scaled_dot
from regard.inspection.tap import Tap


def formula(tap: Tap) -> str:
    """Return formula of a layer's score, "q·k / √64", with what is added, as "+ bias"."""
    text = of_score(tap.score, tap.head_dim)
    if tap.distances is not None:  # with r_q and r_k, a distance as a query and as a key
        others = (text.replace("q·k", product) for product in ("q·r_k", "r_q·k"))
        return " + ".join([text, *others])
    if tap.bias is None:
        return text
    return "bias" if tap.score is average else f"{text} + bias"


def scale(score: Score, head_dim: int) -> float | None:
    """Factor of q·k, under the cap if there is one; None for scores of other kinds."""
    if score is scaled_dot:
        return head_dim**-0.5
    if score is dot:
        return 1.0
    if isinstance(score, scaled):
        return float(score.factor)
    if isinstance(score, capped):
        return scale(score.score, head_dim)
    return None


def of_score(score: Score, head_dim: int) -> str:
    """Return formula of a score for heads of this width."""
    if score is scaled_dot:
        return f"q·k / √{head_dim}"
    if isinstance(score, scaled):
        root = 1 / score.factor**2 if score.factor > 0 else math.nan
        if abs(root - round(root)) < 1e-6 and round(root) > 1:  # a root that people know it by
            return f"q·k / √{round(root)}"
        return "q·k" if score.factor == 1 else f"{score.factor:g} · q·k"
    if isinstance(score, capped):
        return f"{score.cap:g} · tanh(({of_score(score.score, head_dim)}) / {score.cap:g})"
    if isinstance(score, gaussian):
        return "-|q - k|² / (2h²)"
    if isinstance(score, general):
        return "q · W k"
    if isinstance(score, additive):
        return "v · tanh(W q + U k)"
    for function, text in ((dot, "q·k"), (cosine, "cos(q, k)"), (average, "0")):
        if score is function:
            return text
    return f"{getattr(score, '__name__', 'score')}(q, k)"
