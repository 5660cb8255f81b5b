"""Capturing the attention of transformers models while their own attention functions run.

Every such model asks `AttentionInterface` for its attention function by the name of its
implementation, each time that a layer runs. While there is a listener, the interface answers with
that same function and a report of its arguments. The implementation keeps its name, because models
and their masks are built by it: a new name would change what runs, this changes nothing.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from regard.packages import optional_package

if TYPE_CHECKING:
    from torch._ops import OpOverload

PARAMETERS = ("module", "query", "key", "value", "attention_mask")


@dataclass(frozen=True)
class CapturedCall:
    """Call of an attention function: its arguments, and what it returned."""

    module: nn.Module
    implementation: str  # "sdpa", "eager", "flash_attention_2", …
    query: Tensor  # (batch, heads, queries, head_dim)
    key: Tensor  # (batch, key_heads, keys, head_dim)
    value: Tensor
    attention_mask: Any  # boolean or additive tensor, BlockMask, or None
    options: dict[str, Any]  # scaling, softcap, sliding_window, position_bias, is_causal, …
    output: Tensor  # (batch, heads, queries, value_dim)
    lse: Tensor | None  # as the kernel returned it, not yet checked


OnCall = Callable[[CapturedCall], Tensor | None]
"""A tensor that it returns, (batch, heads, queries, value_dim), replaces the output."""

_listener: ContextVar[OnCall | None] = ContextVar("transformers listener", default=None)


def shared(
    change: Callable[[], AbstractContextManager[None]],
) -> Callable[[], AbstractContextManager[None]]:
    """Yield a change to global state: the first thread to enter makes it, the last to leave undoes
    it.

    If each thread restored what it found, the last could restore another thread's change.
    """
    lock, made, users = threading.Lock(), ExitStack(), 0

    @contextmanager
    def changed() -> Iterator[None]:
        nonlocal users
        with lock:
            if users == 0:
                made.enter_context(change())
            users += 1
        try:
            yield
        finally:
            with lock:
                users -= 1
                if users == 0:
                    made.close()

    return changed


@contextmanager
def capturing_interface(listener: OnCall) -> Iterator[None]:
    """Give `listener` every attention that this thread computes through the interface."""
    with reporting():
        token = _listener.set(listener)
        try:
            yield
        finally:
            _listener.reset(token)


def attention_interface() -> Any:
    with optional_package("transformers>=5.20", "looking into transformers models needs"):
        from transformers import AttentionInterface

        if not hasattr(AttentionInterface, "get_interface"):
            raise ImportError("transformers is older than version 5.20")
    return AttentionInterface


@shared
@contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers' progress bars and remarks: what matters becomes a RegardError."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@shared
@contextmanager
def reporting() -> Iterator[None]:
    """Return the interface's answers report to the listener of the calling thread, if it has
    one."""
    interface = attention_interface()
    original = interface.get_interface

    def get_interface(
        self: object, implementation: object, default: Callable[..., Any]
    ) -> Callable[..., Any]:
        function = original(self, implementation, default)
        listener = _listener.get()
        if listener is None:
            return function
        return partial(run_and_report, function, str(implementation), listener)

    interface.get_interface = get_interface
    try:
        yield
    finally:
        interface.get_interface = original


def run_and_report(
    function: Callable[..., Any],
    implementation: str,
    listener: OnCall,
    /,
    *arguments: Any,
    **named: object,
) -> tuple[Any, ...]:
    """Run `function`, and replace its output if the listener says so."""
    # Only the kernels behind scaled_dot_product_attention give a log-sum-exp that can be overheard.
    kernel = KernelLse() if "sdpa" in implementation else None
    with kernel or nullcontext():
        returned = function(*arguments, **named)
    by_name = dict(zip(PARAMETERS, arguments, strict=False)) | named
    output, *rest = returned
    replaced = listener(
        CapturedCall(
            implementation=implementation,
            module=by_name["module"],
            query=by_name["query"],
            key=by_name["key"],
            value=by_name["value"],
            attention_mask=by_name.get("attention_mask"),
            options={name: option for name, option in by_name.items() if name not in PARAMETERS},
            output=output.transpose(1, 2),
            lse=kernel.lse if kernel else None,
        )
    )
    if replaced is None:
        return returned
    return (replaced.to(output.dtype).transpose(1, 2).contiguous(), *rest)


class KernelLse(TorchDispatchMode):
    """Keeps the log-sum-exp that a fused kernel returns beside its output, and PyTorch drops."""

    lse: Tensor | None = None

    def __torch_dispatch__(
        self,
        function: "OpOverload",
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> object:
        returned = function(*args, **(kwargs or {}))
        if function.overloadpacket in FUSED:
            self.lse = returned[1] if self.lse is None and returned[1].numel() else None
        return returned


FUSED = tuple(
    getattr(torch.ops.aten, name)
    for name in (
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_cudnn_attention",
    )
    if hasattr(torch.ops.aten, name)
)
