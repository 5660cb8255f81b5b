"""The native engine's library: its functions and structs, as engine/interface.h declares them."""

import ctypes
import platform
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_double, c_float, c_int32, c_int64, c_void_p
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, UnavailableError
from regard.progress import Stopped

INTERFACE = 13  # counts up with that of engine/interface.h
FOLDER = Path(__file__).parent / "libraries"
MISTAKE, MEMORY, STOPPED, TOO_LONG, LATE = 1, 2, 3, 4, 5
ENCODER_DECODER, DECODER, ENCODER = 0, 1, 2  # kinds of models
ACTIVATIONS = ("none", "relu", "gelu", "gelu_tanh", "silu", "tanh", "quick_gelu")
_SAME = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "swish": "silu"}
NUMBERS = (np.float32, np.uint16, np.int8)  # of a tensor; those of 16 bits are bfloat16's
PRECISIONS = ("fp32", "bf16", "int8", "int4")
Int32s, Floats = POINTER(c_int32), POINTER(c_float)
SELF, CROSS, STATES, ROUTES = range(4)  # what is listened to


class Late(UnavailableError):
    """A text whose time is over before it is written."""


def _struct(title: str, *fields: str, **structs: Any) -> type[ctypes.Structure]:
    """A struct whose fields are given as in C: a type, and the names of those that have it; then
    structs in it."""
    kinds = {"int32": c_int32, "int64": c_int64, "float": c_float, "double": c_double}
    kinds |= {"int32*": Int32s, "float*": Floats, "char*": c_char_p, "void*": c_void_p}
    members = [(name, kinds[kind]) for kind, *names in map(str.split, fields) for name in names]
    return type(title, (ctypes.Structure,), {"_fields_": [*members, *structs.items()]})


Tensor = _struct("Tensor", "char* name", "void* data", "int64 rows columns", "int32 numbers group")
Config = _struct(
    "Config",
    "int32 kind vocab_size target_vocab_size d_model d_ff encoder_layers decoder_layers"
    " encoder_heads decoder_heads encoder_head_dim decoder_head_dim decoder_key_heads activation"
    " gated norm_first rms_norm has_positions max_positions position_offset"
    " relative_reach scale_embedding embedding_norm tied_output"
    " scale_output pad_id start_id token_types image_length patch_width sound_length mel_bins"
    " head_outputs head_activation experts experts_per_token shares_add_to_one expert_d_ff"
    " precision kernels",
    "float norm_eps rotary_factor score_scale score_cap output_cap gate_limit",
)
Generation = _struct(
    "Generation",
    "int32 start_id max_new_tokens min_new_tokens num_beams alternatives early_stopping"
    " no_repeat_ngram_size renormalize_logits cut_repetition forced_bos_token_id"
    " forced_eos_token_id",
    "double length_penalty repetition_penalty",
    "int32* eos_ids forced_beginning",
    "int32 eos_count beginning_count",
    "int32* bad_words bad_word_lengths",
    "int32 bad_word_count",
)
Hypotheses = _struct(
    "Hypotheses",
    "int64 texts hypotheses tokens",
    "int32* counts lengths",
    "float* scores",
    "int32* finished ids",
    "float* log_probs",
)
Job = _struct(
    "Job",
    "int32* ids",
    "int64 length",
    "void* config",
    "int32 start_id rows best streams",
    "int64 line",
    "double seconds",
)
Event = _struct(
    "Event",
    "int64 job",
    "int32 kind value",
    "double seconds",
    "char* reason",
    "int32 rows best",
    "float* logits log_probs",
    "int32* ids",
    found=Hypotheses,
)


class Captured(NamedTuple):
    """regard_attention: arrays by their addresses."""

    kind: int
    of_decoder: int
    layer: int
    heads: int
    key_heads: int
    head_dim: int
    head_width: int
    queries: int
    keys: int
    first: int
    before: int
    after: int
    reach: int
    query: int
    key: int
    value: int
    bias: int
    sinks: int
    output: int
    query_stride: int
    key_stride: int
    value_stride: int
    output_stride: int
    lse: int
    key_step: int

    @classmethod
    def at(cls, address: int) -> "Captured":
        """The struct at an address, read at once: its fields one by one would take longer."""
        return cls._make(CAPTURED.unpack(ctypes.string_at(address, CAPTURED.size)))


