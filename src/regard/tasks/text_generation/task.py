"""A decoder model that writes: it continues a text or answers a chat, as a stream on request."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import CheckpointLike, open_checkpoint
from regard.checkpoints.families import titles
from regard.engine.batching import by_length, read_each
from regard.engine.defaults import read_defaults, read_lengths
from regard.engine.handle import ModelHandle
from regard.engine.options import TRACED
from regard.engine.result import Written, asked, inside
from regard.engine.task import Task, check_text
from regard.errors import BadArgumentError, UnsupportedError
from regard.generation import GenerationConfig, Hypothesis, stream
from regard.generation.config import NEW_TOKENS, new_tokens
from regard.tasks.text_generation.chat import Message, chat_ids
from regard.text import Tokenizer
from regard.text.stream import TextStream, Writing, text_after

if TYPE_CHECKING:
    from torch import nn

    from regard.inspection import Trace
    from regard.inspection.hiding import Looks
    from regard.models import Decoder

Prompt = str | Sequence[Message]  # a text to go on with, or a chat to answer


@dataclass(frozen=True)
class Continuation(Written):
    """A text that was written after one prompt."""

    continuation: str  # without the prompt
    score: float
    finished: bool  # False where a limit cut it off
    tokens: list[str] = asked()  # the token that ended it is not among them
    alternatives: "list[Continuation]" = asked()  # this one first
    # Of the prompt and what was written, the token that ended it included.
    ids: list[int] = inside(default_factory=list)
    full: bool = inside(False)  # the limit was the model's positions, not max_new_tokens

    @property
    def others(self) -> "list[Continuation]":
        """The alternatives but the first."""
        return self.alternatives[1:]


@dataclass(frozen=True)
class Prompted:
    """A prompt, ready to be continued."""

    ids: list[int]
    config: GenerationConfig  # as far as there are positions
    ends: Callable[[Sequence[int]], bool] | None  # as `generate` takes it
    writes: Callable[[int], bool]  # whether a token has a text
    text: TextStream  # of what follows the prompt
    result: Callable[[Hypothesis], Continuation]


class Writer(Task):
    """Writes with a decoder model (GPT-2, Llama and similar) and its tokenizer.

    >>> writer = regard.load("shakespeare")
    >>> once, again = (writer("ROMEO:", max_new_tokens=8, seed=1) for _ in range(2))
    >>> once == again
    True

    Args:
        model: in evaluation mode; or a handle, which may load it later.
        tokenizer: the one that the model was trained with.
        generation: the defaults of decoding.
        lengths: the defaults of `max_length` and `min_length`, which count the prompt; where there
            are such, they go before those of `generation`.
        name: what to call it in messages.
    """

    def __init__(
        self,
        model: "nn.Module | ModelHandle",
        tokenizer: Tokenizer,
        *,
        generation: GenerationConfig | None = None,
        lengths: Mapping[str, int] = MappingProxyType({}),
        name: str = "writer",
    ):
        self.handle = ModelHandle.of(model)
        config = self.handle.config
        if self.handle.architecture != "Decoder":
            raise UnsupportedError(
                f"writing needs a decoder-only model ({titles('Decoder')}); {name} is of"
                f" another kind, {self.handle.architecture}."
            )
        if config.head != "language_model":
            raise UnsupportedError(
                f"{name} must be a language model to write; its head is {config.head!r}."
                " Give a checkpoint of a language model (…ForCausalLM)."
            )
        self.tokenizer = tokenizer.for_table(config.vocab_size)
        self.name = name
        self.generation, self.lengths = generation or GenerationConfig(), dict(lengths)
        if self.generation.eos_token_id is None:
            self.generation = self.generation.updated(eos_token_id=config.eos_id)

    @classmethod
    def load(
        cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False
    ) -> "Writer":
        """Return the model of a name (see `load`), with its tokenizer and decoding defaults."""
        checkpoint = open_checkpoint(folder)
        defaults = read_defaults(checkpoint)[""]
        return cls(
            ModelHandle.of_checkpoint(checkpoint, lazily=lazily),
            checkpoint.tokenizers.source,
            generation=defaults.generation,
            lengths=read_lengths(checkpoint),
            name=name or checkpoint.name,
        )

    @property
    def model(self) -> "Decoder":
        """The model itself, whatever computes; loaded when it is first asked for."""
        model: Decoder = self.handle.model
        return model

    def with_options(self, **options: object) -> tuple[Self, dict[str, Any]]:
        options.pop("tokens", None)
        return self, options

    def run_rows(
        self,
        rows: Sequence[tuple[str, ...]],
        *,
        chat: bool = False,
        system: str | None = None,
        stop: Sequence[str] = (),
        **options: Any,
    ) -> list[Continuation]:
        opening = [] if system is None else [{"role": "system", "content": system}]
        prompts: list[Prompt] = [
            [*opening, {"role": "user", "content": text}] if chat else text for (text,) in rows
        ]
        return self.run(prompts, stop_strings=stop, **options)

    @overload
    def __call__(self, prompt: str, **options: Any) -> str: ...
    @overload
    def __call__(self, prompt: Sequence[str], **options: Any) -> list[str]: ...
    def __call__(
        self, prompt: str | Sequence[str], *, return_full_text: bool = True, **options: Any
    ) -> str | list[str]:
        """One prompt → it and what follows; a list → a list.

        Args:
            return_full_text: False leaves the prompt out.
            options: as in `run`.
        """
        prompts = [prompt] if isinstance(prompt, str) else prompt
        results = self.run(prompts, **options)
        texts = [
            text + result.text if return_full_text else result.text
            for text, result in zip(prompts, results, strict=True)
        ]
        return texts[0] if isinstance(prompt, str) else texts

    def chat(self, messages: Sequence[Message], **options: Any) -> str:
        """Return the model's answer to a chat; options as in `run`."""
        return self.run([messages], **options)[0].text

    def run(
        self,
        prompts: Sequence[Prompt],
        *,
        stop_strings: str | Sequence[str] = (),
        special_in_text: bool = False,
        max_length: int | None = None,
        min_length: int | None = None,
        cut: Callable[[list[int]], list[int]] = lambda ids: ids,
        continue_final_message: bool = False,
        batch_size: int = 16,
        progress: Callable[[int], None] = lambda done: None,
        **options: object,
    ) -> list[Continuation]:
        """Continues texts and answers chats; results do not depend on what else is in the list.

        Args:
            stop_strings: a text that holds one of them has ended; it is left in, as the token
                that completed it wrote it. The name of a special token ends a text as well.
            special_in_text: read "<|user|>" in a text as that special token. A chat needs it not:
                its template writes them.
            max_length, min_length: tokens of a prompt and its continuation together; they go
                before max_new_tokens and min_new_tokens.
            cut: a prompt's ids → those of them that are read.
            continue_final_message: go on with a chat's last message, where otherwise a new one
                begins.
            batch_size: prompts written to together.
            progress: called with the number of prompts just finished.
            options: fields of GenerationConfig, such as max_new_tokens and do_sample.

        Raises:
            BadArgumentError: an unknown option, a prompt of no token or of more than the model has
                positions, a chat that the model's template does not know.
        """
        config, ends = self._configured(options, stop_strings)
        goes_on = continue_final_message
        ids = read_each(lambda prompt: cut(self._ids(prompt, special_in_text, goes_on)), prompts)
        limits_of_call = {"max_length": max_length, "min_length": min_length}
        lengths = self._lengths(options)
        lengths |= {name: n for name, n in limits_of_call.items() if n is not None}
        limits = read_each(lambda each: self._limited(config, each, **lengths), ids)

        def written(numbers: list[int]) -> list[Continuation]:
            results = []
            # A prompt near the end of the positions has a limit of its own, and fewer companions.
            for limit, same in itertools.groupby(numbers, limits.__getitem__):
                group = list(same)
                found = self._write([ids[k] for k in group], limit, group, ends, batch_size)
                for k, hypotheses in zip(group, found, strict=True):
                    n_best = [self._result(prompts[k], ids[k], config, one) for one in hypotheses]
                    alternatives = n_best if len(n_best) > 1 else []
                    results.append(n_best[0].changed(alternatives=alternatives))
            return results

        found = by_length(
            [[k] for k in range(len(ids))],
            written,
            length=lambda k: len(ids[k]),
            batch_size=batch_size if ends else self.engine.at_once(len(ids), config, batch_size),
            workers=self.engine.workers,
            progress=progress,
        )
        return [result for [result] in found]

    def stream(
        self,
        prompt: Prompt,
        *,
        stop_strings: str | Sequence[str] = (),
        special_in_text: bool = False,
        **options: object,
    ) -> Writing[Hypothesis, Continuation]:
        """Return the text of `run([prompt])`, in pieces as they are written; arguments as there.

        Raises:
            BadArgumentError: as `run`; or a beam search or several sequences, which cannot be
                streamed.
        """
        ready = self.prompted(
            prompt, stop_strings=stop_strings, special_in_text=special_in_text, **options
        )
        engine, (padded, mask) = self.engine, _padded([ready.ids])
        decoder, start = engine.start(engine.array(mask)), engine.array(padded)
        tokens = stream(decoder, start, ready.config, ends=ready.ends)
        return Writing(tokens, ready.writes, ready.text, ready.result)

    def prompted(
        self,
        prompt: Prompt,
        *,
        stop_strings: str | Sequence[str] = (),
        special_in_text: bool = False,
        **options: object,
    ) -> Prompted:
        """Return a prompt with all that its continuation depends on; arguments and errors as in
        `run`."""
        config, ends = self._configured(options, stop_strings)
        ids = self._ids(prompt, special_in_text)
        return Prompted(
            ids,
            self._limited(config, ids, **self._lengths(options)),
            ends,
            lambda token: self._writes(token, config),
            TextStream(self.tokenizer, self._before(prompt, ids)),
            partial(self._result, prompt, ids, config),
        )

    def trace(
        self,
        text: str,
        *,
        target: str | None = None,
        hypothesis: int = 0,
        generate: int | None = None,
        without: Sequence[int | str] = (),
        looks: "Looks" = (),
        keep: str = "auto",
        **options: Any,
    ) -> "Trace":
        """Continues a text and keeps the inputs of every attention layer: see `Trace`.

        Decoding runs untouched and takes the likeliest tokens; the maps are of one pass over the
        text and the hypothesis that is looked at, as one sequence.

        Args:
            target: a continuation to look at instead of the model's own.
            hypothesis: which of the beams' results, best first.
            generate: tokens to write; none, unless an option of the search asks for them: then 20.
            without: what is switched off when the continuation is written and when it is looked
                at: positions that no later one sees; heads such as "decoder.layers.2.self:1"; and
                edges such as "decoder.layers.2.self:1:7:4", from query 7 to key 4.
            looks: positions that a row of the maps sees alone, in every head and layer, such as
                {7: 4}; by words, {"it": "trophy"}; in one head, {"decoder.layers.2.self:1:7": 4}.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".
            options: fields of GenerationConfig; forced_beginning makes the
                continuation begin with these ids.

        Raises:
            BadArgumentError: an empty text, one with more tokens than the model has positions, a
                hypothesis or a part that there is not, or both a target and `generate`.
        """
        from regard.inspection.models import (
            beginning,
            no_changes,
            switched_off,
            trace_written,
            traced,
        )

        if target is not None and generate is not None:
            raise BadArgumentError("give either a target or generate; got both.")
        positions = self.handle.config.room
        ids = self._ids(text, False) if text.strip() else []
        check_text(ids, positions, self.name)

        def whole() -> "Trace":
            return self.trace(
                text,
                target=target,
                hypothesis=hypothesis,
                generate=generate,
                without=without,
                **options,
            )

        engine, read = self.engine, np.array([ids])
        model = engine.seen(self.handle)
        off = switched_off(model, without, {"tokens": positions}, looks, whole)
        # Where it is not looked at itself, the native engine computes all.
        decoding = self.run_by("torch") if off.parts and not engine.looks else self
        shared: dict[str, Any] = dict(
            tokenizer=self.tokenizer, name=self.name, text=text, without=off, keep=keep
        )
        searched = hypothesis or options
        if target is None and not generate and not (generate is None and searched):
            with no_changes(model):
                return traced(model, {"ids": read}, **shared)

        def after(begins: Sequence[int]) -> list[Hypothesis]:
            settings = options | {"forced_beginning": tuple(begins) or None}
            return decoding._searched(ids, TRACED if generate is None else generate, settings)

        forced = options.get("forced_beginning") or ()
        begins = forced
        if target is None:
            begins = beginning(model, off, len(ids), forced, lambda first: after(first)[0].tokens)

        def found() -> list[Hypothesis]:
            if target is not None:
                return [self._written(target, positions - len(ids))]
            return after(begins)

        return trace_written(
            model,
            found,
            lambda written: {"ids": np.concatenate([read, written], 1)},
            hypothesis=hypothesis,
            searched=target is None,
            prompt=len(ids),
            forced=len(forced),
            notes=decoding.engine_notes(),
            **shared,
        )

    def _searched(self, ids: list[int], length: int, options: dict[str, Any]) -> list[Hypothesis]:
        """All beams of a search that writes this many tokens; without sampling by default."""
        config, _ = self._configured({"do_sample": False, "max_new_tokens": length} | options, ())
        config = self._limited(config.with_all_found(), ids)
        return self._write([ids], config, [0], None, 1)[0]

    def _written(self, target: str, room: int) -> Hypothesis:
        """Return a continuation that a caller wrote."""
        ids = self.tokenizer.encode(target)
        if not 0 < len(ids) <= room:
            raise BadArgumentError(
                f"a target may have 1 to {room} tokens after this text with {self.name}; got"
                f" {len(ids)}."
            )
        return Hypothesis(tuple(ids), math.nan, (), finished=True)

    def _configured(
        self, options: dict[str, Any], stop_strings: str | Sequence[str]
    ) -> tuple[GenerationConfig, Callable[[Sequence[int]], bool] | None]:
        config = self.generation.updated(**options)
        stops = [stop_strings] if isinstance(stop_strings, str) else list(stop_strings)
        if "" in stops:
            raise BadArgumentError(
                "a stop string must have at least one character; got an empty one."
            )
        special = set(self.tokenizer.special_names()).intersection(stops)
        if special:  # no text holds them
            ids = (self.tokenizer.backend.token_to_id(name) for name in sorted(special))
            config = config.updated(eos_token_id=(*config.eos_ids, *ids))
        stops = [stop for stop in stops if stop not in special]
        if not stops:
            return config, None

        def ends(tokens: Sequence[int]) -> bool:
            text = self.tokenizer.decode([t for t in tokens if self._writes(t, config)])
            return any(stop in text for stop in stops)

        return config, ends

    def _ids(self, prompt: Prompt, special_in_text: bool, goes_on: bool = False) -> list[int]:
        if isinstance(prompt, str):
            ids = list(self.tokenizer.inputs(prompt, special_in_text=special_in_text).ids)
        else:
            ids = chat_ids(self.tokenizer, prompt, continue_final_message=goes_on)
        if ids:
            return ids
        first = self.handle.config.bos_id
        if first is None:
            raise BadArgumentError(
                f"a prompt must have at least one token, because {self.name} has no token that"
                f" begins a text; got {prompt!r}."
            )
        return [first]

    def _lengths(self, options: Mapping[str, Any]) -> dict[str, int]:
        """Return the defaults of limits that count the prompt, where a caller names no other
        limit."""
        return {
            name: length for name, length in self.lengths.items() if NEW_TOKENS[name] not in options
        }

    def _limited(
        self,
        config: GenerationConfig,
        ids: Sequence[int],
        max_length: int | None = None,
        min_length: int | None = None,
    ) -> GenerationConfig:
        """Return the settings with no more tokens to write after these than the positions leave."""
        positions = self.handle.config.room
        if len(ids) >= positions:
            raise BadArgumentError(
                f"a prompt may have {positions - 1} tokens with {self.name}, which has {positions}"
                f" positions for it and what follows; got one of {len(ids)}. Shorten it."
            )
        if max_length is not None and max_length <= len(ids):
            raise BadArgumentError(
                f"max_length counts the prompt, which has {len(ids)} tokens with {self.name}; got"
                f" {max_length}. Give a larger one, or max_new_tokens, which does not count it."
            )
        asked = new_tokens(max_length, min_length, prompt=len(ids))
        most = min(asked.get("max_new_tokens", config.max_new_tokens), positions - len(ids))
        least = min(asked.get("min_new_tokens", config.min_new_tokens), most)
        return config.updated(max_new_tokens=most, min_new_tokens=least)

    def _write(
        self,
        prompts: list[list[int]],
        config: GenerationConfig,
        numbers: Sequence[int],
        ends: Callable[[Sequence[int]], bool] | None,
        batch_size: int,
    ) -> list[list[Hypothesis]]:
        return self.engine.write(*_padded(prompts), config, numbers, ends, batch_size)

    def _result(
        self,
        prompt: Prompt,
        ids: Sequence[int],
        config: GenerationConfig,
        hypothesis: Hypothesis,
    ) -> Continuation:
        tokens = [token for token in hypothesis.tokens if self._writes(token, config)]
        return Continuation(
            continuation=text_after(self.tokenizer, self._before(prompt, ids), tokens),
            tokens=self.tokenizer.tokens(tokens),
            ids=[*ids, *hypothesis.tokens],
            score=hypothesis.score,
            finished=hypothesis.finished,
            full=not hypothesis.finished
            and len(hypothesis.tokens) < config.max_new_tokens
            and len(ids) + len(hypothesis.tokens) >= self.handle.config.room,
        )

    def _writes(self, token: int, config: GenerationConfig) -> bool:
        """Return whether a token has a text: not if it ends one, nor if the tokenizer lacks it, as
        where the model's vocabulary is longer."""
        return token not in config.eos_ids and token < self.tokenizer.vocab_size

    def _before(self, prompt: Prompt, ids: Sequence[int]) -> Sequence[int]:
        """Return the ids that the text goes on from: an answer begins a text of its own."""
        return ids if isinstance(prompt, str) else ()


def _padded(prompts: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the prompts, (prompts, length), padded on the left, and where they are not padding."""
    lengths = np.array([len(ids) for ids in prompts])
    longest = int(lengths.max())
    # What stands where the mask is False is never read.
    padded = np.array([[*[0] * (longest - len(ids)), *ids] for ids in prompts])
    return padded, np.arange(longest) >= longest - lengths[:, None]
