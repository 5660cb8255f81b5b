"""A trained translator: text in, text out, with the words each word attended to."""

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

import numpy as np
import torch
from numpy.typing import NDArray

from regard.checkpoints import from_pretrained, save_pretrained
from regard.data import pad
from regard.errors import RegardError
from regard.files import whole_file
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.inspection import STEPS, Trace, cross_attention, group_words
from regard.models import AnyEncoderDecoder, EncoderDecoder
from regard.tasks.translation_trace import trace_translation
from regard.text import TokenizerPair, normalise


@dataclass(frozen=True)
class Alternative:
    """One of the n best translations of a text."""

    text: str
    score: float  # log-probability divided by length^length_penalty: the beam's ranking
    tokens: list[str]
    finished: bool  # False where max_new_tokens cut it off


@dataclass(frozen=True)
class Result:
    """The translation of one text."""

    text: str
    score: float
    tokens: list[str]
    finished: bool
    source_words: list[str] = field(default_factory=list)
    target_words: list[str] = field(default_factory=list)
    alignment: NDArray[np.float32] | None = None  # (target words, source words)
    alternatives: list[Alternative] = field(default_factory=list)  # n best, this one first


class Translator:
    """Translates with an encoder–decoder model and its tokenizers.

    Args:
        model: in evaluation mode.
        tokenizers: of source and target; may be one and the same.
        generation: the defaults of decoding.
        name: what to call it in messages.
    """

    def __init__(
        self,
        model: AnyEncoderDecoder,
        tokenizers: TokenizerPair,
        *,
        generation: GenerationConfig | None = None,
        name: str = "translator",
    ):
        config = model.config
        for side, tokenizer, size in (
            ("source", tokenizers.source, config.vocab_size),
            ("target", tokenizers.target, config.decoder_vocab_size),
        ):
            if tokenizer.vocab_size > size:
                raise RegardError(
                    f"the {side} tokenizer has {tokenizer.vocab_size} tokens, but the model's"
                    f" vocabulary is {size}: use the tokenizer the model was trained with."
                )
        self.model = model
        self.tokenizers = tokenizers
        self.name = name
        self.generation = (generation or GenerationConfig()).updated(
            eos_token_id=config.eos_id,
            pad_token_id=config.pad_id,
            decoder_start_token_id=config.start_id,
        )

    @property
    def device(self) -> torch.device:
        """Where the model computes; `translator.model.to(device)` moves it."""
        return self.model.output_weight.device

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, name: str | None = None) -> "Translator":
        """The translator saved in `folder`: model, tokenizers and decoding defaults."""
        return cls(
            from_pretrained(folder),
            TokenizerPair.load(Path(folder)),
            generation=_generation(Path(folder)),
            name=name or Path(folder).name,
        )

    def save(self, folder: str | os.PathLike[str], *, dtype: torch.dtype = torch.float32) -> None:
        """Writes what `load` reads, in Hugging Face's layout; weights in `dtype`."""
        folder = Path(folder)
        save_pretrained(self.model, folder, dtype=dtype)
        self.tokenizers.save(folder)
        with whole_file(folder / "generation_config.json") as file:
            file.write_text(json.dumps(self.generation.to_dict(), indent=2) + "\n")

    @overload  # a str is itself a sequence of str, which the two signatures cannot say
    def __call__(self, text: str, **options: object) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, text: Sequence[str], **options: object) -> list[str]: ...
    def __call__(self, text: str | Sequence[str], **options: object) -> str | list[str]:
        """One text → its translation; a list → a list. Options as in `run`."""
        if isinstance(text, str):
            return self.run([text], **options)[0].text  # type: ignore[arg-type]
        return [result.text for result in self.run(text, **options)]  # type: ignore[arg-type]

    def run(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        alignment: str | None = None,
        progress: Callable[[int], None] = lambda done: None,
        **options: object,
    ) -> list[Result]:
        """Translates texts; results do not depend on what else is in the list.

        Args:
            batch_size: texts decoded together.
            alignment: also read the word alignment from cross-attention, at the decoder's
                "output" or "input" step (`inspection.cross_attention`).
            progress: called with the number of texts just finished.
            options: fields of GenerationConfig, such as num_beams.

        Raises:
            RegardError: an unknown option, or a sentence with more tokens than the model has
                positions. A longer text of several sentences is translated sentence by sentence.
        """
        config = self._configured(options)
        if alignment is not None and alignment not in STEPS:
            raise RegardError(f"alignment must be {' or '.join(STEPS)}; got {alignment!r}.")
        parts = [self._parts(text) for text in texts]
        flat = [(index, ids) for index, text in enumerate(parts) for ids in text]
        # Neighbours in length share a batch; the order of the results is the callers'.
        order = sorted(range(len(flat)), key=lambda k: len(flat[k][1]))
        translated: list[Result | None] = [None] * len(flat)
        left = [len(text) for text in parts]
        done = sum(count == 0 for count in left)
        for start in range(0, len(order), batch_size):
            chosen = order[start : start + batch_size]
            batch = self._translate([flat[k][1] for k in chosen], config, alignment, chosen)
            for k, result in zip(chosen, batch, strict=True):
                translated[k] = result
                left[flat[k][0]] -= 1
                done += left[flat[k][0]] == 0
            progress(done)
            done = 0
        joined: list[list[Result]] = [[] for _ in texts]
        for (index, _), part in zip(flat, translated, strict=True):
            assert part is not None
            joined[index].append(part)
        return [_join(results) for results in joined]

    def trace(
        self,
        text: str,
        *,
        target: str | None = None,
        hypothesis: int = 0,
        keep: str = "auto",
        **options: object,
    ) -> Trace:
        """Translates a text and keeps what every attention layer was given: see `Trace`.

        Decoding runs untouched; the maps are of one pass over the hypothesis that is looked at.

        Args:
            target: a translation to look at instead of the model's own.
            hypothesis: which of the beams' results, best first.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".
            options: fields of GenerationConfig, such as num_beams.

        Raises:
            RegardError: an empty text, one with more tokens than the model has positions, a
                hypothesis that there is not.
        """
        config = self._configured(options)
        return trace_translation(self, text, target, hypothesis, config, keep)

    def _configured(self, options: dict[str, object]) -> GenerationConfig:
        config = self.generation.updated(**options)
        # Start and every token: reading the last one too is what alignment looks at.
        longest = self.model.config.max_positions - 1
        return config.updated(max_new_tokens=min(config.max_new_tokens, longest))

    def _parts(self, text: str) -> list[list[int]]:
        """Token ids of a text, in as many parts as the model's positions make necessary."""
        limit = self.model.config.max_positions - 1  # one position for the end of sentence
        encode = self.tokenizers.source.encode
        text = normalise(text)
        whole = encode(text)
        if not whole:
            return []
        if len(whole) <= limit:
            return [whole]
        parts: list[list[int]] = []
        for sentence in re.split(r"(?<=[.!?।…])\s+", text):
            ids = encode(sentence)
            if len(ids) > limit:
                raise RegardError(
                    f"a sentence may have {limit} tokens with {self.name}; got one of {len(ids)}"
                    f" ({sentence[:40]!r} …). Split it into shorter sentences."
                )
            if parts and len(parts[-1]) + len(ids) <= limit // 4:
                parts[-1] += ids
            else:
                parts.append(ids)
        return parts

    @torch.inference_mode()
    def _translate(
        self,
        sources: list[list[int]],
        config: GenerationConfig,
        alignment: str | None,
        numbers: Sequence[int],
    ) -> list[Result]:
        ids = self.model.config
        source = pad(sources, pad_id=ids.pad_id, eos_id=ids.eos_id)[0].to(self.device)
        n_best = generate(
            self.model.start(source),
            config.start(len(sources), self.device),
            config,
            sentence_numbers=numbers,
        )
        results = [self._result(hypotheses) for hypotheses in n_best]
        if alignment:
            best = [_without_end(hypotheses[0].tokens, ids.eos_id) for hypotheses in n_best]
            results = self._aligned(results, sources, source, best, alignment)
        return results

    def _result(self, hypotheses: Sequence[Hypothesis]) -> Result:
        eos, target = self.model.config.eos_id, self.tokenizers.target
        alternatives = []
        for hypothesis in hypotheses:
            tokens = _without_end(hypothesis.tokens, eos)
            alternatives.append(
                Alternative(
                    text=target.decode(tokens),
                    score=hypothesis.score,
                    tokens=target.tokens(tokens),
                    finished=hypothesis.finished,
                )
            )
        best = alternatives[0]
        return Result(best.text, best.score, best.tokens, best.finished, alternatives=alternatives)

    def _aligned(
        self,
        results: list[Result],
        sources: list[list[int]],
        source: torch.Tensor,
        targets: list[list[int]],
        step: str,
    ) -> list[Result]:
        ids = self.model.config
        target = pad(targets, pad_id=ids.pad_id, eos_id=ids.eos_id)[0].to(self.device)
        target = target[:, :-1]  # the end of the longest belongs to no word
        weights = cross_attention(self.model, source, target, step=step).mean(1)  # over heads
        aligned = []
        for row, result in enumerate(results):
            source_words = self.tokenizers.source.words(sources[row])
            target_words = self.tokenizers.target.words(targets[row])
            grouped = group_words(
                weights[row],
                [word.indices for word in target_words],
                [word.indices for word in source_words],
            )
            aligned.append(
                replace(
                    result,
                    source_words=[word.text for word in source_words],
                    target_words=[word.text for word in target_words],
                    alignment=grouped.float().cpu().numpy(),
                )
            )
        return aligned

    def alignment_caption(self, step: str) -> str:
        """What the numbers of `Result.alignment` are."""
        of = "α of cross-attention"
        if isinstance(self.model, EncoderDecoder):
            config = self.model.config
            of += f", mean over {config.decoder_layers} layers × {config.decoder_heads} heads"
        return f"{of}, at the decoder's {step} step"


