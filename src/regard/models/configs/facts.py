"""Facts of models, which follow from their configs: who asks needs neither a class nor torch."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from regard.arrays import Array, arrays_of
from regard.models.configs.heads import HEADS

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig


class Heads(NamedTuple):
    """Sizes of an attention layer."""

    heads: int
    key_heads: int
    head_dim: int


class Facts:
    """A model: what it reads, writes and attends between."""

    config: Any
    axes: ClassVar[tuple[str, ...]] = ("tokens",)  # the sequences between which it attends
    reads: ClassVar[str] = "text"  # or "image", or "sound"
    writing: ClassVar[str] = (
        ""  # the task of those that write: "generation", "translation" or "transcription"
    )
    stepwise: ClassVar[bool] = False  # attention is computed for one step after another

    @property
    def head_name(self) -> str:
        """A name in `heads.HEADS`."""
        head: str = self.config.head
        return head

    @property
    def writes(self) -> bool:
        """Return True if it predicts the next token of a text."""
        return self.head_name == "language_model"

    @property
    def rewrites(self) -> bool:
        """Return True if it has another output where a part of its attention is switched off."""
        return self.writes and not self.stepwise

    @property
    def task(self) -> str:
        """ "translation", "generation", "transcription", "encoding" or "vision"."""
        if self.writes:
            return self.writing
        return "vision" if self.reads == "image" else "encoding"

    @classmethod
    def attends(cls, path: str) -> tuple[str, str]:
        """Return the axes of the queries and of the keys of the attention at a module's path."""
        return cls.axes[0], cls.axes[0]

    def attentions(self) -> dict[str, Heads]:
        """Return the attention layers of a Transformer by the paths of their modules, as they
        run."""
        config = self.config
        return _layers("encoder", config.num_layers, config.num_heads, config)

    def logits_of(self, output: Array) -> Array | None:
        """Return the output of forward as logits, (batch, steps, entries); None where it is
        states."""
        head = HEADS[self.head_name]
        return head.steps(output) if head.entries else None

    def ids(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Return the token ids that the model looks up, (batch, length) for each axis that has
        ids."""
        return {self.axes[0]: inputs["ids"]}

    def reading(
        self, ids: Array, attention_mask: Array, token_type_ids: Array | None = None
    ) -> dict[str, Array]:
        """Return the arguments of forward for a text that is read for the head, each (batch,
        length)."""
        inputs = {"ids": ids, "attention_mask": attention_mask}
        return inputs if token_type_ids is None else inputs | {"token_type_ids": token_type_ids}

    def predicted(self, inputs: Mapping[str, Array], logits: Array) -> Array | None:
        """Return the token ids that the positions of the last axis predict, (batch, length); None
        of a model that does not write."""
        return None


class TextFacts(Facts):
    """A decoder alone."""

    writing = "generation"

    def attentions(self) -> dict[str, Heads]:
        return _layers("decoder", self.config.num_layers, self.config.num_heads, self.config)

    def reading(
        self, ids: Array, attention_mask: Array, token_type_ids: Array | None = None
    ) -> dict[str, Array]:
        return super().reading(ids, attention_mask)

    def predicted(self, inputs: Mapping[str, Array], logits: Array) -> Array | None:
        if not self.writes:
            return None
        last = logits[:, -1:].argmax(-1)
        return arrays_of(last).join([inputs["ids"][:, 1:], last])


class PairFacts(Facts):
    """An encoder of the source and a decoder of the target, which may be two views of one text."""

    axes = ("source", "target")
    writing = "translation"

    @classmethod
    def attends(cls, path: str) -> tuple[str, str]:
        side = "source" if path.startswith("encoder") else "target"
        return side, "source" if "cross" in path else side

    def attentions(self) -> dict[str, Heads]:
        config = self.config
        return _layers("encoder", config.encoder_layers, config.encoder_heads, config) | _layers(
            "decoder", config.decoder_layers, config.decoder_heads, config, "self", "cross"
        )

    def ids(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        return {"source": inputs["source"], "target": self.shift_right(inputs["target"])}

    def reading(
        self, ids: Array, attention_mask: Array, token_type_ids: Array | None = None
    ) -> dict[str, Array]:
        return {"source": ids, "target": ids}

    def predicted(self, inputs: Mapping[str, Array], logits: Array) -> Array | None:
        return inputs["target"] if self.writes else None

    def shift_right(self, target: Array) -> Array:
        """Return the decoder's inputs for target, (batch, length): start_id, then all but the last
        id."""
        arrays, shape = arrays_of(target), (len(target), 1)
        start_id, device = self.config.start_id, target.device
        start = arrays.library.full(shape, start_id, dtype=target.dtype, device=device)
        return arrays.join([start, target[:, :-1]])


class SpeechFacts(PairFacts):
    """An encoder of a sound and a decoder of what is said in it."""

    reads = "sound"
    writing = "transcription"
    seconds = 0.02  # of a state of the sound

    @property
    def rewrites(self) -> bool:
        return False

    def ids(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        return {"target": self.shift_right(inputs["target"])}


class RecurrentFacts(PairFacts):
    """Recurrent networks, of which one attends."""

    stepwise = True

    def attentions(self) -> dict[str, Heads]:
        config = self.config
        sizes = Heads(1, 1, config.hidden_size)
        return {} if config.attention == "none" else {"decoder.cross_attention": sizes}


class ImageFacts(Facts):
    """A Transformer for images."""

    axes = ("patches",)
    reads = "image"

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        (height, width), (rows, columns) = self.config.image_size, self.config.patch_size
        return height // rows, width // columns

    @property
    def rewrites(self) -> bool:
        return self.head_name == "classification"

    @classmethod
    def attends(cls, path: str) -> tuple[str, str]:
        return "image" if "pool" in path else "patches", "patches"

    def attentions(self) -> dict[str, Heads]:
        layers = super().attentions()
        if self.head_name == "embedding" and self.config.pooling == "attention":
            layers["head.pool.cross_attention"] = next(iter(layers.values()))
        return layers

    def ids(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        return {}


class DualFacts(Facts):
    """An encoder of texts and one of images; the axes are those of texts, which a page reads."""

    def attentions(self) -> dict[str, Heads]:
        sides: dict[str, Facts] = {"text": Facts(), "image": ImageFacts()}
        layers = dict[str, Heads]()
        for side, facts in sides.items():
            facts.config = getattr(self.config, side)
            layers |= {f"{side}.{path}": sizes for path, sizes in facts.attentions().items()}
        return layers


KINDS: dict[str, type[Facts]] = {
    "Encoder": Facts,
    "Decoder": TextFacts,
    "EncoderDecoder": PairFacts,
    "RecurrentEncoderDecoder": RecurrentFacts,
    "DualEncoder": DualFacts,
    "SpeechEncoderDecoder": SpeechFacts,
    "VisionTransformer": ImageFacts,
}


def facts_of(architecture: str, config: "ModelConfig") -> Facts:
    """Return the facts of a model of `regard.models`, by the name of its class and its config."""
    facts = KINDS[architecture]()
    facts.config = config
    return facts


def _layers(
    side: str, layers: int, heads: int, config: "ModelConfig", *kinds: str
) -> dict[str, Heads]:
    head_dim = getattr(config, "head_dim", None) or config.d_model // heads
    sizes = Heads(heads, getattr(config, "num_key_heads", None) or heads, head_dim)
    return {
        f"{side}.layers.{layer}.{kind}_attention": sizes
        for layer in range(layers)
        for kind in kinds or ("self",)
    }
