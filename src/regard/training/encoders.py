"""Recipes of models that read texts: the model to begin with, the part of it that learns,
and how fast."""

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from torch import nn

from regard.checkpoints import Checkpoint, from_pretrained, open_checkpoint, save_pretrained
from regard.checkpoints.adapters import save_adapter
from regard.checkpoints.families import READERS, titles
from regard.data import TokenStore
from regard.engine.reading import kinds_of_tokens, load_encoder
from regard.errors import BadArgumentError, UnsupportedError
from regard.models import Encoder, TextReader
from regard.models.heads import replace_head
from regard.models.layers import Stack
from regard.models.layers.low_rank import add_adapters, merge_adapters
from regard.text import Tokenizer
from regard.text.train import train_tokenizer
from regard.training.encoded import EncodedTexts
from regard.training.options.encoders import LORA_TARGETS, EncoderOptions
from regard.training.prepared import Prepared
from regard.training.recipe import Epochs, Recipe

OptionsT = TypeVar("OptionsT", bound=EncoderOptions)


@dataclass(frozen=True)
class EncoderData(Prepared):
    """Texts to train an encoder on."""

    train: TokenStore
    tokenizer: Tokenizer


EncoderDataT = TypeVar("EncoderDataT", bound=EncoderData)


class EncoderRecipe(Recipe[OptionsT, EncoderDataT]):
    """A recipe whose model is an encoder, from random weights or from a trained model."""

    task_type: ClassVar[str]  # PEFT's name of the task

    # Whether a trained model that writes, such as GPT-2, can have this recipe's head too.
    any_reader: ClassVar[bool] = False

    @cached_property
    def base(self) -> tuple[TextReader, Tokenizer] | None:
        """The trained model and its tokenizer; None for random weights."""
        if self.options.base_model is None:
            return None
        checkpoint = open_checkpoint(self.options.base_model)
        if self.any_reader and checkpoint.architecture != "Encoder":
            return load_reader(checkpoint, name=self.options.base_model)
        return load_encoder(checkpoint, name=self.options.base_model)

    def check_files(self) -> None:
        super().check_files()
        _ = self.base

    def tokenizer(self, folder: Path, texts: Iterable[str]) -> Tokenizer:
        """Return the base model's tokenizer, or one trained on the texts; it is saved in
        `folder`."""
        if self.base is not None:
            tokenizer = self.base[1]
        else:
            tokenizer = train_tokenizer(
                texts, vocab_size=self.options.vocab_size, seed=self.options.seed, encoder=True
            )
            self.say(f"vocabulary: {tokenizer.vocab_size:,} subwords")
        tokenizer.settings["model_max_length"] = self.max_length
        kinds = 2 if self.base is None else kinds_of_tokens(self.base[0].config)
        tokenizer.settings["model_input_names"] = [
            "input_ids",
            *(["token_type_ids"] if kinds > 1 else []),
            "attention_mask",
        ]
        tokenizer.save(folder)
        return tokenizer

    @property
    def max_length(self) -> int:
        """The most tokens that are read of a text."""
        longest = 512 if self.base is None else self.base[0].config.max_positions
        return min(self.options.max_length, longest)

    def encoder(
        self, tokenizer: Tokenizer, head: str, *, start: TextReader | None = None, **changes: Any
    ) -> TextReader:
        """Return the model before its first step, with a head of this kind.

        Args:
            start: the trained model with layers that are new; None: as it is.
        """
        if self.base is not None:
            changes |= self.options.chosen("dropout")
            if self.base[0].config.pad_id is None and "pad" in tokenizer.special:
                changes["pad_id"] = tokenizer.pad_id
            model = replace_head(start or self.base[0], head, **changes)
            if self.options.lora_rank:
                self._adapt(model)
            else:
                added = start is not None and start is not self.base[0]
                freeze(model, self.options.train_layers, new=int(added))
            return model
        config = self.options.model_settings(tokenizer.vocab_size)
        return replace_head(Encoder(replace(config, pad_id=tokenizer.pad_id)), head, **changes)

    @property
    def may_keep_beginning(self) -> bool:
        """True but for adapters: before the first step they change nothing."""
        return super().may_keep_beginning and not self.options.lora_rank

    def save_task(
        self, model: nn.Module, data: EncoderDataT, figures: dict[str, float], folder: Path
    ) -> None:
        assert isinstance(model, TextReader)
        if self.options.lora_rank:
            assert self.options.base_model is not None  # the options have checked it
            save_adapter(
                model,
                folder.parent / "adapter",
                base_model=self.options.base_model,
                task_type=self.task_type,
            )
            model = copy.deepcopy(model)
            merge_adapters(model)
        settings = self.settings_of(data, figures)
        save_pretrained(model, folder, dtype=self.dtype(model), settings=settings)
        data.tokenizer.save(folder)

    def settings_of(self, data: EncoderDataT, figures: dict[str, float]) -> dict[str, Any]:
        """Return more keys for config.json."""
        return {}

    def _adapt(self, model: TextReader) -> None:
        """Give the layers adapters, which learn with the head."""
        rank, alpha = self.options.lora_rank, self.options.lora_alpha
        freeze(model, 0)
        for stack in stacks(model).values():
            add_adapters(
                stack,
                LORA_TARGETS[self.options.lora_targets],
                rank=rank,
                alpha=2 * rank if alpha is None else alpha,
            )

    def describe(self, model: nn.Module) -> str:
        if self.options.base_model is not None:
            what = "model" if getattr(model, "writing", "") else "encoder"
            return f"{what} from {self.options.base_model}"
        return f"encoder {self.options.preset}"

    def batches(self, data: EncoderDataT, model: nn.Module) -> Epochs:
        return self.encoded(data.train, model)

    def encoded(self, store: TokenStore, model: nn.Module) -> EncodedTexts:
        """Return the batches over a store of encoded texts."""
        return EncodedTexts(
            store,
            cast(TextReader, model).config,
            max_tokens=self.options.max_tokens,
            batch_size=self.options.batch_size,
            seed=self.options.seed,
        )

    def rate_scale(self, name: str) -> float:
        return layer_rate(name, self._layers, self.options.layer_decay)

    @property
    def _layers(self) -> dict[str, int]:
        if self.base is not None:
            return {name: len(stack.layers) for name, stack in stacks(self.base[0]).items()}
        return {"encoder": int(self.options.model_settings(8).num_layers)}