def _generation(folder: Path) -> GenerationConfig:
    file = folder / "generation_config.json"
    if not file.exists():
        return GenerationConfig()
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RegardError(f"{file} is not valid JSON ({error}).") from error
    return GenerationConfig.from_dict(settings)[0]


def _without_end(tokens: Sequence[int], eos_id: int) -> list[int]:
    tokens = list(tokens)
    return tokens[:-1] if tokens and tokens[-1] == eos_id else tokens


def _join(parts: list[Result]) -> Result:
    """One result from those of a text's parts; nothing at all for an empty text."""
    if len(parts) == 1:
        return parts[0]
    alignment = None
    if parts and all(part.alignment is not None for part in parts):
        alignment = _block_diagonal(
            [part.alignment for part in parts if part.alignment is not None]
        )
    result = Result(
        text=" ".join(part.text for part in parts),
        score=sum(part.score for part in parts),
        tokens=[token for part in parts for token in part.tokens],
        finished=all(part.finished for part in parts),
        source_words=[word for part in parts for word in part.source_words],
        target_words=[word for part in parts for word in part.target_words],
        alignment=alignment,
    )
    best = Alternative(result.text, result.score, result.tokens, result.finished)
    return replace(result, alternatives=[best])


def _block_diagonal(blocks: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    whole = np.zeros(np.sum([block.shape for block in blocks], axis=0), dtype=np.float32)
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole
