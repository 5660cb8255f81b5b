"""regard, packed for ONNX Runtime in fp32, its default."""

from functools import partial

from by_regard import opened_as

opened = partial(opened_as, "fp32")
