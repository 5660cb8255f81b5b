"""Written by tools/interface.py from engine/interface.h; not to be edited."""

import struct
from ctypes import *
from typing import Any, NamedTuple

Int32s, Floats = POINTER(c_int32), POINTER(c_float)
INTERFACE = 14
DONE = 0
MISTAKE = 1
MEMORY = 2
STOPPED = 3
TOO_LONG = 4
LATE = 5
ENCODER_DECODER = 0
DECODER = 1
ENCODER = 2
SELF = 0
CROSS = 1
STATES = 2
ROUTES = 3
BEGUN = 1
TOKEN = 2
ASKED = 3
ENDED = 4
FAILED = 5
STEPPED = 6
NUMBERS = ('float32', 'bfloat16', 'int8')
ACTIVATION = ('none', 'relu', 'gelu', 'gelu_tanh', 'silu', 'tanh', 'quick_gelu')
PRECISION = ('fp32', 'bf16', 'int8', 'int4')
EARLY_STOPPING = ('no', 'yes', 'never')
Read = CFUNCTYPE(c_void_p, c_int32, c_void_p)
Listener = CFUNCTYPE(c_int32, c_void_p)
More = CFUNCTYPE(c_int32, c_void_p, c_int64)


class Tensor(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("data", c_void_p),
        ("rows", c_int64),
        ("columns", c_int64),
        ("numbers", c_int32),
        ("group", c_int32),
    ]


class Config(Structure):
    _fields_ = [
        ("kind", c_int32),
        ("vocab_size", c_int32),
        ("target_vocab_size", c_int32),
        ("d_model", c_int32),
        ("d_ff", c_int32),
        ("encoder_layers", c_int32),
        ("decoder_layers", c_int32),
        ("encoder_heads", c_int32),
        ("decoder_heads", c_int32),
        ("encoder_head_dim", c_int32),
        ("decoder_head_dim", c_int32),
        ("decoder_key_heads", c_int32),
        ("activation", c_int32),
        ("gated", c_int32),
        ("norm_first", c_int32),
        ("rms_norm", c_int32),
        ("has_positions", c_int32),
        ("max_positions", c_int32),
        ("position_offset", c_int32),
        ("relative_reach", c_int32),
        ("scale_embedding", c_int32),
        ("embedding_norm", c_int32),
        ("tied_output", c_int32),
        ("scale_output", c_int32),
        ("pad_id", c_int32),
        ("start_id", c_int32),
        ("token_types", c_int32),
        ("image_length", c_int32),
        ("patch_width", c_int32),
        ("sound_length", c_int32),
        ("mel_bins", c_int32),
        ("head_outputs", c_int32),
        ("head_activation", c_int32),
        ("experts", c_int32),
        ("experts_per_token", c_int32),
        ("shares_add_to_one", c_int32),
        ("expert_d_ff", c_int32),
        ("precision", c_int32),
        ("kernels", c_int32),
        ("norm_eps", c_float),
        ("rotary_factor", c_float),
        ("score_scale", c_float),
        ("score_cap", c_float),
        ("output_cap", c_float),
        ("gate_limit", c_float),
    ]


class Generation(Structure):
    _fields_ = [
        ("start_id", c_int32),
        ("max_new_tokens", c_int32),
        ("min_new_tokens", c_int32),
        ("num_beams", c_int32),
        ("alternatives", c_int32),
        ("early_stopping", c_int32),
        ("no_repeat_ngram_size", c_int32),
        ("renormalize_logits", c_int32),
        ("cut_repetition", c_int32),
        ("forced_bos_token_id", c_int32),
        ("forced_eos_token_id", c_int32),
        ("length_penalty", c_double),
        ("repetition_penalty", c_double),
        ("eos_ids", Int32s),
        ("forced_beginning", Int32s),
        ("eos_count", c_int32),
        ("beginning_count", c_int32),
        ("bad_words", Int32s),
        ("bad_word_lengths", Int32s),
        ("bad_word_count", c_int32),
        ("do_sample", c_int32),
        ("top_k", c_int32),
        ("temperature", c_double),
        ("top_p", c_double),
        ("seed", c_int64),
    ]


class Hypotheses(Structure):
    _fields_ = [
        ("texts", c_int64),
        ("hypotheses", c_int64),
        ("tokens", c_int64),
        ("counts", Int32s),
        ("lengths", Int32s),
        ("scores", Floats),
        ("finished", Int32s),
        ("ids", Int32s),
        ("log_probs", Floats),
    ]