def kind_at(address: int) -> int:
    """The kind of the struct at an address."""
    return c_int32.from_address(address).value


CAPTURED = struct.Struct("@13i6P4qPq")
Listener, More = ctypes.CFUNCTYPE(c_int32, c_void_p), ctypes.CFUNCTYPE(c_int32, c_void_p, c_int64)
NOBODY = Listener()
Read = ctypes.CFUNCTYPE(c_void_p, c_int32, c_void_p)
Room = _struct("Room", "void* place", "int64 left", more=More, asked=c_int64)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "interface": (c_int32, []),
    "error": (c_char_p, []),
    "kernels": (c_char_p, [c_int32]),
    "open": (c_void_p, [POINTER(Config), POINTER(Tensor), c_int32, Read]),
    "close": (None, [c_void_p]),
    "listen": (None, [Listener]),
    "keep": (c_void_p, []),
    "search_open": (
        c_int32,
        [
            *(c_void_p, Int32s, c_int64, c_int64, POINTER(Generation), c_int32, c_int32),
            POINTER(c_void_p),
        ],
    ),
    "search_run": (c_int32, [c_void_p, c_double, POINTER(c_int64)]),
    "search_read": (c_int32, [c_void_p, POINTER(Hypotheses)]),
    "search_close": (None, [c_void_p]),
    "jobs_open": (c_void_p, [c_void_p, *[c_int32] * 5]),
    "jobs_add": (c_int32, [c_void_p, POINTER(Job), POINTER(c_int64)]),
    "jobs_answer": (c_int32, [c_void_p, c_int64, Int32s, c_int32, Int32s, c_int32, c_int32]),
    "jobs_cancel": (c_int32, [c_void_p, c_int64]),
    "jobs_poll": (c_int32, [c_void_p, c_double, POINTER(Event), c_int32, POINTER(c_int32)]),
    "jobs_counts": (c_int32, [c_void_p, POINTER(c_int64), POINTER(c_int64)]),
    "jobs_finish": (c_int32, [c_void_p]),
    "jobs_close": (None, [c_void_p]),
    "begin": (c_void_p, [c_void_p, c_int32]),
    "end": (None, [c_void_p]),
    "add": (c_int32, [c_void_p, Int32s, c_int64, c_int64, Int32s]),
    "add_sounds": (c_int32, [c_void_p, Floats, c_int64, Int32s]),
    "remove": (c_int32, [c_void_p, c_int32]),
    "select": (c_int32, [c_void_p, c_int32, Int32s, c_int32]),
    "step": (
        c_int32,
        [c_void_p, Int32s, c_int32, Int32s, Int32s, c_int32, Floats, c_int32, Floats, Int32s],
    ),
    "read_texts": (
        c_int32,
        [c_void_p, Int32s, Int32s, Int32s, c_int64, Int32s, c_int64, c_int32, Floats],
    ),
    "read_pair": (
        c_int32,
        [c_void_p, Int32s, c_int64, Int32s, c_int64, c_int32, Floats],
    ),
    "gradient": (
        c_int32,
        [c_void_p, Int32s, c_int64, Int32s, c_int64, c_int64, c_int32, Floats, Floats],
    ),
    "read_sound": (c_int32, [c_void_p, Floats, Int32s, c_int64, c_int32, Floats]),
    "read_images": (c_int32, [c_void_p, Floats, c_int64, c_int32, Floats]),
    "head": (c_int32, [c_void_p, Floats, c_int64, c_int32, Floats]),
    "pool": (c_int32, [c_void_p, Floats, c_int64, c_int64, c_int32, Floats]),
}


# Functions that keep Python's lock, since they take less time than to give it up and get it again.
_QUICK = (
    *("jobs_add", "jobs_answer", "jobs_cancel", "jobs_counts", "search_read"),
    "listen",
)


