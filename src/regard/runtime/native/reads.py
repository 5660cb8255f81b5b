"""Models that read for a head in the native engine: arrays in, arrays out.

Texts go to the engine end to end, without their padding. No text changes a bit of another.
"""

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.runtime.native import library
from regard.runtime.native.library import int32, pointer_to
from regard.runtime.packed import Limits, check_pixels
from regard.runtime.rows import Ints

Floats = NDArray[np.float32]


class _Reading:
    """An encoder, and its head, if it has one.

    Args:
        pointer: of the library's model, which ends with this object.
        width: of the states.
        outputs: of the head; 0: it has none.
        of_tokens: the head reads every state, else the first of each text or image.
        threads: that share a batch's texts.
    """

    def __init__(self, pointer: int, width: int, outputs: int, of_tokens: bool, threads: int):
        if threads < 1:
            raise BadArgumentError(f"threads must be at least 1; got {threads}.")
        self._library, self._pointer, self._threads = library.library(), pointer, threads
        self._width, self._outputs, self._of_tokens = width, outputs, of_tokens
        weakref.finalize(self, self._library.regard_close_reader, pointer)

    def head(self, states: Floats) -> Floats:
        """States, (batch, length, d_model) → the head's output; without a head, the states."""
        if not self._outputs:
            return states
        states = np.ascontiguousarray(states if self._of_tokens else states[:, 0], np.float32)
        shape = states.shape[:-1]
        output = np.empty((*shape, self._outputs), np.float32)
        status = self._library.regard_head(
            self._pointer,
            pointer_to(states),
            states.size // self._width,
            self._threads,
            pointer_to(output),
        )
        library.check(status)
        return output


class NativeReader(_Reading):
    """A model that reads texts for its head.

    Args:
        token_types: that its tokens may have; None: it has none.
        counts_padding: padding has positions.
    """

    def __init__(
        self,
        *arguments: Any,
        limits: Limits,
        token_types: int | None,
        counts_padding: bool,
    ):
        super().__init__(*arguments)
        self.limits, self._token_types = limits, token_types
        self._counts_padding = counts_padding

    def __call__(self, ids: Ints, **inputs: Any) -> Floats:
        """The head's output, as the model's; the arguments are those of `hidden`.

        Raises:
            BadArgumentError: as `hidden`, or a text without its first token, where the head reads.
        """
        mask = inputs.get("attention_mask")
        mask = self.limits.mask(ids) if mask is None else mask
        if self._outputs and not self._of_tokens and not mask[:, :1].all():
            raise BadArgumentError(
                "the head reads the first token of each text, which must be no padding; got a text"
                " that begins with padding. Pad on the right."
            )
        return self.head(self.hidden(ids, **inputs))

    def hidden(
        self,
        ids: Ints,
        *,
        token_type_ids: Ints | None = None,
        attention_mask: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """The last states, (batch, length, d_model), which are 0 for padding.

        Args:
            ids: (batch, length), padded on either side.
            token_type_ids: (batch, length); 0 by default.
            attention_mask: (batch, length), False for padding; by default False where ids are the
                model's pad_id.

        Raises:
            BadArgumentError: ids that the model cannot read, or token types that it does not have.
        """
        self.limits.check(ids)
        if token_type_ids is not None and self._token_types is None:
            raise BadArgumentError("this model has no token types; got token_type_ids.")
        mask = self.limits.mask(ids) if attention_mask is None else attention_mask
        positions = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
        if not self._counts_padding:
            token = self.limits.mask(ids)
            positions = token.cumsum(1) * token - 1
        texts = [int32(each[mask]) for each in (ids, positions)]
        types = None if token_type_ids is None else int32(token_type_ids[mask])
        lengths = int32(mask.sum(1))
        states = np.zeros((*ids.shape, self._width), np.float32)
        rows = states if mask.all() else np.empty((len(texts[0]), self._width), np.float32)
        status = self._library.regard_read_texts(
            self._pointer,
            *map(pointer_to, texts),
            None if types is None else pointer_to(types),
            len(texts[0]),
            pointer_to(lengths),
            len(lengths),
            self._threads,
            pointer_to(rows),
        )
        library.check(status)
        if rows is not states:
            states[mask] = rows
        return states


class NativeVision(_Reading):
    """A model that reads images for its head.

    Args:
        image: its channels, height and width.
        patch: height and width of a patch.
    """

    def __init__(self, *arguments: Any, image: tuple[int, int, int], patch: tuple[int, int]):
        super().__init__(*arguments)
        self._image, self._patch = image, patch

    def __call__(self, pixels: Floats) -> Floats:
        """(batch, channels, height, width) → the head's output, as the model's.

        Raises:
            BadArgumentError: images of another size or number of channels.
        """
        return self.head(self.hidden(pixels))

    def hidden(self, pixels: Floats) -> Floats:
        """(batch, channels, height, width) → the last states, (batch, 1 + patches, d_model), the
        class token's first."""
        check_pixels(pixels.shape, self._image)
        (channels, height, width), (rows, columns) = self._image, self._patch
        down, across = height // rows, width // columns
        parted = pixels.reshape(-1, channels, down, rows, across, columns)
        patches = np.ascontiguousarray(parted.transpose(0, 2, 4, 1, 3, 5), np.float32)
        states = np.empty((len(pixels), 1 + down * across, self._width), np.float32)
        status = self._library.regard_read_images(
            self._pointer, pointer_to(patches), len(pixels), self._threads, pointer_to(states)
        )
        library.check(status)
        return states
