"""Decoding by a transformers model's own `generate`."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.random import fork_rng


@dataclass(frozen=True)
class Hypothesis:
    """Tokens written, without prompt, start and padding."""

    tokens: list[int]
    score: float | None = None  # what a beam search ranked it by
    finished: bool = True


@torch.no_grad()
def search(
    model: Any,
    inputs: dict[str, Tensor],
    max_new_tokens: int,
    *,
    start: int | None = None,
    num_beams: int | None = None,
    do_sample: bool = False,
    seed: int | None = None,
    **drawing: object,
) -> list[Hypothesis]:
    """Return the model's own `generate`, the same text each time; all beams, best first.

    Args:
        start: what the decoder of a pair reads first.
        num_beams: width of the search; the model's own if not given.
        seed, drawing: with any of them (temperature, top_k, top_p) tokens are drawn.
    """
    settings = model.generation_config
    drawing = {name: value for name, value in drawing.items() if value is not None}
    do_sample = do_sample or seed is not None or bool(drawing)
    beams = 1 if do_sample else num_beams or settings.num_beams or 1
    end = settings.eos_token_id
    if end is None:  # which the config of two models in one may lack
        end = getattr(model.config, "eos_token_id", None)
    ends = [] if end is None else [end] if isinstance(end, int) else list(end)
    pad = settings.pad_token_id if settings.pad_token_id is not None else (ends or [0])[0]
    with fork_rng():
        torch.manual_seed(seed or 0)
        generated = model.generate(
            **inputs,
            max_new_tokens=max_new_tokens,
            min_new_tokens=1,
            num_beams=beams,
            num_return_sequences=beams,
            do_sample=do_sample,
            pad_token_id=pad,
            decoder_start_token_id=start,
            return_dict_in_generate=True,
            output_scores=beams > 1,
            **drawing,
        )
    # A decoder's sequences begin with what it was given, or its start token; a language model's
    # with what it read.
    begun = inputs.get("decoder_input_ids")
    before = begun if begun is not None else inputs["input_ids"]
    read = 1 if begun is None and model.config.is_encoder_decoder else before.shape[1]
    written = [finished(row, set(ends), pad) for row in generated.sequences[:, read:].tolist()]
    scores = getattr(generated, "sequences_scores", None)
    ranked = [None] * len(written) if scores is None else scores.tolist()
    return [
        Hypothesis(ids, score, not ends or ids[-1] in ends)
        for ids, score in zip(written, ranked, strict=True)
    ]


def finished(ids: list[int], ends: set[int], pad: int) -> list[int]:
    """Up to the end of the text, which is kept."""
    for position, id_ in enumerate(ids):
        if id_ in ends:
            return ids[: position + 1]
    while len(ids) > 1 and ids[-1] == pad:
        ids = ids[:-1]
    return ids
