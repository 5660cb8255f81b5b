"""Attention masks of transformers models: keys that are hidden, and numbers that are added.

Masks come boolean (True: may attend), or additive, with the lowest number where nothing may be
seen. A mask that is causal, a window or padding is kept as the rule it follows, so that a trace
does not hold a matrix of the length squared.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.attention import Causal, Dense, Mask, Padding, Window
from regard.inspection.huggingface.interface import CapturedCall

if TYPE_CHECKING:
    from torch.nn.attention.flex_attention import BlockMask

ENTRIES = 2**22  # of a mask that are looked at together
WHOLE = 2**24  # of a mask given as a function that is evaluated to see which rule it follows


class Unreadable(Exception):
    """Reason why a layer cannot be shown, to complete "…layers.3.self is left out: it"."""


class MaskReader:
    """Reads the masks of one run; remembers each, because the layers of a model share them."""

    def __init__(self) -> None:
        self._read: dict[tuple[object, ...], tuple[Any, Mask | None, Tensor | None]] = {}

    def read(self, captured: CapturedCall) -> tuple[Mask | None, Tensor | None]:
        """Return the mask and the bias of a call; both broadcast to (batch, heads, queries,
        keys)."""
        attention_mask, keys = captured.attention_mask, captured.key.shape[2]
        if attention_mask is None:
            mask, bias = implied(captured), None
        elif hasattr(attention_mask, "mask_mod"):
            mask, bias = self.of_rule(attention_mask, captured), None
        elif not isinstance(attention_mask, Tensor):
            raise Unreadable(f"has a mask of an unknown kind, {type(attention_mask).__name__}")
        elif attention_mask.ndim == 2 and "flash" in captured.implementation:
            mask, bias = both(implied(captured), Padding(attention_mask[:, -keys:].bool())), None
        elif attention_mask.ndim == 4:
            mask, bias = self.of_tensor(attention_mask[..., :keys])
        else:
            raise Unreadable(f"has a mask of shape {tuple(attention_mask.shape)}, not known here")
        position_bias = captured.options.get("position_bias")
        if position_bias is not None:
            position_bias = position_bias[..., :keys]
            bias = position_bias if bias is None else bias + position_bias
        return mask, bias

    def of_rule(self, attention_mask: "BlockMask", captured: CapturedCall) -> Mask | None:
        """Read flex attention's BlockMask, as a rule of ours where that can be seen at once."""
        key = (id(attention_mask), captured.query.shape[2], captured.key.shape[2])
        if key not in self._read:
            (batch, _, rows, _), keys = captured.query.shape, captured.key.shape[2]
            rule = Rule(attention_mask.mask_mod, batch, keys - rows)
            mask: Mask | None = rule
            if batch * rows * keys <= WHOLE:
                columns = torch.arange(keys, device=captured.key.device)
                mask = recognize(rule.tile(columns[keys - rows :], columns))
            self._read[key] = (attention_mask, mask, None)
        return self._read[key][1]

    def of_tensor(self, attention_mask: Tensor) -> tuple[Mask | None, Tensor | None]:
        key = (
            attention_mask.data_ptr(),
            attention_mask.shape,
            attention_mask.stride(),
            attention_mask.dtype,
        )
        if key not in self._read:
            # The tensor is remembered too: while it lives, no other can have its address.
            self._read[key] = (attention_mask, *split(attention_mask))
        return self._read[key][1:]


def split(attention_mask: Tensor) -> tuple[Mask | None, Tensor | None]:
    """Return a mask tensor as what it hides, and what it adds elsewhere."""
    if attention_mask.dtype == torch.bool:
        return recognize(attention_mask), None
    if not attention_mask.is_floating_point():
        raise Unreadable(f"has a mask of {attention_mask.dtype}, not known here")
    # Sums of two masks are below the lowest number's half as well, or -inf.
    allowed = attention_mask > torch.finfo(attention_mask.dtype).min / 2
    mask = recognize(allowed)
    adds = any(bool(((part != 0) & seen).any()) for part, seen in in_parts(attention_mask, allowed))
    return mask, attention_mask if adds else None


