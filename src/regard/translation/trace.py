"""Tracing a translation: decode at full speed, then look at the hypothesis that is asked for."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.errors import BadArgumentError
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.inspection.answers import (
    AxisInfo,
    Candidate,
    GenerationInfo,
    HypothesisInfo,
    Step,
)
from regard.inspection.grouping import sentence_spans, spans_of
from regard.inspection.models import trace_encoder_decoder
from regard.inspection.trace import Trace
from regard.text import Tokenizer, normalise

if TYPE_CHECKING:
    from regard.translation.translator import Translator

CANDIDATES = 5


@torch.inference_mode()
def trace_translation(
    translator: "Translator",
    text: str,
    target: str | None,
    hypothesis: int,
    config: GenerationConfig,
    keep: str,
) -> Trace:
    """The trace of one pass over source and target; see `Translator.trace`."""
    model = translator.model
    batch = translator.batch([source_ids(translator, text)])
    if target is None:
        config = config.updated(num_return_sequences=1 if config.do_sample else config.num_beams)
        found = generate(model.start(batch), config.start(1, translator.device), config)[0]
        if not 0 <= hypothesis < len(found):
            raise BadArgumentError(
                f"the search gave hypotheses 0 to {len(found) - 1}; got {hypothesis}."
            )
    else:
        found = [given(translator, target, config)]
        if hypothesis != 0:
            raise BadArgumentError(f"a given target is hypothesis 0; got {hypothesis}.")
    shown = list(found[hypothesis].tokens)
    wanted = torch.tensor([shown], device=translator.device)
    trace = trace_encoder_decoder(model, batch, wanted, keep=keep)

    tokenizers = translator.tokenizers
    read = model.shift_right(wanted)[0].tolist()
    trace.model_name, trace.text = translator.name, text
    trace.axes = {
        "source": axis(tokenizers.source, batch[0].tolist()),
        "target": axis(tokenizers.target, read, predicts=shown, prompt=1),
    }
    trace.output_ids = shown
    trace.token_of = partial(token, tokenizers.target)
    trace.generation = GenerationInfo(
        axis="target",
        steps=steps(trace.output[0], shown, tokenizers.target),
        hypotheses=[told(each, tokenizers.target) for each in found],
        shown=hypothesis,
    )
    if target is None:
        # The decode chose step by step; the maps are of one pass over what it chose.
        trace.notes.append("maps are of one pass over the finished hypothesis")
    return trace


def source_ids(translator: "Translator", text: str) -> list[int]:
    ids = translator.encode(normalise(text))
    if not ids:
        raise BadArgumentError("there is no text to look at; give a sentence.")
    if len(ids) > translator.room:
        raise BadArgumentError(
            f"a text may have {translator.room} tokens with {translator.name}; got {len(ids)}."
            " Look at a part of it."
        )
    return ids


def given(translator: "Translator", target: str, config: GenerationConfig) -> Hypothesis:
    """A translation that somebody wrote, as if it had been generated."""
    first = [] if config.forced_bos_token_id is None else [config.forced_bos_token_id]
    limit = translator.positions - 1 - len(first)
    ids = translator.tokenizers.target.encode(normalise(target))
    if not ids:
        raise BadArgumentError("the target is empty; give a sentence, or none to translate.")
    if len(ids) > limit:
        raise BadArgumentError(f"a target may have {limit} tokens; got {len(ids)}.")
    tokens = (*first, *ids, translator.model.config.eos_id)
    return Hypothesis(tokens, float("nan"), (), finished=True)


def token(tokenizer: Tokenizer, id_: int) -> str:
    return tokenizer.tokens([id_])[0]


def axis(
    tokenizer: Tokenizer,
    ids: Sequence[int],
    *,
    predicts: Sequence[int] | None = None,
    prompt: int | None = None,
) -> AxisInfo:
    tokens = tokenizer.tokens(ids)
    return AxisInfo(
        tokens=tokens,
        predicts=None if predicts is None else tokenizer.tokens(predicts),
        words=spans_of(tokenizer.words(ids)),
        sentences=sentence_spans(tokens),
        prompt=len(tokens) if prompt is None else prompt,
    )


def steps(logits: Tensor, tokens: Sequence[int], tokenizer: Tokenizer) -> list[Step]:
    """What each step gave, and the likeliest tokens beside it. Logits are (steps, vocab)."""
    probabilities = logits.float().softmax(-1)
    best = probabilities[:, : tokenizer.vocab_size].topk(CANDIDATES)
    return [
        Step(
            token=tokenizer.tokens([token])[0],
            probability=float(probabilities[step, token]),
            candidates=[
                Candidate(name, probability)
                for name, probability in zip(
                    tokenizer.tokens(best.indices[step].tolist()),
                    best.values[step].tolist(),
                    strict=True,
                )
            ],
        )
        for step, token in enumerate(tokens)
    ]


def told(hypothesis: Hypothesis, tokenizer: Tokenizer) -> HypothesisInfo:
    return HypothesisInfo(
        text=tokenizer.decode(hypothesis.tokens),
        tokens=tokenizer.tokens(hypothesis.tokens),
        score=None if hypothesis.score != hypothesis.score else hypothesis.score,
        finished=hypothesis.finished,
    )
