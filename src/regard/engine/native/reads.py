"""Models that read for a head in the native engine: arrays in, arrays out.

Texts go to the engine end to end, without their padding. No text changes a bit of another.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array
from regard.attention.padding import not_padding
from regard.engine.native import interface, library
from regard.engine.native.library import Threads, int32, pointer_to
from regard.engine.native.texts import Ints, Limits, check_ended, check_pixels
from regard.errors import BadArgumentError
from regard.models.configs.encoder import EncoderConfig, place_read
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.models.configs.heads import HEADS
from regard.models.configs.vision import VisionConfig

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig

Floats = NDArray[np.float32]
MOST_POSITIONS = 1 << 24  # of a text, where nothing else limits it


class _Reading:
    """A model's body, and its head, if it has one.

    Args:
        pointer: of the library's model, which ends with this object.
        threads: that share a batch's texts, or one text.
    """

    def __init__(self, config: "ModelConfig", pointer: int, threads: Threads):
        self._library, self._pointer, self._threads = library.library(), pointer, threads
        library.freeing(self, self._library.regard_close, pointer)
        self._width = config.d_model
        self._outputs = 0 if config.head == "none" else head(config)["head_outputs"] or self._width
        self._mean = config.head == "classification" and vars(config).get("pooling") == "mean"
        # Whether the head reads every state; else the first of those that it is given.
        self._of_tokens = config.head not in ("pooler", "classification", "embedding")
        self._pools = self._outputs > 0 and vars(config).get("pooling") == "attention"

    def head(self, states: Floats) -> Floats:
        """States, (batch, length, d_model) → the head's output; without a head, the states."""
        if not self._outputs:
            return states
        if self._pools:
            return self._pooled(np.ascontiguousarray(states, np.float32))
        states = np.ascontiguousarray(states if self._of_tokens else states[:, 0], np.float32)
        shape = states.shape[:-1]
        output = np.empty((*shape, self._outputs), np.float32)
        with self._threads.of_call() as threads:
            status = self._library.regard_head(
                self._pointer,
                pointer_to(states),
                states.size // self._width,
                threads,
                pointer_to(output),
            )
        library.check(status)
        return output

    def _pooled(self, states: Floats) -> Floats:
        count, length, _ = states.shape
        output = np.empty((count, self._outputs), np.float32)
        with self._threads.of_call() as threads:
            status = self._library.regard_pool(
                self._pointer, pointer_to(states), count, length, threads, pointer_to(output)
            )
        library.check(status)
        return output


