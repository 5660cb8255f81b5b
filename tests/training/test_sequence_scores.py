"""The loss is that of the tokens that are not padding; greedy answers are limited."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from regard.data import pad
from regard.models import EncoderDecoder
from regard.tasks.translation.task import Translator
from regard.training.sequence_scores import greedy_answers, mean_loss, spread

Pairs = list[tuple[str, str]]


@pytest.mark.parametrize("changes", [{}, {"logits_bias": True, "scale_output": True}])
def test_the_mean_loss_is_that_of_the_real_tokens(
    translator: Translator, made_up: Callable[[int], Pairs], changes: dict[str, Any]
) -> None:
    pairs = made_up(67)
    if changes:
        model = EncoderDecoder(replace(translator.model.config, **changes)).eval()
        torch.nn.init.normal_(model.logits_bias)
        translator = Translator(model, translator.tokenizers)
    model, tokenizers = translator.model, translator.tokenizers
    total, tokens = 0.0, 0
    for source, target in pairs:
        both = [tokenizers.source.encode(source)], [tokenizers.target.encode(target)]
        special = {"pad_id": model.config.pad_id, "eos_id": model.config.eos_id}
        source_ids, target_ids = (pad(ids, **special)[0] for ids in both)
        with torch.no_grad():
            log_probs = model(source_ids, target_ids).log_softmax(-1)
        total -= log_probs.gather(2, target_ids[:, :, None]).sum().item()
        tokens += target_ids.numel()
    for engine in ("torch", "native"):
        loss = mean_loss(translator.run_by(engine), pairs)
        assert loss == pytest.approx(total / tokens, rel=1e-5), engine


def test_items_are_taken_from_the_whole_list() -> None:
    assert spread("abcdefghijk", 4) == ["a", "c", "f", "i"]
    assert spread("abc", 4) == ["a", "b", "c"]


def test_greedy_answers_end_ten_tokens_after_the_longest_reference(
    translator: Translator, untrained: Callable[..., Translator]
) -> None:
    endless = untrained(translator.tokenizers)
    longest = len(translator.tokenizers.target.encode("das haus und"))
    sources, references = ["the house", "a dog"], ["das haus und", "ein"]
    whole = {"num_beams": 1, "cut_repetition": False}
    expected = endless(sources, max_new_tokens=longest + 10, **whole)
    results = greedy_answers(endless, sources, references, batch_size=2)
    assert [result.text for result in results] == expected
    assert expected != endless(sources, max_new_tokens=longest + 11, **whole)
