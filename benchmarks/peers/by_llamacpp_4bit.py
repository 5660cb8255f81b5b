"""llama.cpp by its Python bindings, matrices in Q4_0."""

from functools import partial

from by_llamacpp import opened_as

opened = partial(opened_as, "Q4_0")
