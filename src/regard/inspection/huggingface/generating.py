"""What a transformers model writes, and how each token stood beside those it was chosen over."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from regard.inspection.answers import HypothesisInfo
from regard.inspection.huggingface.axes import naming_of
from regard.inspection.writing import Written


@dataclass
class Hypotheses:
    """Token ids that were written, best first; without prompt, start and padding."""

    ids: list[list[int]]
    scores: list[float] | None = None  # what a beam search ranked them by
    ends: frozenset[int] = field(default_factory=frozenset)  # ids that end a text


@torch.no_grad()
def search(
    model: Any, inputs: dict[str, Tensor], max_new_tokens: int, num_beams: int | None
) -> Hypotheses:
    """The model's own `generate`, the same text each time; all beams are returned."""
    settings = model.generation_config
    beams = num_beams or settings.num_beams or 1
    end = settings.eos_token_id if settings.eos_token_id is not None else model.config.eos_token_id
    ends = [] if end is None else [end] if isinstance(end, int) else list(end)
    pad = settings.pad_token_id if settings.pad_token_id is not None else (ends or [0])[0]
    found = model.generate(
        **inputs,
        max_new_tokens=max_new_tokens,
        min_new_tokens=1,
        num_beams=beams,
        num_return_sequences=beams,
        do_sample=False,
        pad_token_id=pad,
        return_dict_in_generate=True,
        output_scores=beams > 1,
    )
    # A decoder's sequences begin with its start token, a language model's with what it read.
    read = 1 if model.config.is_encoder_decoder else inputs["input_ids"].shape[1]
    scores = getattr(found, "sequences_scores", None)
    return Hypotheses(
        ids=[finished(row, set(ends), pad) for row in found.sequences[:, read:].tolist()],
        scores=None if scores is None else scores.tolist(),
        ends=frozenset(ends),
    )


def finished(ids: list[int], ends: set[int], pad: int) -> list[int]:
    """Up to the end of the text, which is kept."""
    for position, id_ in enumerate(ids):
        if id_ in ends:
            return ids[: position + 1]
    while len(ids) > 1 and ids[-1] == pad:
        ids = ids[:-1]
    return ids


def written_by(
    found: Hypotheses, hypothesis: int, axis: str, prompt: int, tokenizer: Any
) -> Written:
    """The same as a trace takes it, with the hypothesis that is traced."""
    naming = naming_of(tokenizer)
    return Written(
        ids=found.ids[hypothesis],
        hypotheses=[
            HypothesisInfo(
                text=tokenizer.decode(ids, skip_special_tokens=True),
                tokens=naming.names(ids),
                score=None if found.scores is None else found.scores[index],
                finished=not found.ends or ids[-1] in found.ends,
            )
            for index, ids in enumerate(found.ids)
        ],
        shown=hypothesis,
        axis=axis,
        prompt=prompt,
        searched=found.scores is not None or bool(found.ends),
    )
