"""regard's native engine in int8."""

from functools import partial

from by_regard import opened_as

opened = partial(opened_as, "int8", engine="native")