def load_reader(checkpoint: Checkpoint, *, name: str) -> tuple[TextReader, Tokenizer]:
    """Return a decoder, or BART, for a head of its own, and its tokenizer, which can pad."""
    kind = checkpoint.settings["model_type"]
    if kind not in checkpoint.entry.headed:
        raise UnsupportedError(
            f"{name} must be a model that a head can be put on ({titles(*READERS, headed=True)});"
            f" it is a {kind} model. Give the folder of such a model."
        )
    model = cast(TextReader, from_pretrained(checkpoint))
    tokenizer = _padding(checkpoint.tokenizers.source)
    return model, tokenizer.for_table(model.config.vocab_size)


def _padding(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer; one without a padding token pads with the end of text."""
    special = dict(tokenizer.special)
    if "pad" in special or "eos" not in special:
        return tokenizer
    usual = {name: special.pop(name, None) for name in ("eos", "unk")}
    return Tokenizer(
        tokenizer.backend, pad=usual["eos"], **usual, others=special, settings=tokenizer.settings
    )


def stacks(model: nn.Module) -> dict[str, Stack]:
    """Return the model's stacks of layers by their names, the one that reads the input first."""
    members = ((name, getattr(model, name, None)) for name in ("encoder", "decoder"))
    return {name: stack for name, stack in members if isinstance(stack, Stack)}


def freeze(model: nn.Module, train_layers: int | None, *, new: int = 0) -> None:
    """Lets the head, `new` layers and the last `train_layers` below them learn; None: all."""
    if train_layers is None:
        return
    layers = [layer for stack in stacks(model).values() for layer in stack.layers]
    if train_layers > len(layers) - new:
        raise BadArgumentError(
            f"train_layers must be at most {len(layers) - new}, the model's layers; got"
            f" {train_layers}."
        )
    model.requires_grad_(False)
    for part in (model.head, *layers[len(layers) - new - train_layers :]):
        part.requires_grad_(True)


def layer_rate(name: str, layers: Mapping[str, int], decay: float) -> float:
    """Return the rate of a parameter over the head's: `decay` to the power of the layers above it,
    as in ELECTRA and BEiT."""
    if decay == 1 or name.startswith("head."):
        return 1.0
    below = 0
    for stack, count in layers.items():
        if match := re.match(rf"{stack}\.layers\.(\d+)\.", name):
            return float(decay ** (sum(layers.values()) - below - int(match[1])))
        below += count
        if name.startswith(f"{stack}.norm."):
            return float(decay ** (sum(layers.values()) - below + 1))
    return float(decay ** (below + 1))  # embeddings lie below the first layer