@cache
def library() -> ctypes.CDLL:
    """The library for this machine.

    Raises:
        UnavailableError: the package has no library for this machine, or one of another version.
    """
    machine = {"AMD64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    name = f"{platform.system().lower()}-{machine}"
    try:
        loaded, quick = (kind(str(FOLDER / f"{name}.so")) for kind in (ctypes.CDLL, ctypes.PyDLL))
        for function in _QUICK:
            setattr(loaded, f"regard_{function}", getattr(quick, f"regard_{function}"))
        for function, (result, arguments) in _FUNCTIONS.items():
            pointer = getattr(loaded, f"regard_{function}")
            pointer.restype, pointer.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise UnavailableError(
            f"the native engine has no library that fits this machine, {name}; use the engine"
            " torch."
        ) from error
    if (version := loaded.regard_interface()) != INTERFACE:
        raise UnavailableError(
            f"{FOLDER / name}.so must have the interface {INTERFACE}, and has {version}; run"
            " `make engine`, or install the package again."
        )
    return loaded


def kernels() -> list[str]:
    """Names of the kernels that this processor can run, best first."""
    names = list[str]()
    while (name := library().regard_kernels(len(names))) is not None:
        names.append(name.decode())
    return names


def activation(name: str) -> int:
    """The library's number of an activation, by its name in configs."""
    return ACTIVATIONS.index(_SAME.get(name, name))


class Threads:
    """Threads of a model's calls.

    Args:
        threads: of each call.
        shared: whether calls at the same time share them; each has at least one.
    """

    def __init__(self, threads: int, *, shared: bool = False):
        if threads < 1:
            raise BadArgumentError(f"threads must be at least 1; got {threads}.")
        self.threads, self._shared = threads, shared
        self._calls: list[None] = []

    @contextmanager
    def of_call(self) -> Iterator[int]:
        """The number for a call, while it computes."""
        try:
            yield self.take()
        finally:
            self.give()

    def take(self) -> int:
        """The number for a call that begins now and ends with `give`."""
        self._calls.append(None)
        return max(1, self.threads // (len(self._calls) if self._shared else 1))

    def give(self) -> None:
        """End a call."""
        self._calls.pop()


class _Here(threading.local):
    """Things of a thread."""

    listener: Any = NOBODY

    def __init__(self) -> None:
        self.spare = list[Any]()  # memory that was kept in

    @cached_property
    def room(self) -> c_void_p:
        """The place of the address of the engine's room."""
        return c_void_p.from_address(library().regard_keep())


here = _Here()


def listen(listener: Any, room: int | None = None) -> tuple[Any, int | None]:
    """Let a `Listener` get what this thread computes, or a room, by its address; returns those
    before."""
    before = here.listener, here.room.value
    here.listener, here.room.value = listener, room
    library().regard_listen(listener)
    return before


def is_listened_to() -> bool:
    """Return True if a listener gets what this thread computes."""
    return here.listener is not NOBODY and here.room.value is None


def int32(numbers: NDArray[Any]) -> NDArray[np.int32]:
    """Numbers as the library reads them."""
    return np.ascontiguousarray(numbers, np.int32)


def address_of(struct: ctypes.Structure) -> int:
    """The address of a struct, which must outlive it."""
    return ctypes.addressof(struct)


def pointer_to(array: NDArray[Any]) -> Any:
    """A pointer to an array's numbers, which must outlive it."""
    return array.ctypes.data_as(Floats if array.dtype == np.float32 else Int32s)


def check(
    status: int,
    too_long: Callable[[int], None] = lambda length: None,
    reason: str | None = None,
) -> None:
    """Raise the error that a function of the library reports.

    Args:
        too_long: raises the error for a sequence of more tokens than the model has positions.
        reason: the engine's words; None: those for the last call of this thread.
    """
    if status:
        refuse(status, too_long, reason)


def refuse(
    status: int,
    too_long: Callable[[int], None] = lambda length: None,
    reason: str | None = None,
) -> NoReturn:
    """Raise the error of a status; the arguments are those of `check`."""
    reason = library().regard_error().decode() if reason is None else reason
    if status == TOO_LONG:
        too_long(int(reason))
    if status == MEMORY:
        raise UnavailableError(
            "the native engine has not enough memory; give fewer or shorter texts, or a smaller"
            " model."
        )
    if status == STOPPED:
        raise Stopped("this work is no longer wanted.")
    if status == LATE:
        raise Late("the time for this text is over.")
    raise BadArgumentError(f"the native engine cannot compute this: {reason}.")
