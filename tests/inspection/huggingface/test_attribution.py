"""Lens, attribution and measures of transformers models, by the same rules."""

import pytest
import torch

import regard
from regard.errors import RegardError
from regard.inspection.attribution import logit_attribution, logit_lens, measures

pytest.importorskip("transformers", reason="transformers is an optional extra")


@pytest.mark.parametrize("name", ["GPT-2", "BART", "Marian", "T5", "Llama", "Qwen2"])
def test_the_contributions_add_up_to_the_logit(family, name):
    model, inputs = family(name)
    trace = regard.trace(model, **inputs)
    attribution = logit_attribution(trace, 2)
    logit = float(trace.output.logits[0, 2].max())
    assert sum(each.value for each in attribution.contributions) == pytest.approx(logit, abs=1e-4)
    kinds = [each.kind for each in attribution.contributions]
    written = [tap for tap in trace.values() if tap.queries in ("target", "tokens")]
    assert kinds.count("head") == sum(tap.heads for tap in written)
    assert "attention" not in kinds


@pytest.mark.parametrize("name", ["GPT-2", "BART", "T5"])
def test_the_last_layer_of_the_lens_and_the_measures_are_there(family, name):
    model, inputs = family(name)
    trace = regard.trace(model, **inputs)
    lens = logit_lens(trace, 2)
    expected = float(trace.output.logits[0, 2].softmax(-1).max())
    assert lens.layers[-1].probability == pytest.approx(expected, abs=1e-5)
    [found] = measures(trace, [2])
    assert [each.name for each in found.measures] == [
        "weight", "norm", "gradient", "value_zeroing", "hiding",
    ]  # fmt: skip
    assert max(abs(value) for value in found.measures[-1].values) > 0
    assert max(found.measures[-2].values) > 1e-9


def test_a_cap_on_the_logits_is_refused(family):
    model, inputs = family("Gemma2")
    with pytest.raises(RegardError, match="cap on its logits"):
        logit_attribution(regard.trace(model, **inputs), 1)


def test_the_run_is_as_it_was_afterwards(family):
    model, inputs = family("GPT-2")
    trace = regard.trace(model, **inputs)
    logit_attribution(trace, 2)
    measures(trace, [2])
    with torch.no_grad():
        assert torch.equal(model(**inputs).logits, trace.output.logits)