class NativeReader(_Reading):
    """A model that reads texts for its head: an encoder, a decoder or an encoder–decoder."""

    def __init__(self, config: "ModelConfig", pointer: int, threads: Threads):
        super().__init__(config, pointer, threads)
        self.limits, self._token_types = limits_of(config), getattr(config, "token_types", None)
        self._is_pair = isinstance(config, EncoderDecoderConfig)
        self._is_encoder = isinstance(config, EncoderConfig)
        # Whether padding has positions, where it is not on the right.
        self._counts_padding = getattr(config, "count_padding", self._is_pair)
        self._ends = config.eos_id if isinstance(config, EncoderDecoderConfig) else None
        self._last = config.head == "classification" and not self._is_encoder
        self._config = (
            config if isinstance(config, EncoderConfig) and config.head == "embedding" else None
        )

    def __call__(self, ids: Ints, **inputs: Array) -> Floats:
        """Return the head's output, as the model's; the arguments are those of `hidden`.

        Raises:
            BadArgumentError: as `hidden`, or a text without its first token, where the head reads.
        """
        if not (self._of_tokens or self._last or self._mean or self._config):
            mask = inputs.get("attention_mask")
            mask = not_padding(ids, self.limits.pad_id) if mask is None else mask
            if not mask[:, :1].all():
                raise BadArgumentError(
                    "the head reads the first token of each text; got a text that begins with"
                    " padding. Pad on the right."
                )
        return self.head(self.hidden(ids, **inputs))

    def hidden(
        self,
        ids: Ints,
        *,
        token_type_ids: Ints | None = None,
        attention_mask: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Return the states that the head reads, (batch, length, d_model), 0 for padding; where a
        decoder's head reads labels, those of the token that it reads, and where an encoder's reads
        their mean, that, (batch, 1, d_model).

        Args:
            ids: (batch, length), padded on the right; of an encoder, on either side.
            token_type_ids: (batch, length); 0 by default.
            attention_mask: (batch, length), False for padding; by default, and always of an
                encoder–decoder, False where ids are the model's pad_id.

        Raises:
            BadArgumentError: ids that the model cannot read, token types that it does not have, or
                a text without the end token from which it reads labels.
        """
        self.limits.check(ids)
        if token_type_ids is not None and self._token_types is None:
            raise BadArgumentError("this model has no token types; got token_type_ids.")
        token = not_padding(ids, self.limits.pad_id)
        mask = token if attention_mask is None or self._is_pair else attention_mask
        positions = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
        if not self._counts_padding:
            counted = token if self._is_encoder else mask
            positions = counted.cumsum(1) * counted - 1
        states = self._states(ids, positions, token_type_ids, mask)
        if self._mean:
            return states.sum(1, keepdims=True) / mask.sum(1)[:, None, None].astype(np.float32)
        if self._config is not None:
            rows, places = np.arange(len(ids)), place_read(ids, self._config)
            if not mask[rows, places].all():
                raise BadArgumentError(
                    "the head reads one token of each text; got a text with padding in its place."
                    " Pad on the other side."
                )
            return states[rows, places][:, None]
        if not self._last:
            return states
        chosen = mask & (token if self._ends is None else ids == self._ends)
        if self._is_pair:
            check_ended(chosen.any(1))
        last = (np.arange(ids.shape[1]) * chosen).argmax(1)
        return states[np.arange(len(ids)), last][:, None]

    def _states(
        self, ids: Ints, positions: Ints, types: Ints | None, mask: NDArray[np.bool_]
    ) -> Floats:
        texts = [None if ints is None else int32(ints[mask]) for ints in (ids, positions, types)]
        lengths, tokens = int32(mask.sum(1)), int(mask.sum())
        states = np.zeros((*ids.shape, self._width), np.float32)
        rows = states if mask.all() else np.empty((tokens, self._width), np.float32)
        with self._threads.of_call() as threads:
            status = self._library.regard_read_texts(
                self._pointer,
                *(None if ints is None else pointer_to(ints) for ints in texts),
                tokens,
                pointer_to(lengths),
                len(lengths),
                threads,
                pointer_to(rows),
            )
        library.check(status)
        if rows is not states:
            states[mask] = rows
        return states


class NativeVision(_Reading):
    """A model that reads images for its head."""

    def __init__(self, config: VisionConfig, pointer: int, threads: Threads):
        super().__init__(config, pointer, threads)
        self._image, self._patch = (config.channels, *config.image_size), config.patch_size
        self.first = int(config.class_token)

    def __call__(self, pixels: Floats) -> Floats:
        """(batch, channels, height, width) → the head's output, as the model's.

        Raises:
            BadArgumentError: images of another size or number of channels.
        """
        return self.head(self.hidden(pixels))

    def hidden(self, pixels: Floats) -> Floats:
        """(batch, channels, height, width) → the last states, (batch, length, d_model), the class
        token's first where there is one."""
        check_pixels(pixels.shape, self._image)
        (channels, height, width), (rows, columns) = self._image, self._patch
        down, across = height // rows, width // columns
        parted = pixels.reshape(-1, channels, down, rows, across, columns)
        patches = np.ascontiguousarray(parted.transpose(0, 2, 4, 1, 3, 5), np.float32)
        states = np.empty((len(pixels), self.first + down * across, self._width), np.float32)
        with self._threads.of_call() as threads:
            status = self._library.regard_read_images(
                self._pointer, pointer_to(patches), len(pixels), threads, pointer_to(states)
            )
        library.check(status)
        return states


class NativeDual:
    """Two encoders, of texts and of images.

    Args:
        scale, bias: of how they fit; the scale is a logarithm.
    """

    def __init__(self, text: NativeReader, image: NativeVision, scale: float, bias: float):
        self.text, self.image, self._scale, self._bias = text, image, scale, bias

    def __call__(self, **inputs: Array) -> Floats:
        """Return the vectors of images, by their pixels, or of texts, by their ids."""
        return self.image(**inputs) if "pixels" in inputs else self.text(**inputs)

    def patches(self, pixels: Floats) -> Floats:
        """Return the vector of each patch of images, as `VisionTransformer.patches`."""
        states = self.image.hidden(pixels)[:, self.image.first :]
        return self.image.head(states.reshape(-1, 1, states.shape[-1])).reshape(
            *states.shape[:2], -1
        )

    def logits(self, images: Floats, texts: Floats) -> Floats:
        """Vectors → how they fit, (images, texts), as `DualEncoder.logits`."""
        first, second = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (images, texts))
        logits: Floats = first @ second.T * np.float32(np.exp(self._scale)) + np.float32(self._bias)
        return logits


def settings(config: EncoderConfig | VisionConfig) -> dict[str, Any]:
    """Return the library's settings of an encoder, but for those of the same name and meaning."""
    common = dict(
        kind=interface.ENCODER,
        target_vocab_size=1,
        encoder_layers=config.num_layers,
        encoder_heads=config.num_heads,
        encoder_head_dim=config.d_model // config.num_heads,
        decoder_heads=1,
        decoder_key_heads=1,
        decoder_head_dim=1,
        rotary_factor=1,
    )
    if isinstance(config, VisionConfig):
        rows, columns = config.patch_size
        size = dict(image_length=config.length, patch_width=config.channels * rows * columns)
        return common | size | dict(vocab_size=1, max_positions=1, embedding_norm=False)
    learned = config.positions == "learned"
    texts = dict(has_positions=learned, token_types=config.token_types or 0)
    return common | texts | dict(max_positions=config.longest or MOST_POSITIONS, pad_id=0)


def head(config: "ModelConfig") -> dict[str, int]:
    """Return the library's settings of a head."""
    if config.head == "language_model":
        return {}
    masked, normed = config.head == "masked_lm", vars(config).get("head_norm", False)
    sizes = {
        "token": config.vocab_size if masked else 0,
        "label": len(config.labels),
        "position": 2,
        "": (config.head == "embedding" and getattr(config, "projection", None)) or 0,
    }
    plain = masked and not normed
    activation = config.activation if plain else getattr(config, "pooler_activation", "tanh")
    return dict(
        head_outputs=sizes.get(HEADS[config.head].entries, 0),
        head_activation=library.activation(activation),
    )


def limits_of(config: "ModelConfig") -> Limits:
    """Limits of the ids of a text."""
    endless = getattr(config, "positions", None) == "relative"
    longest = getattr(config, "longest", None if endless else config.max_positions)
    counts = getattr(config, "count_padding", True)
    return Limits(config.vocab_size, longest, config.pad_id, counts)
