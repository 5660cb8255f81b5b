"""regard in int4."""

from functools import partial

from by_regard import opened_as

opened = partial(opened_as, "int4")
