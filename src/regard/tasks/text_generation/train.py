"""Learn to continue a text: a decoder (GPT-2, Radford et al. 2019) from running text.

data/
    train.tokens, dev.tokens   one stream of token ids each
    tokenizer.json, …
samples.txt                    what the model wrote at each evaluation
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.checkpoints import from_pretrained, open_checkpoint, save_pretrained
from regard.checkpoints.families import titles
from regard.data import TokenStore
from regard.data.documents import text_files
from regard.errors import UnsupportedError
from regard.files import whole_file, write_json
from regard.generation import GenerationConfig, generate
from regard.models import Decoder
from regard.tasks.text_generation.blocks import BlockBatch, Blocks, cut_blocks, even_starts
from regard.tasks.text_generation.read import check_enough, split_documents, write_tokens
from regard.tasks.text_generation.score import TextEvaluator
from regard.tasks.text_generation.train_options import LanguageModelOptions
from regard.text import Tokenizer
from regard.text.continuous import train_continuous
from regard.training import Progress, cross_entropy
from regard.training.card import CardText
from regard.training.prepared import Prepared, Values
from regard.training.recipe import Recipe

# Of generation_config.json: how the finished model writes, as nanoGPT's sample.py.
SAMPLING: dict[str, Any] = {"do_sample": True, "temperature": 0.8, "top_k": 200}
_TOKENS_AT_ONCE = 8192  # of an evaluation
_HEADER = re.compile(r"=== step ([0-9,]+), dev loss .* ===\n")


@dataclass(frozen=True)
class RunningText(Prepared):
    """Running text as two streams of tokens."""

    train: TokenStore
    dev: TokenStore
    tokenizer: Tokenizer
    separator: int | None  # the token between documents; None: there is one
    dev_bytes: int  # of UTF-8 that the dev tokens spell
    documents: int  # to train on


class LanguageModelRecipe(Recipe[LanguageModelOptions, RunningText]):
    """A decoder that learns to predict the next token of running text; see `Recipe`.

    Documents are packed: a block holds several short ones, whose tokens do not attend to another's.
    """

    data_class = RunningText
    more_made_by = ("block",)
    title, tag = "Language model", "text-generation"
    evaluator = TextEvaluator
    metric = "loss"
    lower = True
    shown: ClassVar = {
        "loss": "dev loss {:.4f}",
        "perplexity": "perplexity {:.2f}",
        "bits_per_byte": "bits per byte {:.3f}",
    }

    files_in = staticmethod(text_files)

    def check_files(self) -> None:
        super().check_files()
        _ = self.base

    @cached_property
    def base(self) -> tuple[Decoder, Tokenizer] | None:
        """The trained model and its tokenizer; None for random weights."""
        name = self.options.base_model
        if name is None:
            return None
        checkpoint = open_checkpoint(name)
        if checkpoint.architecture != "Decoder":
            raise UnsupportedError(
                f"{name} must be a language model ({titles('Decoder')}); it is a"
                f" {checkpoint.settings['model_type']} model. Give the folder of a language model."
            )
        model = cast(Decoder, from_pretrained(checkpoint))
        return model, checkpoint.tokenizers.source.for_table(model.config.vocab_size)

    @property
    def block(self) -> int:
        """The length of a block, which a trained model's positions limit."""
        most = None if self.base is None else self.base[0].config.max_positions
        return self.options.block if most is None else min(self.options.block, most)

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        split = split_documents(path, self.options, say=self.say)
        tokenizer = self._tokenizer(piece.text for piece in split.train())
        tokenizer.settings["model_max_length"] = self.block
        tokenizer.save(folder)
        separator = tokenizer.eos_id if split.separated else None
        train, _ = write_tokens(
            folder / "train.tokens", split.train(), tokenizer, separator=separator
        )
        dev, size = write_tokens(folder / "dev.tokens", split.dev(), tokenizer, separator=separator)
        check_enough(len(train.tokens), self.block, path, "Give more text, or a shorter block.")
        advice = "Give more text, a larger dev_fraction or a shorter block."
        check_enough(len(dev.tokens), self.block, "the dev text", advice)
        sizes = f"{len(train.tokens):,} tokens to train on, {len(dev.tokens):,} dev"
        self.say(f"vocabulary: {tokenizer.vocab_size:,}; {sizes}")
        return sizes, {
            "separator": separator, "dev_bytes": size, "documents": len(split.train_documents),
        }  # fmt: skip

    def _tokenizer(self, texts: Iterator[str]) -> Tokenizer:
        if self.base is None:
            kind = self.options.tokenizer or "subwords"
            return train_continuous(texts, kind=kind, vocab_size=self.options.vocab_size)
        tokenizer = self.base[1]
        if "eos" not in tokenizer.special:
            raise UnsupportedError(
                f"{self.options.base_model} has no token that ends a text, which tells documents"
                " apart. Name it in tokenizer_config.json as eos_token."
            )
        return tokenizer

    def model(self, data: RunningText) -> Decoder:
        if self.base is None:
            end = data.tokenizer.eos_id
            return Decoder(
                self.options.model_settings(data.tokenizer.vocab_size, bos_id=end, eos_id=end)
            )
        trained = self.base[0]
        model = Decoder(replace(trained.config, **self.options.chosen("dropout")))
        model.load_state_dict(trained.state_dict())  # whose memory is the file's
        return model

    def describe(self, model: nn.Module) -> str:
        if self.options.base_model is not None:
            return f"language model from {self.options.base_model}"
        config = cast(Decoder, model).config
        return (
            f"GPT of {config.num_layers} layers, {config.num_heads} heads, width {config.d_model},"
            f" block {self.block}"
        )

    def batches(self, data: RunningText, model: nn.Module) -> Blocks:
        return Blocks(
            data.train.tokens,
            block=self.block,
            batch_size=min(self.options.rows(), self.options.max_tokens // self.block),
            separator=data.separator,
            seed=self.options.seed,
        )

    def loss(self, model: nn.Module, batch: BlockBatch) -> tuple[Tensor, int, int]:
        model = cast(Decoder, model)
        count = batch.targets.numel()
        return summed_loss(model, batch), count, count

    @torch.inference_mode()
    def evaluate(self, model: nn.Module, data: RunningText) -> dict[str, float]:
        model = cast(Decoder, model)
        starts = even_starts(data.dev.tokens, self.block, self.options.dev_tokens)
        at_once = max(1, _TOKENS_AT_ONCE // self.block)
        total = 0.0
        for first in range(0, len(starts), at_once):
            rows = starts[first : first + at_once]
            batch = cut_blocks(data.dev.tokens, rows, self.block, data.separator)
            total += summed_loss(model, batch).item()
        loss = total / (len(starts) * self.block)
        self._sample = self._write(model, data)
        return {
            "loss": loss,
            "perplexity": math.exp(min(loss, 700)),
            "bits_per_byte": loss / math.log(2) * len(data.dev.tokens) / data.dev_bytes,
        }

    def _write(self, model: Decoder, data: RunningText) -> str:
        """Return the dev text's first tokens and what the model makes of them, with one seed
        always.

        A text longer than the block is written in steps that read the last half of a block.
        """
        length, half = self.options.sample_tokens, max(1, self.block // 2)
        ids = [int(id_) for id_ in data.dev.tokens[: max(1, min(half, 8))]]
        if not length:
            return ""
        end = len(ids) + length
        device = model.output_weight.device
        while len(ids) < end:
            config = GenerationConfig(
                max_new_tokens=min(end - len(ids), max(1, self.block - half)),
                seed=self.options.seed + len(ids),
                **SAMPLING,
            )
            prompt = torch.tensor([ids[-half:]], device=device)
            [[written]] = generate(model.start(), prompt, config)
            ids += written.tokens
        return data.tokenizer.decode(id_ for id_ in ids if id_ < data.tokenizer.vocab_size)

    def watch(self, event: str, progress: Progress) -> None:
        """Keep and show the samples; those of a later step are of a run that was cut off."""
        if event != "evaluate" or not self._sample:
            return
        file = Path(self.options.output) / "samples.txt"
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        header = f"=== step {progress.step:,}, dev loss {progress.figures['loss']:.4f} ===\n"
        with whole_file(file) as whole:
            earlier = _before(before, progress.step)
            whole.write_text(f"{earlier}{header}{self._sample}\n\n", encoding="utf-8")
        self.say(f"sample: {self._sample!r}")

    def save_task(
        self, model: nn.Module, data: RunningText, figures: dict[str, float], folder: Path
    ) -> None:
        model = cast(Decoder, model)
        save_pretrained(model, folder, dtype=self.dtype(model))
        data.tokenizer.save(folder)
        longest = max(1, self.block * 3 // 4)  # beside a prompt, in as many positions as a block
        settings = SAMPLING | {"max_new_tokens": longest, "eos_token_id": model.config.eos_id}
        write_json(folder / "generation_config.json", settings)

    def card(self, model: nn.Module, data: RunningText, figures: dict[str, float]) -> CardText:
        result = (
            f"Dev set, {len(data.dev.tokens):,} tokens: loss {figures['loss']:.4f}, perplexity"
            f" {figures['perplexity']:.2f}, {figures['bits_per_byte']:.3f} bits per byte"
        )
        counts = {"documents": data.documents, "tokens": len(data.train.tokens)}
        return CardText(counts, [result], [f"Vocabulary: {data.tokenizer.vocab_size:,} tokens"])


def summed_loss(model: Decoder, batch: BlockBatch) -> Tensor:
    """Return the sum over all tokens of −log p(next token), a scalar."""
    batch = batch.to(model.output_weight.device)
    hidden = model.hidden(batch.ids, documents=batch.documents)
    hidden, targets = hidden.flatten(0, 1), batch.targets.flatten()
    if model.config.output_cap is not None:  # what follows is then not of a product alone
        return functional.cross_entropy(model.logits(hidden).float(), targets, reduction="sum")
    return cross_entropy(hidden, model.output_weight, targets)


def _before(samples: str, step: int) -> str:
    """Return the samples of earlier steps than this one."""
    for match in _HEADER.finditer(samples):
        if int(match[1].replace(",", "")) >= step:
            return samples[: match.start()]
    return samples
