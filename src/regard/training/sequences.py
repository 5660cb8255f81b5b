"""Recipes of encoder–decoders: the model to begin with, how it reads, its loss and its scores."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from regard.attention.padding import not_padding
from regard.checkpoints import open_checkpoint
from regard.data import Batch, Batches, TokenStore
from regard.engine.text_to_text import TextToText
from regard.errors import UnsupportedError
from regard.models import AnyEncoderDecoder, EncoderDecoder
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.text import TokenizerPair
from regard.training import cross_entropy
from regard.training.options.sequences import SequenceOptions
from regard.training.prepared import Prepared
from regard.training.recipe import Recipe

if TYPE_CHECKING:
    from regard.models.configs.recurrent import RecurrentConfig

TaskT = TypeVar("TaskT", bound=TextToText)
OptionsT = TypeVar("OptionsT", bound=SequenceOptions)

_AT_ONCE = 8192


@dataclass(frozen=True)
class SequenceData(Prepared):
    """Pairs of texts."""

    train: TokenStore
    tokenizers: TokenizerPair

    def rates(self) -> NDArray[np.float64] | None:
        """Return how often an epoch reads each row of `train`; None: once."""
        return None


DataT = TypeVar("DataT", bound=SequenceData)


class SequenceRecipe(Recipe[OptionsT, DataT], Generic[OptionsT, DataT, TaskT]):
    """A recipe whose model is an encoder–decoder, from random weights or from a trained model."""

    task: ClassVar[type[TextToText]]  # TaskT
    long_sources: ClassVar[bool] = False  # see `Batches`

    def check_files(self) -> None:
        super().check_files()
        _ = self.base

    @cached_property
    def base(self) -> TaskT | None:
        """The trained model with its tokenizers, prefix and settings; None for random weights."""
        name = self.options.base_model
        return None if name is None else self.open_base(name)

    def open_base(self, name: str) -> TaskT:
        """Return the model that training continues from."""
        return self.task.load(open_checkpoint(name), name=name)  # type: ignore[return-value]

    @abstractmethod
    def new_task(self, model: AnyEncoderDecoder, data: DataT) -> TaskT:
        """Return the task of a model that began with random weights."""

    def task_of(self, model: nn.Module, data: DataT) -> TaskT:
        """Return the model's task: with the base's prefix and settings, or those of a new model."""
        trained = cast(AnyEncoderDecoder, model)
        return self.new_task(trained, data) if self.base is None else self.base.with_model(trained)

    def encoder(self, tokenizers: TokenizerPair) -> "PairEncoder":
        """Return the encoder of pairs of texts."""
        return PairEncoder(tokenizers) if self.base is None else PairEncoder.of(self.base)

    def model(self, data: DataT) -> AnyEncoderDecoder:
        if self.base is not None:
            return with_dropout(self.base.model, self.options.dropout)
        tokenizers, target = data.tokenizers, data.tokenizers.target
        config = self.options.model_config(
            tokenizers.source.vocab_size,
            target_vocab_size=None if tokenizers.joint else target.vocab_size,
            pad_id=target.pad_id,
            eos_id=target.eos_id,
            start_id=target.pad_id,
        )
        return self.new_model(config)

    def new_model(self, config: "EncoderDecoderConfig | RecurrentConfig") -> AnyEncoderDecoder:
        """Return a model of random weights."""
        assert isinstance(config, EncoderDecoderConfig)
        return EncoderDecoder(config)

    def describe(self, model: nn.Module) -> str:
        return self.options.model_name()

    def batches(self, data: DataT, model: nn.Module) -> Batches:
        ids, base = cast(AnyEncoderDecoder, model).config, self.base
        return Batches(
            data.train,
            max_tokens=self.options.max_tokens,
            pad_id=ids.pad_id,
            eos_id=ids.eos_id if base is None else base.generation.eos_ids[0],
            source_end=None if base is None else base.after[-1],
            long_sources=self.long_sources,
            rates=data.rates(),
            seed=self.options.seed,
        )

    def loss(self, model: nn.Module, batch: Batch) -> tuple[Tensor, int, int]:
        writer = cast(AnyEncoderDecoder, model)
        batch = batch.to(writer.output_weight.device)
        loss = summed_loss(writer, batch.source, batch.target, self.options.label_smoothing)
        return loss, batch.num_target_tokens, batch.num_target_tokens

    def save_task(
        self, model: nn.Module, data: DataT, figures: dict[str, float], folder: Path
    ) -> None:
        dtype = torch.float32 if self.options.precision == "fp32" else torch.bfloat16
        self.task_of(model, data).save(folder, dtype=dtype)


@dataclass(frozen=True)
class PairEncoder:
    """Pairs of texts as ids, but for the last id of either side, which `Batches` adds."""

    tokenizers: TokenizerPair
    prefix: str = ""  # before every source
    before: tuple[int, ...] = ()  # ids before every source …
    after: tuple[int, ...] = ()  # … and after it, but for the last
    begin: tuple[int, ...] = ()  # ids before every target

    @classmethod
    def of(cls, task: TextToText) -> "PairEncoder":
        """Return the encoder of a trained model's texts."""
        if not task.after:
            raise UnsupportedError(
                f"the tokenizer of {task.name} puts no end token behind a text, which training"
                " needs. Give a model whose tokenizer does, such as a Marian, BART or T5 model."
            )
        begin = task.expected("")[:-1]
        return cls(task.tokenizers, task.prefix or "", task.before, task.after[:-1], tuple(begin))

    def __call__(
        self, pairs: Iterable[tuple[str, str]], *, room: int | None = None
    ) -> Iterator[tuple[list[int], list[int], bool]]:
        """Each pair's ids, and whether its source was cut.

        Args:
            room: ids of a source that are kept, those around it not counted.
        """
        pairs = iter(pairs)
        while chunk := list(islice(pairs, _AT_ONCE)):
            sources = self.tokenizers.source.encode_batch([f"{self.prefix}{s}" for s, _ in chunk])
            targets = self.tokenizers.target.encode_batch([target for _, target in chunk])
            for source, target in zip(sources, targets, strict=True):
                tokens = [*self.before, *source[:room], *self.after]
                yield tokens, [*self.begin, *target], room is not None and len(source) > room