def implied(captured: CapturedCall) -> Mask | None:
    """Mask of a call without a mask tensor."""
    if captured.implementation == "eager":
        return None
    queries, keys = captured.query.shape[2], captured.key.shape[2]
    causal = captured.options.get("is_causal")
    if causal is None:
        causal = getattr(captured.module, "is_causal", True)
    causal = bool(causal) and queries > 1
    if "flash" in captured.implementation:
        mask: Mask | None = Causal() if causal else None
        left = captured.options.get("sliding_window")
        if left is not None and left <= keys:
            mask = both(mask, Window(left - 1, 0 if causal else left - 1))
        return mask
    if not causal:
        return None
    if queries == keys:
        return Causal()
    # PyTorch aligns its causal mask on the left; `Causal` on the right.
    return Dense(torch.ones(queries, keys, dtype=torch.bool, device=captured.key.device).tril())


def recognize(allowed: Tensor) -> Mask | None:
    """Return the rule that a boolean mask, (batch, 1 or heads, 1 or queries, keys), follows; the
    mask as it is where it follows none that is known; None where it hides nothing."""
    if all(bool(part.all()) for (part,) in in_parts(allowed)):
        return None
    _, heads, rows, _ = allowed.shape
    if heads > 1:
        return Dense(allowed)
    not_padding = torch.stack([part.any(2)[:, 0] for (part,) in in_parts(allowed)]).any(0)
    padding = None if bool(not_padding.all()) else Padding(not_padding)
    if rows == 1:
        return padding
    left, right = reach(allowed)
    candidates: list[Mask | None] = [padding]
    if right == 0:
        candidates = [both(Causal(), padding), both(both(Causal(), Window(left, 0)), padding)]
    elif left >= 0:
        candidates.append(both(Window(left, max(right, 0)), padding))
    for mask in candidates:
        if mask is not None and is_mask(mask, allowed):
            return mask
    return Dense(allowed)


def is_mask(mask: Mask, allowed: Tensor) -> bool:
    """Return True if the rule allows what the tensor does, everywhere."""
    rows, keys = allowed.shape[-2:]
    positions = torch.arange(keys - rows, keys, device=allowed.device)
    columns = torch.arange(keys, device=allowed.device)
    parts = zip(positions.split(rows_per_part(allowed)), in_parts(allowed), strict=True)
    return all(
        torch.equal(mask.tile(part, columns).expand_as(seen), seen) for part, (seen,) in parts
    )


def reach(allowed: Tensor) -> tuple[int, int]:
    """Farthest keys before and after its own position that any query sees, aligned on the right."""
    rows, keys = allowed.shape[-2:]
    left = right = -keys
    start = keys - rows
    for (part,) in in_parts(allowed):
        entries = part.to(torch.uint8)
        positions = torch.arange(start, start + part.shape[2], device=part.device)
        first = entries.argmax(-1)
        last = keys - 1 - entries.flip(-1).argmax(-1)
        sees = part.any(-1)
        if bool(sees.any()):
            left = max(left, int((positions - first)[sees].max()))
            right = max(right, int((last - positions)[sees].max()))
        start += part.shape[2]
    return left, right


def in_parts(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Cut several masks into the same rows, as many together as memory is worth."""
    return zip(*(tensor.split(rows_per_part(tensor), 2) for tensor in tensors), strict=True)


def rows_per_part(tensor: Tensor) -> int:
    return max(ENTRIES // max(tensor.shape[0] * tensor.shape[1] * tensor.shape[3], 1), 1)


def both(left: Mask | None, right: Mask | None) -> Mask | None:
    if left is None or right is None:
        return right if left is None else left
    return left & right


class Rule(Mask):
    """A mask given as a function of batch, head, query and key indices, as flex attention's."""

    def __init__(self, allows: Callable[..., Tensor], batch: int, first: int) -> None:
        self.allows, self.batch = allows, batch
        self.first = first  # the position of row 0, which the function counts from 0

    def tile(self, queries: Tensor, keys: Tensor) -> Tensor:
        item = torch.arange(self.batch, device=keys.device)[:, None, None, None]
        head = torch.zeros(1, 1, 1, 1, dtype=torch.long, device=keys.device)
        rows = queries[None, None, :, None] - self.first
        allowed = self.allows(item, head, rows, keys[None, None, None])
        return allowed.expand(self.batch, 1, len(queries), len(keys))
