"""A model that reads for its head: texts to the ids that it is given, and these in batches."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from regard.checkpoints import Checkpoint, from_pretrained
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection import Trace
from regard.inspection.models import traced
from regard.models import Encoder, EncoderDecoder, TextReader
from regard.tasks.batching import by_length
from regard.tasks.task import Task, check_text
from regard.text import Tokenizer
from regard.text.cutting import cut

if TYPE_CHECKING:
    from regard.runtime.packed import PackedReader

Result = TypeVar("Result")

# The head → the ending of the transformers classes that have it, which is what people look for.
ENDINGS = {
    "masked_lm": "ForMaskedLM",
    "classification": "ForSequenceClassification",
    "question_answering": "ForQuestionAnswering",
}
READ_BY_ALL = ("classification", "question_answering")  # heads that models that write have too


@dataclass(frozen=True)
class Tokens:
    """What the model is given of one text or two."""

    ids: list[int]  # special tokens included
    token_type_ids: list[int]  # the kind of each: 0, or 1 of a second text
    truncated: bool = False  # the text was longer

    @property
    def first(self) -> int:
        """The length of the first text, with the special tokens around it."""
        return len(self.ids) - sum(self.token_type_ids)


@dataclass(frozen=True)
class Batch:
    """Texts as the model takes them, padded on the right; each is (batch, length)."""

    ids: Tensor
    token_type_ids: Tensor | None  # None: the model has one kind only
    attention_mask: Tensor  # False for padding

    def to(self, device: torch.device | str) -> "Batch":
        kinds = self.token_type_ids
        return Batch(
            self.ids.to(device, non_blocking=True),
            None if kinds is None else kinds.to(device, non_blocking=True),
            self.attention_mask.to(device, non_blocking=True),
        )


def inputs_of(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """What the model's forward takes, by name. Both sides of an encoder–decoder read the text."""
    if isinstance(model, EncoderDecoder):
        return {"source": batch.ids, "target": batch.ids}
    inputs = {"ids": batch.ids, "attention_mask": batch.attention_mask}
    return inputs | (
        {} if batch.token_type_ids is None else {"token_type_ids": batch.token_type_ids}
    )


def kinds_of_tokens(config: Any) -> int:
    """How many kinds of tokens a model tells apart, such as a question's and a context's."""
    return getattr(config, "token_types", None) or 1


