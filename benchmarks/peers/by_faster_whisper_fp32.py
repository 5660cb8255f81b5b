"""faster-whisper, by CTranslate2, in float32."""

from functools import partial

from by_faster_whisper import opened_as

opened = partial(opened_as, "float32")
