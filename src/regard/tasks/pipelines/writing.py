"""Answers of the pipelines of transformers v4 whose models write.

The functions are as those of `pipeline_reading`.
"""

import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from regard.engine.text_to_text import TextToText
from regard.errors import BadArgumentError
from regard.generation.config import FILE_NAMES, new_tokens
from regard.lazy import torch
from regard.tasks.extraction.task import Extractor
from regard.tasks.pipelines.reading import check_whole, checked, is_cut
from regard.tasks.text_generation.task import Writer
from regard.tasks.translation.task import Translator
from regard.text import Tokenizer

if TYPE_CHECKING:
    from transformers import GenerationConfig

    from regard.engine.result import Written
    from regard.tasks.text_generation.task import Continuation, Prompt

TheirConfig: TypeAlias = "GenerationConfig | Mapping[str, Any] | None"
# What v4 takes away from a text: a space before these.
_SPACE_BEFORE = re.compile(r" (?=[.?!,]|n't|'(?:m|s|ve|re)\b)")


def text_to_text(key: str) -> Callable[..., list[Any]]:
    """Return a function that answers `[{key_text: text}]` to each text, an entry for each of n
    best."""

    def answer(
        runner: TextToText,
        texts: Sequence[str],
        *,
        truncation: bool | str | None = None,
        stop_sequence: str | None = None,
        max_length: int | None = None,
        min_length: int | None = None,
        generation_config: TheirConfig = None,
        batch_size: int | None = None,
        return_tensors: bool | None = None,
        return_text: bool | None = None,
        clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> list[Any]:
        ids_asked = _ids_asked(return_tensors, return_text)
        options = _lengths(generation_config, options, max_length, min_length)
        max_length, min_length = options.pop("max_length", None), options.pop("min_length", None)
        limits = new_tokens(max_length, min_length, prompt=1)
        most = limits.get("max_new_tokens") or options.get("max_new_tokens")
        most = most or runner.generation.max_new_tokens
        if limits.get("min_new_tokens", 0) > most:
            limits["min_new_tokens"] = most
        options = {"cut_repetition": False} | limits | options  # nor does it cut any
        if batch_size:
            options["batch_size"] = batch_size
        if stop_sequence is not None:
            options["eos_token_id"] = _first_token(runner.tokenizers.target, stop_sequence)
        if isinstance(runner, Translator):
            runner = runner.decoding_by(whole=True)  # v4 splits no text
        if is_cut(truncation):
            runner = _cutting(runner)
            if isinstance(runner, Translator):
                options["truncation"] = True
        results = runner.run(texts, **options)
        check_whole(truncation, results)
        start = runner.generation.decoder_start_token_id

        def entry(found: "Written") -> dict[str, Any]:
            if ids_asked:
                return {f"{key}_token_ids": torch.tensor([start, *found.ids])}
            return {f"{key}_text": _cleaned(found.text, clean_up_tokenization_spaces)}

        return [[entry(found) for found in result.alternatives or [result]] for result in results]

    return answer


summarize, rewrite = text_to_text("summary"), text_to_text("generated")


def extract(runner: Extractor, texts: Sequence[str], **options: Any) -> list[Any]:
    """`[{summary_text: text}]` for each text, by a model that takes one of its sentences."""
    options = {name: value for name, value in options.items() if value is not None}
    return [[{"summary_text": result.summary}] for result in runner.run(texts, **options)]


def translate(
    runner: Translator,
    texts: Sequence[str],
    *,
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    **options: object,
) -> list[Any]:
    if src_lang or tgt_lang:
        runner = runner.between(src_lang, tgt_lang)
    return text_to_text("translation")(runner, texts, **options)


def write(
    runner: Writer,
    prompts: Sequence[Any],
    *,
    return_full_text: bool | None = None,
    return_tensors: bool | None = None,
    return_text: bool | None = None,
    clean_up_tokenization_spaces: bool | None = None,
    prefix: str = "",
    handle_long_generation: str | None = None,
    truncation: bool | str | None = None,
    padding: object = None,
    tokenizer_encode_kwargs: Mapping[str, Any] | None = None,
    continue_final_message: bool | None = None,
    max_length: int | None = None,
    min_length: int | None = None,
    generation_config: TheirConfig = None,
    **options: Any,
) -> list[Any]:
    """`[{"generated_text": …}]` to a text or to a chat, whose answer is one message more, or ends
    its last one."""
    ids_asked = _ids_asked(return_tensors, return_text)
    if return_full_text is not None and (return_tensors or return_text is not None):
        raise BadArgumentError("give return_full_text, or return_tensors or return_text; got both.")
    if handle_long_generation not in ("hole", None):
        raise BadArgumentError(
            f"handle_long_generation must be 'hole' or None; got {handle_long_generation!r}."
        )
    options = _lengths(generation_config, options, max_length, min_length)
    read: dict[str, Any] = {"truncation": truncation, "max_length": options.get("max_length")}
    read |= checked("tokenizer_encode_kwargs", tokenizer_encode_kwargs)
    longest = runner.tokenizer.longest(runner.handle.config.room)
    kept = longest if read["max_length"] is None else read["max_length"]
    written = options.get("max_new_tokens", runner.generation.max_new_tokens)

    def cut(ids: list[int]) -> list[int]:
        if is_cut(read["truncation"]):
            ids = list(runner.tokenizer.cut(ids, kept))
        if handle_long_generation == "hole":
            new = options["max_length"] - len(ids) if "max_length" in options else written
            if not 0 < new < longest:
                raise BadArgumentError(
                    f"handle_long_generation='hole' needs from 1 to {longest - 1} tokens to write;"
                    f" got {new}. Give max_new_tokens."
                )
            ids = ids[-(longest - new) :]
        return ids

    for name in ("max_length", "min_length") if prefix else ():
        if name in options:
            options[name] += len(runner.tokenizer.encode(prefix))
    goes_on = [
        not isinstance(prompt, str)
        and bool(prompt)
        and (prompt[-1].get("role") == "assistant" if continue_final_message is None
             else continue_final_message)
        for prompt in prompts
    ]  # fmt: skip
    results: dict[int, Any] = {}
    for goes in sorted(set(goes_on)):
        places = [k for k, each in enumerate(goes_on) if each == goes]
        asked = [_behind(prefix, prompts[k]) for k in places]
        found = runner.run(asked, cut=cut, continue_final_message=goes, **options)
        results |= zip(places, found, strict=True)

    def entry(result: "Continuation", prompt: "Prompt", goes: bool) -> dict[str, Any]:
        if ids_asked:
            return {"generated_token_ids": result.ids}
        text = _cleaned(result.text, clean_up_tokenization_spaces)
        return {"generated_text": text if return_full_text is False else _after(prompt, text, goes)}

    return [
        [entry(each, prompt, goes) for each in (result, *result.others)]
        for k, (prompt, goes) in enumerate(zip(prompts, goes_on, strict=True))
        for result in [results[k]]
    ]


def _ids_asked(return_tensors: bool | None, return_text: bool | None) -> bool:
    if return_tensors and return_text:
        raise BadArgumentError("give return_tensors or return_text; got both.")
    if return_text is False and not return_tensors:
        raise BadArgumentError("return_text=False leaves no answer; add return_tensors=True.")
    return bool(return_tensors)


def _lengths(
    generation_config: TheirConfig,
    options: dict[str, Any],
    max_length: int | None,
    min_length: int | None,
) -> dict[str, Any]:
    """All settings of generation, of which max_new_tokens goes before max_length."""
    config = generation_config or {}
    if hasattr(config, "to_diff_dict"):
        config = config.to_diff_dict()
    ours = {file: name for name, file in FILE_NAMES.items()}
    config = {
        ours.get(k, k): v
        for k, v in config.items()
        if k not in ("transformers_version", "_from_model_config")
    }
    named = {"max_length": max_length, "min_length": min_length}
    for name, length in named.items():
        if length is not None and (type(length) is not int or length < (name == "max_length")):
            raise BadArgumentError(f"{name} must be a number of tokens; got {length!r}.")
    settings = config | {k: v for k, v in named.items() if v is not None} | options
    for total, new in (("max_length", "max_new_tokens"), ("min_length", "min_new_tokens")):
        if settings.get(total) is not None and settings.get(new) is not None:
            warnings.warn(f"{new} goes before {total}; give one of them.", stacklevel=5)
            del settings[total]
    longest, least = settings.get("max_length"), settings.get("min_length")
    if longest is not None and least is not None and least > longest:
        raise BadArgumentError(f"min_length must be at most max_length; got {least} and {longest}.")
    return settings


def _first_token(tokenizer: Tokenizer, text: str) -> int:
    ids = tokenizer.encode(text)
    if not ids:
        raise BadArgumentError(f"stop_sequence must have a token; got {text!r}.")
    if len(ids) > 1:
        warnings.warn(f"stop_sequence ends the text at its first token, of {text!r}.", stacklevel=5)
    return ids[0]


def _cutting(runner: TextToText) -> TextToText:
    """Return the same, which reads no more than its tokenizer says."""
    longest = runner.tokenizers.source.longest(sys.maxsize)
    return runner.decoding_by(max_source_length=min(runner.max_source_length or longest, longest))


def _cleaned(text: str, clean_up: bool | None) -> str:
    return _SPACE_BEFORE.sub("", text) if clean_up else text


def _behind(prefix: str, prompt: "Prompt") -> "Prompt":
    return prefix + prompt if isinstance(prompt, str) else prompt


def _after(prompt: "Prompt", text: str, goes_on: bool) -> "Prompt":
    if isinstance(prompt, str):
        return prompt + text
    if goes_on:
        return [*prompt[:-1], {**prompt[-1], "content": prompt[-1]["content"] + text}]
    return [*prompt, {"role": "assistant", "content": text}]
