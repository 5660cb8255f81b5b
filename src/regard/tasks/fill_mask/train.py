"""Learn to fill in masked words: an encoder (BERT, Devlin et al. 2019) from running text.

data/
    train.tokens, dev.tokens   blocks of token ids, with the special tokens around each
    tokenizer.json, …
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from regard.data import TokenStore
from regard.data.documents import text_files
from regard.errors import BadArgumentError, UnsupportedError
from regard.models import Encoder
from regard.models.encoder import MaskedLMHead
from regard.tasks.fill_mask.score import MaskedTextEvaluator
from regard.tasks.fill_mask.train_options import MaskedLanguageModelOptions
from regard.tasks.text_generation.blocks import MaskedBatch, Masking, blocks, one_line
from regard.tasks.text_generation.read import check_enough, split_documents
from regard.text import Tokenizer
from regard.training import cross_entropy
from regard.training.card import CardText
from regard.training.encoded import EncodedTexts, write_store
from regard.training.encoders import EncoderData, EncoderRecipe
from regard.training.prepared import Values


@dataclass(frozen=True)
class EncoderText(EncoderData):
    """Running text in blocks."""

    dev: TokenStore


class MaskedTexts:
    """The batches of `EncodedTexts`; what a step hides follows from seed and step."""

    def __init__(self, texts: EncodedTexts, masking: Masking) -> None:
        self.texts, self.masking = texts, masking

    def __len__(self) -> int:
        return len(self.texts)

    def at(self, step: int) -> MaskedBatch:
        return self.masking.masked(self.texts.at(step), step)


class MaskedLanguageModelRecipe(EncoderRecipe[MaskedLanguageModelOptions, EncoderText]):
    """An encoder that learns to predict the words hidden from it; see `Recipe`.

    A text is read in blocks of whole words, none of which crosses the end of a document.
    """

    data_class = EncoderText
    title, tag = "Masked language model", "fill-mask"
    evaluator = MaskedTextEvaluator
    metric = "loss"
    lower = True
    shown: ClassVar = {
        "loss": "dev loss {:.4f}",
        "perplexity": "perplexity {:.2f}",
        "accuracy": "accuracy {:.1%}",
    }

    files_in = staticmethod(text_files)

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        split = split_documents(path, self.options, say=self.say)
        tokenizer = self.tokenizer(
            folder, (one_line(line) for piece in split.train() for line in piece.text.split("\n"))
        )
        sizes = {}
        for name, pieces in (("train", split.train()), ("dev", split.dev())):
            store = write_store(
                folder / f"{name}.tokens",
                ((ids, len(ids), ()) for ids in blocks(pieces, tokenizer, self.max_length)),
                vocab_size=tokenizer.vocab_size,
                targets=0,
                max_length=self.max_length,
            )
            count = int(store.lengths()[0].sum())
            if name == "train":
                check_enough(count, self.max_length, path, "Give more text, or a lower max_length.")
            elif not count:
                raise BadArgumentError(
                    f"the dev text of {path} must have words; it has no token. Give more text, or a"
                    " larger dev_fraction."
                )
            sizes[name] = f"{len(store):,} blocks, {count:,} tokens"
        summary = f"{sizes['train']} to train on; dev: {sizes['dev']}"
        self.say(summary)
        return summary, {}

    def tokenizer(self, folder: Path, texts: Iterable[str]) -> Tokenizer:
        tokenizer = super().tokenizer(folder, texts)
        if "mask" not in tokenizer.special:
            raise UnsupportedError(
                f"{self.options.base_model} has no token that masks a word. Name it in"
                " tokenizer_config.json as mask_token, or start from another model."
            )
        return tokenizer

    def model(self, data: EncoderText) -> Encoder:
        return cast(Encoder, self.encoder(data.tokenizer, "masked_lm"))

    def batches(self, data: EncoderText, model: nn.Module) -> MaskedTexts:
        masking = Masking.of(data.tokenizer, share=self.options.masked, seed=self.options.seed)
        return MaskedTexts(self.encoded(data.train, model), masking)

    def loss(self, model: nn.Module, batch: MaskedBatch) -> tuple[Tensor, int, int]:
        states, table, bias, targets = predicted(cast(Encoder, model), batch)
        loss = cross_entropy(states, table, targets, bias=bias)
        return loss, len(targets), batch.inputs.num_tokens

    @torch.inference_mode()
    def evaluate(self, model: nn.Module, data: EncoderText) -> dict[str, float]:
        model = cast(Encoder, model)
        texts = self.encoded(data.dev, model)
        # The same words are hidden at each evaluation, and not those of a step of training.
        masking = Masking.of(data.tokenizer, share=self.options.masked, seed=self.options.seed)
        loss, right, count, read = 0.0, 0, 0, 0
        for number, rows in enumerate(texts.plan.epoch(0)):
            batch = masking.masked(texts.batch(rows), number, part=1)
            states, table, bias, targets = predicted(model, batch)
            logits = nn.functional.linear(states, table, bias).float()
            loss += nn.functional.cross_entropy(logits, targets, reduction="sum").item()
            right += int((logits.argmax(-1) == targets).sum())
            count, read = count + len(targets), read + batch.inputs.num_tokens
            if read >= self.options.dev_tokens:
                break
        return {
            "loss": loss / count,
            "perplexity": math.exp(min(loss / count, 700)),
            "accuracy": right / count,
        }

    def card(self, model: nn.Module, data: EncoderText, figures: dict[str, float]) -> CardText:
        result = (
            f"Dev set: loss {figures['loss']:.4f}, perplexity {figures['perplexity']:.2f} and"
            f" accuracy {figures['accuracy']:.1%} of masked tokens"
        )
        about = [f"Whole words are masked, {self.options.masked:.0%} of the tokens"]
        return CardText({"tokens": int(data.train.lengths()[0].sum())}, [result], about)


def predicted(model: Encoder, batch: MaskedBatch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the factors of the masked positions' logits, and the tokens that were there.

    Returns:
        states (masked, d_model), the output table (vocab, d_model), its bias (vocab,) and the
        targets (masked,): nothing is computed for a position that is not to be predicted.
    """
    assert isinstance(model.head, MaskedLMHead)
    device = model.embed.tokens.weight.device
    inputs = batch.inputs.to(device).inputs
    states = model.hidden(
        inputs.ids, token_type_ids=inputs.token_type_ids, attention_mask=inputs.attention_mask
    )
    hidden = states[batch.chosen.to(device)]
    return (
        model.head.transform(hidden),
        model.embed.tokens.weight,
        model.head.bias,
        batch.targets.to(device),
    )