class Attention(NamedTuple):
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


ATTENTION = struct.Struct("@iiiiiiiiiiiiiPPPPPPqqqqPq")


class Room(Structure):
    _fields_ = [
        ("place", c_void_p),
        ("left", c_int64),
        ("more", More),
        ("asked", c_int64),
    ]


class Job(Structure):
    _fields_ = [
        ("ids", Int32s),
        ("length", c_int64),
        ("config", POINTER(Generation)),
        ("start_id", c_int32),
        ("rows", c_int32),
        ("best", c_int32),
        ("streams", c_int32),
        ("line", c_int64),
        ("seconds", c_double),
    ]


class Event(Structure):
    _fields_ = [
        ("job", c_int64),
        ("kind", c_int32),
        ("value", c_int32),
        ("seconds", c_double),
        ("reason", c_char_p),
        ("rows", c_int32),
        ("best", c_int32),
        ("logits", Floats),
        ("log_probs", Floats),
        ("ids", Int32s),
        ("found", Hypotheses),
    ]


FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "interface": (c_int32, []),
    "error": (c_char_p, []),
    "kernels": (c_char_p, [c_int32]),
    "open": (c_void_p, [POINTER(Config), POINTER(Tensor), c_int32, Read]),
    "close": (None, [c_void_p]),
    "listen": (None, [Listener]),
    "keep": (POINTER(c_void_p), []),
    "search_open": (c_int32, [c_void_p, Int32s, c_int64, c_int64, POINTER(Generation), c_int32, c_int32, POINTER(c_void_p)]),
    "search_run": (c_int32, [c_void_p, c_double, POINTER(c_int64)]),
    "search_read": (c_int32, [c_void_p, POINTER(Hypotheses)]),
    "search_close": (None, [c_void_p]),
    "jobs_open": (c_void_p, [c_void_p, c_int32, c_int32, c_int32, c_int32, c_int32]),
    "jobs_add": (c_int32, [c_void_p, POINTER(Job), POINTER(c_int64)]),
    "jobs_answer": (c_int32, [c_void_p, c_int64, Int32s, c_int32, Int32s, c_int32, c_int32]),
    "jobs_cancel": (c_int32, [c_void_p, c_int64]),
    "jobs_poll": (c_int32, [c_void_p, c_double, POINTER(Event), c_int32, Int32s]),
    "jobs_counts": (c_int32, [c_void_p, POINTER(c_int64), POINTER(c_int64)]),
    "jobs_finish": (c_int32, [c_void_p]),
    "jobs_close": (None, [c_void_p]),
    "begin": (c_void_p, [c_void_p, c_int32]),
    "end": (None, [c_void_p]),
    "add": (c_int32, [c_void_p, Int32s, c_int64, c_int64, Int32s]),
    "add_sounds": (c_int32, [c_void_p, Floats, c_int64, Int32s]),
    "remove": (c_int32, [c_void_p, c_int32]),
    "select": (c_int32, [c_void_p, c_int32, Int32s, c_int32]),
    "step": (c_int32, [c_void_p, Int32s, c_int32, Int32s, Int32s, c_int32, Floats, c_int32, Floats, Int32s]),
    "read_texts": (c_int32, [c_void_p, Int32s, Int32s, Int32s, c_int64, Int32s, c_int64, c_int32, Floats]),
    "read_pair": (c_int32, [c_void_p, Int32s, c_int64, Int32s, c_int64, c_int32, Floats]),
    "gradient": (c_int32, [c_void_p, Int32s, c_int64, Int32s, c_int64, c_int64, c_int32, Floats, Floats]),
    "read_sound": (c_int32, [c_void_p, Floats, Int32s, c_int64, c_int32, Floats]),
    "read_images": (c_int32, [c_void_p, Floats, c_int64, c_int32, Floats]),
    "head": (c_int32, [c_void_p, Floats, c_int64, c_int32, Floats]),
    "pool": (c_int32, [c_void_p, Floats, c_int64, c_int64, c_int32, Floats]),
    "log_softmax": (c_int32, [Floats, c_int64, c_int64, Floats, c_int32, Int32s]),
    "softmax": (c_int32, [POINTER(c_double), c_int64, c_int64, POINTER(c_double)]),
    "narrow": (c_int32, [Floats, c_int64, c_double, c_int32, c_double]),
    "draws": (c_int32, [c_int64, c_int64, c_int64, POINTER(c_double)]),
}
