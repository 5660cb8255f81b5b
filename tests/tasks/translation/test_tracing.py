"""A translation's trace: the run's own numbers, its tokens, its steps and its beams."""

import copy
import pickle
from collections.abc import Callable

import pytest
import torch

from regard import RegardError
from regard.inspection.views.ablation import ablate
from regard.tasks.translation.task import Translator

TEXT = "the old dog sees a tree."


def test_the_trace_is_of_the_translation_that_run_gives(translator: Translator):
    trace = translator.trace(TEXT, num_beams=3)
    result = translator.run([TEXT], num_beams=3)[0]
    generation = trace.generation
    assert generation is not None
    assert generation.hypotheses[0].text == result.text
    assert len(generation.hypotheses) == 3
    eos = translator.tokenizers.target.tokens([translator.model.config.eos_id])
    assert [step.token for step in generation.steps] == result.tokens + eos
    assert (trace.model_name, trace.task, trace.text) == (translator.name, "translation", TEXT)


def test_the_axes_name_what_is_read_and_what_is_given(translator: Translator):
    trace = translator.trace(TEXT)
    source, target = trace.axes["source"], trace.axes["target"]
    ids = translator.tokenizers.source.encode(TEXT)
    assert source.tokens[:-1] == translator.tokenizers.source.tokens(ids)
    assert target.predicts is not None
    assert target.tokens[1:] == target.predicts[:-1]
    assert target.prompt == 1
    assert source.words is not None
    spelled = ["".join(source.tokens[a:b]).replace("▁", "") for a, b in source.words]
    assert spelled == [*TEXT[:-1].split()[:-1], "tree."]
    tap = trace["decoder.layers.1.cross"]
    assert (tap.rows, tap.columns) == (len(target.tokens), len(source.tokens))


def test_step_probabilities_are_the_decodes_own(translator: Translator):
    trace = translator.trace(TEXT, num_beams=2)
    assert trace.generation is not None
    for step in trace.generation.steps:
        probabilities = [each.probability for each in step.candidates]
        assert probabilities == sorted(probabilities, reverse=True)
        assert len(step.candidates) == 5
        assert step.probability <= probabilities[0] + 1e-6
    total = sum(torch.tensor(step.probability).log() for step in trace.generation.steps)
    length = len(trace.generation.steps)
    score = trace.generation.hypotheses[0].score
    penalty = translator.generation.length_penalty
    assert float(total / length**penalty) == pytest.approx(score, abs=1e-4)


def test_another_hypothesis_can_be_looked_at(translator: Translator):
    best, second = (translator.trace(TEXT, num_beams=3, hypothesis=n) for n in (0, 1))
    assert second.generation is not None
    assert best.generation is not None
    assert second.generation.shown == 1
    tokens = [step.token for step in second.generation.steps]
    assert tokens == second.generation.hypotheses[1].tokens
    assert tokens != best.generation.hypotheses[0].tokens


def test_a_given_translation_can_be_looked_at(translator: Translator):
    trace = translator.trace(TEXT, target="das alte haus.")
    assert trace.generation is not None
    assert trace.generation.hypotheses[0].text == "das alte haus."
    assert trace.generation.hypotheses[0].score is None


def test_a_loaded_trace_has_the_same_receipt(translator: Translator, tmp_path):
    trace = translator.trace(TEXT)
    trace.save(tmp_path / "t.safetensors")
    loaded = type(trace).load(tmp_path / "t.safetensors")
    assert loaded.receipt == trace.receipt
    assert trace.receipt.row_sum_error < 2e-6


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_a_copied_or_pickled_trace_is_the_same_and_has_its_model(translator, copied: Callable):
    trace = translator.trace(TEXT)
    other = copied(trace)
    assert all(torch.equal(trace[name].weights(), other[name].weights()) for name in trace)
    asked = {"what": "token", "tap": "decoder.layers.1.cross", "key": 2}
    assert ablate(other, **asked) == ablate(trace, **asked)
    assert len(pickle.dumps(trace)) < 2**21  # and not the blocks that its tensors lie in
    struck = copied(translator.trace(TEXT, without=[1]))
    assert struck.notes[-1].startswith("struck out")


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (lambda t: t.trace("  "), "there is no text to look at"),
        (lambda t: t.trace("dog " * 99), "a text may have 63 tokens with untrained; got"),
        (lambda t: t.trace(TEXT, target=" "), "the target is empty"),
        (lambda t: t.trace(TEXT, target="hund " * 99), "a target may have 63 tokens"),
        (lambda t: t.trace(TEXT, num_beams=2, hypothesis=2), "found hypotheses 0 to 1; got 2"),
        (lambda t: t.trace(TEXT, target="hund", hypothesis=1), "a given target is hypothesis 0"),
        (lambda t: t.trace(TEXT, beams=2), "beams"),
    ],
)
def test_what_cannot_be_traced_is_refused(translator: Translator, run: Callable, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        run(translator)


def test_a_text_of_several_sentences_is_looked_at_sentence_by_sentence(
    translator: Translator,
) -> None:
    text = "the old dog sees a tree. - Write to {name}!\n42\na child."
    its = [translator.trace(text, sentence=number) for number in (1, 2, 3)]
    alone = translator.trace("a child.")
    assert its[2].axes == alone.axes
    assert [trace.notes[1] for trace in its] == [f"sentence {k} of 3" for k in (1, 2, 3)]
    assert its[1].notes[2] == "Boston stands for {name}"
    assert translator.trace(text).axes == its[0].axes
    assert translator.trace(text).text == text
    assert len(translator.trace(text, target="ein hund.").axes["source"].tokens) > 20
    for number in (0, 4):
        with pytest.raises(RegardError, match=f"from 1 to 3, as the text has them; got {number}"):
            translator.trace(text, sentence=number)
