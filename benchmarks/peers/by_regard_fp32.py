"""regard in fp32, in which weights of bfloat16 are stored as such."""

from functools import partial

from by_regard import opened_as

opened = partial(opened_as, "fp32")
