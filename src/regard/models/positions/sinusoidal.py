"""Sinusoidal positions: each pair of dimensions is a clock hand, each slower than the one before.

Source: Attention Is All You Need (Vaswani et al. 2017), section 3.5.
"""

from typing import Literal

import torch
from torch import Tensor

from regard.errors import unknown
from regard.models.configs.tables import frequencies
from regard.shapes import Float

Layout = Literal["interleaved", "halves"]
"""Where sine and cosine of one frequency stand. "interleaved" is the paper's: dimensions 2i and
2i + 1. "halves" is tensor2tensor's and Marian's: all sines, then all cosines; the same numbers in
another order."""


def sinusoidal(
    length: int,
    d_model: int,
    *,
    base: int | float = 10000.0,
    layout: Layout = "interleaved",
    start: int = 0,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Float[Tensor, "length d_model"]:
    """PE(pos) for pos = start … start + length - 1, (length, d_model).

    PE(pos, 2i) = sin(pos / base^(2i / d_model)) and PE(pos, 2i + 1) the cosine of the same.
    Raises BadArgumentError if d_model is odd or the layout is not known.

    >>> sinusoidal(3, 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    positions = torch.arange(start, start + length, dtype=torch.float64, device=device)
    angles = positions[:, None] * frequencies(torch, d_model, base, device)
    return _arrange(angles.sin(), angles.cos(), layout).to(dtype)


def shift_matrix(
    offset: int | float,
    d_model: int,
    *,
    base: int | float = 10000.0,
    layout: Layout = "interleaved",
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Float[Tensor, "d_model d_model"]:
    """M(t), (d_model, d_model), with PE(pos + t) = M(t) · PE(pos) for every pos: each pair turns by
    t · frequency.

    This is the paper's reason for the choice: "PE(pos + k) can be represented as a linear function
    of PE(pos)". M(t) is orthogonal, and M(s) · M(t) = M(s + t).

    >>> table = sinusoidal(10, 8)
    >>> (table[:-3] @ shift_matrix(3, 8).T).allclose(table[3:], atol=1e-6)
    True
    """
    angles = offset * frequencies(torch, d_model, base, device)
    identity = torch.eye(d_model // 2, dtype=torch.float64, device=device)
    sine, cosine = identity * angles.sin(), identity * angles.cos()
    # sin(a + b) = cos b · sin a + sin b · cos a;  cos(a + b) = -sin b · sin a + cos b · cos a
    of_sines = _arrange(cosine, sine, layout)  # rows that give the shifted sines
    of_cosines = _arrange(-sine, cosine, layout)
    return _arrange(of_sines.T, of_cosines.T, layout).T.contiguous().to(dtype)


def _arrange(
    sine: Float[Tensor, "*rows half"], cosine: Float[Tensor, "*rows half"], layout: Layout
) -> Float[Tensor, "*rows d_model"]:
    if layout == "interleaved":
        return torch.stack([sine, cosine], -1).flatten(-2)
    if layout == "halves":
        return torch.cat([sine, cosine], -1)
    raise unknown("layout", layout, ("interleaved", "halves"))
