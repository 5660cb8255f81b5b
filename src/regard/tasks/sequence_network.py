"""What a text-to-text task computes with: an encoder–decoder; ids go in, hypotheses come out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import Checkpoint
from regard.errors import UnsupportedError
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.tasks.network import Later, Network

if TYPE_CHECKING:
    from torch import nn

    from regard.models import AnyEncoderDecoder

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class IdConfig:
    """What token ids depend on: a part of a model's config."""

    vocab_size: int  # of the source
    decoder_vocab_size: int  # of the target
    max_positions: int | None  # None: no limit
    pad_id: int
    eos_id: int
    start_id: int

    @classmethod
    def of(cls, config: Any) -> IdConfig:
        """Of an encoder–decoder's config."""
        endless = getattr(config, "positions", None) == "relative"
        return cls(
            vocab_size=config.vocab_size,
            decoder_vocab_size=config.target_vocab_size or config.vocab_size,
            max_positions=None if endless else config.max_positions,
            pad_id=config.pad_id,
            eos_id=config.eos_id,
            start_id=config.start_id,
        )


class SequenceNetwork(Network):
    """An encoder–decoder that writes; its config is an `IdConfig`."""

    config: IdConfig

    @classmethod
    def open(cls, checkpoint: Checkpoint, *, lazily: bool = False) -> SequenceNetwork:
        """`of_checkpoint`.

        Raises:
            UnsupportedError: not an encoder–decoder that writes.
        """
        return cls.of_checkpoint(checkpoint, kind="EncoderDecoder", lazily=lazily)

    @classmethod
    def _part(cls, config: Any) -> IdConfig:
        return IdConfig.of(config)

    @classmethod
    def _read(cls, checkpoint: Checkpoint) -> AnyEncoderDecoder:
        from regard.models import AnyEncoderDecoder, EncoderDecoder

        model = super()._read(checkpoint)
        if not isinstance(model, AnyEncoderDecoder):
            raise UnsupportedError(
                f"{checkpoint.folder} must hold an encoder–decoder, such as Marian, BART or T5; it"
                f" holds a {checkpoint.settings['model_type']} model. Use a checkpoint made for"
                " this task."
            )
        if isinstance(model, EncoderDecoder) and model.head is not None:
            raise UnsupportedError(
                f"{checkpoint.name} must be a model that writes (…ForConditionalGeneration); its"
                f" head is {model.config.head!r}. Give a checkpoint made for this task."
            )
        return model

    def starting_from(self, start_id: int) -> SequenceNetwork:
        """The same weights in a model whose decoder reads another token first."""
        if start_id == self.config.start_id:
            return self
        return self._with(
            config=replace(self.config, start_id=start_id),
            _model=Later(lambda: _starting_from(self.model, start_id)),
        )

    def padded(self, sources: Sequence[Sequence[int]]) -> Ids:
        """Ids of several texts with padding behind them, (batch, source length)."""
        padded = np.full((len(sources), max(map(len, sources))), self.config.pad_id, np.int64)
        for row, ids in zip(padded, sources, strict=True):
            row[: len(ids)] = ids
        return padded

    def decode(
        self, sources: Sequence[Sequence[int]], config: GenerationConfig, numbers: Sequence[int]
    ) -> list[list[Hypothesis]]:
        """The n best answers to the ids of each source.

        Args:
            config: with a decoder_start_token_id.
            numbers: what sets each source's random numbers apart.
        """
        source = self.padded(sources)
        start = np.full((len(source), 1), config.decoder_start_token_id, np.int64)
        packing = self.packing
        if packing is not None:
            hypotheses: list[list[Hypothesis]] = packing.model.generate(
                source, start, config, numbers
            )
            return hypotheses
        import torch

        model = self.model
        with torch.inference_mode():
            device = model.output_weight.device
            ids, prompt = (torch.from_numpy(each).to(device) for each in (source, start))
            return generate(model.start(ids), prompt, config, sentence_numbers=numbers)

    def _packed(
        self,
        model: nn.Module | Checkpoint,
        precision: str,
        threads: int,
        say: Callable[[str], None],
    ) -> Any:
        from regard.runtime.packing import pack_writer

        return pack_writer(model, precision, threads=threads, say=say)


def _starting_from(model: AnyEncoderDecoder, start_id: int) -> AnyEncoderDecoder:
    other = copy.copy(model)  # shares parameters and modules: moving one moves both
    other.config = replace(model.config, start_id=start_id)
    return other