def with_dropout(model: AnyEncoderDecoder, dropout: float | None) -> AnyEncoderDecoder:
    """Return the same weights under another dropout; None: the model's own."""
    if dropout is None or dropout == model.config.dropout:
        return model
    other = type(model)(replace(model.config, dropout=dropout))
    other.load_state_dict(model.state_dict())
    return other


@torch.inference_mode()
def loss_by_module(
    task: TextToText, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
) -> float:
    """`sequence_scores.mean_loss` of these ids."""
    pad_id = task.model.config.pad_id
    order = sorted(range(len(targets)), key=lambda k: len(targets[k]))
    loss, tokens = 0.0, 0
    for start in range(0, len(order), 64):
        chosen = order[start : start + 64]
        source = task.batch([sources[k] for k in chosen])
        rows = [torch.tensor(targets[k]) for k in chosen]
        target = pad_sequence(rows, True, pad_id).to(task.device)
        loss += summed_loss(task.model, source, target).item()
        tokens += sum(map(len, rows))
    return loss / tokens


def summed_loss(
    model: AnyEncoderDecoder,
    source: Tensor,
    target: Tensor,
    label_smoothing: float = 0.0,
    *,
    inside: Tensor | None = None,
) -> Tensor:
    """Return the summed loss over the target's tokens; padded positions never reach the projection.

    Args:
        inside: True for what is no padding, as the target; by default what is not pad_id.
    """
    hidden = model.hidden(source, target).flatten(0, 1)
    inside = not_padding(target, model.config.pad_id) if inside is None else inside
    target, places = target.flatten(), inside.flatten().nonzero()[:, 0]
    return cross_entropy(
        hidden.index_select(0, places),
        model.output_weight,
        target[places],
        bias=model.logits_bias,
        label_smoothing=label_smoothing,
    )