class Reader:
    """A model that reads a text, with its tokenizer.

    Args:
        model: in evaluation mode.
        head: that it must have, a name in `ENDINGS`; None: any of an encoder will do.
        name: what to call it in messages.

    Raises:
        UnsupportedError: another kind of model, or without that head.
        BadArgumentError: a tokenizer that is not the model's.
    """

    def __init__(
        self, model: nn.Module, tokenizer: Tokenizer, *, head: str | None = None, name: str
    ):
        if not isinstance(model, _readers(head)):
            raise _no_reader(name, type(model).__name__, head)
        config: Any = model.config
        if head is not None:
            _check_head(config, head, name)
        if tokenizer.vocab_size > config.vocab_size:
            raise BadArgumentError(
                f"the tokenizer has {tokenizer.vocab_size} tokens, but the model's vocabulary is"
                f" {config.vocab_size}: use the tokenizer the model was trained with."
            )
        self.model = cast(TextReader, model)
        self.tokenizer = tokenizer
        self.name = name
        limit = tokenizer.settings.get("model_max_length") or config.max_positions
        self.max_length = min(config.max_positions, int(limit))  # tokens, special ones included

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def tokens(
        self, text: str, pair: str | None = None, *, max_length: int | None = None
    ) -> Tokens:
        """A text or two, cut at their ends where they have more than `max_length` tokens."""
        encoding = self.tokenizer.inputs(text, pair)
        kept = cut(encoding, max_length or self.max_length)
        ids, token_type_ids = encoding.ids, encoding.type_ids  # each a copy of the whole list
        return Tokens(
            [ids[k] for k in kept],
            [token_type_ids[k] for k in kept],
            truncated=len(kept) < len(ids),
        )

    def run(
        self,
        groups: Sequence[Sequence[Tokens]],
        compute: Callable[[Batch], Iterable[Result]],
        *,
        batch_size: int,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[list[Result]]:
        """`compute` of all tokens in batches, a result for each in its group.

        Args:
            progress: called with the number of groups just finished.
        """

        @torch.inference_mode()
        def computed(batch: list[Tokens]) -> list[Result]:
            return list(compute(self.batch(batch)))

        return by_length(
            groups,
            computed,
            length=lambda tokens: len(tokens.ids),
            batch_size=batch_size,
            progress=progress,
        )

    def batch(self, texts: Sequence[Tokens]) -> Batch:
        """Texts as tensors on the model's device."""
        config = self.model.config
        several = kinds_of_tokens(config) > 1
        return Batch(
            self._padded([text.ids for text in texts], config.pad_id or 0),
            self._padded([text.token_type_ids for text in texts], 0) if several else None,
            self._padded([[1] * len(text.ids) for text in texts], 0).bool(),
        )

    @torch.inference_mode()
    def trace(
        self,
        text: str,
        pair: str | None = None,
        *,
        special_in_text: bool = False,
        answers: Callable[[list[int]], Mapping[str, int]] = lambda ids: {},
        keep: str = "auto",
    ) -> Trace:
        """The trace of a text, or of two together.

        Args:
            special_in_text: read "[MASK]" in the text as that token.
            answers: the text's ids → steps of the logits to name in the notes; see `traced`.
        """
        encoding = self.tokenizer.inputs(text, pair, special_in_text=special_in_text)
        ids = list(encoding.ids)
        check_text(ids if text.strip() else [], self.max_length, self.name)
        batch = self.batch([Tokens(ids, encoding.type_ids)])
        return traced(
            self.model,
            inputs_of(self.model, batch),
            tokenizer=self.tokenizer,
            name=self.name,
            text=text if pair is None else f"{text} {pair}",
            answers=answers(ids),
            keep=keep,
        )

    def _padded(self, rows: Sequence[Sequence[int]], value: int) -> Tensor:
        tensors = [torch.tensor(row) for row in rows]
        return pad_sequence(tensors, batch_first=True, padding_value=value).to(self.device)


class ReadingTask(Task):
    """A task by a model that reads texts for its head."""

    model: TextReader
    packed: "PackedReader | None" = None

    def outputs(self, batch: Batch) -> Tensor:
        """The head's output, by the engine; its shape is in the docstring of the model's class."""
        if self.packed is None:
            return self.model(**inputs_of(self.model, batch))
        return torch.from_numpy(self.packed(**_arrays(batch))).to(batch.ids.device)


class EncoderTask(ReadingTask):
    """A task that uses the states of an encoder."""

    model: Encoder

    def hidden(self, batch: Batch) -> Tensor:
        """The last layer's states, by the engine, (batch, length, d_model)."""
        if self.packed is None:
            return self.model.hidden(**inputs_of(self.model, batch))
        return torch.from_numpy(self.packed.hidden(**_arrays(batch))).to(batch.ids.device)


def _arrays(batch: Batch) -> dict[str, NDArray[Any]]:
    """What a packed model takes, by name."""
    return {name: each.cpu().numpy() for name, each in vars(batch).items() if each is not None}


def load_reader(checkpoint: Checkpoint, *, head: str, name: str) -> tuple[TextReader, Tokenizer]:
    """A model with this head, which need not be an encoder, and its tokenizer; any other model is
    refused before its weights are read."""
    if checkpoint.family.model not in _readers(head):
        raise _no_reader(name, f"{checkpoint.settings['model_type']} model", head)
    _check_head(checkpoint.config, head, name)
    return cast(TextReader, from_pretrained(checkpoint)), checkpoint.tokenizers.source


def load_encoder(checkpoint: Checkpoint, *, name: str) -> tuple[Encoder, Tokenizer]:
    """An encoder and its tokenizer; any other model is refused before its weights are read."""
    if checkpoint.family.model is not Encoder:
        raise _no_reader(name, f"{checkpoint.settings['model_type']} model", None)
    return cast(Encoder, from_pretrained(checkpoint)), checkpoint.tokenizers.source


def _check_head(config: Any, head: str, name: str) -> None:
    if config.head != head:
        raise UnsupportedError(
            f"{name} must be a model with the head {head!r} (…{ENDINGS[head]}); its head is"
            f" {config.head!r}. Give a checkpoint that was trained for this."
        )


def _readers(head: str | None) -> tuple[type[nn.Module], ...]:
    return get_args(TextReader) if head in READ_BY_ALL else (Encoder,)


def _no_reader(name: str, kind: str, head: str | None) -> UnsupportedError:
    if head in READ_BY_ALL:
        return UnsupportedError(
            f"{name} must be a model that reads texts for a head (BERT, RoBERTa, DistilBERT, GPT-2,"
            f" Llama, Mistral, Qwen2, BART: …{ENDINGS[head]}); it is a {kind}. Give the folder of"
            " such a model."
        )
    return UnsupportedError(
        f"{name} must be an encoder (BERT, RoBERTa, DistilBERT); it is a {kind}."
        " Give the folder of an encoder."
    )
