"""What a transformers model writes, and how each token stood beside those it was chosen over."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from regard.inspection.answers import (
    AxisInfo,
    Candidate,
    GenerationInfo,
    HypothesisInfo,
    Step,
)
from regard.inspection.huggingface.axes import strings
from regard.inspection.trace import Trace

CANDIDATES = 5


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


def generation_info(
    trace: Trace, found: Hypotheses, hypothesis: int, axis: str, prompt: int, tokenizer: Any
) -> Trace:
    """Adds to a trace how the hypothesis came about that was read in it."""
    shown = found.ids[hypothesis]
    of = trace.axes[axis]
    names = strings(shown, tokenizer)
    # What the positions from the prompt's last on give is what was written.
    predicts = of.tokens[1:prompt] + names
    predicts += (of.predicts or [])[len(predicts) :]
    trace.axes[axis] = AxisInfo(of.tokens, predicts, of.words, of.sentences, prompt)
    trace.output_ids = list(shown)
    trace.generation = GenerationInfo(
        axis=axis,
        steps=steps(trace.output.logits[0, prompt - 1 :], shown, tokenizer),
        hypotheses=[
            HypothesisInfo(
                text=tokenizer.decode(ids, skip_special_tokens=True),
                tokens=strings(ids, tokenizer),
                score=None if found.scores is None else found.scores[index],
                finished=not found.ends or ids[-1] in found.ends,
            )
            for index, ids in enumerate(found.ids)
        ],
        shown=hypothesis,
    )
    if found.scores is not None or found.ends:
        trace.notes.append("maps are of one pass over the finished hypothesis")
    return trace


def steps(logits: Tensor, ids: list[int], tokenizer: Any) -> list[Step]:
    """What each step gave, and the likeliest tokens beside it."""
    found = []
    for row, id_ in zip(logits, ids, strict=False):  # a language model has read the last one too
        probabilities = row.float().softmax(-1)
        best = probabilities.topk(min(CANDIDATES, len(probabilities)))
        names = strings(best.indices.tolist(), tokenizer)
        found.append(
            Step(
                token=strings([id_], tokenizer)[0],
                probability=float(probabilities[id_]),
                candidates=[
                    Candidate(name, probability)
                    for name, probability in zip(names, best.values.tolist(), strict=True)
                ],
            )
        )
    return found
