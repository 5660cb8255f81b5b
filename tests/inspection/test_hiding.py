"""A word that is struck out of the source is seen by no other position, and keeps its place."""

import pytest
import torch

import regard
from regard import RegardError
from regard.inspection import Trace
from regard.inspection.hiding import HiddenSource, check_hidden
from regard.inspection.models import hiding, traced
from regard.inspection.views.ablation import ablate
from regard.inspection.views.reliance import reliances
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from regard.translation.translator import Translator

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1]])
TARGET = torch.tensor([[4, 22, 13, 6, 1]])
STRUCK = [1, 4]


@pytest.fixture(scope="module")
def model() -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(
        31, d_model=12, d_ff=20, encoder_layers=2, decoder_layers=2, encoder_heads=3,
        decoder_heads=2, max_positions=11,
    )  # fmt: skip
    model = EncoderDecoder(config).eval()
    for parameter in model.parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.5)
    return model


def struck(model: EncoderDecoder, source: torch.Tensor, hidden: list[int]) -> Trace:
    return traced(model, {"source": source, "target": TARGET}, hidden=hidden)


def test_what_stands_at_a_struck_position_changes_nothing(model: EncoderDecoder):
    other = SOURCE.clone()
    other[0, STRUCK] = torch.tensor([17, 23])
    one, two = struck(model, SOURCE, STRUCK), struck(model, other, STRUCK)
    assert torch.equal(one.output, two.output)
    assert not torch.allclose(struck(model, SOURCE, []).output, one.output, atol=1e-3)


def test_decoding_under_it_gives_the_logits_of_the_one_pass(model: EncoderDecoder):
    read = model.shift_right(TARGET)
    with torch.no_grad(), hiding(model, STRUCK):
        state = model.start(SOURCE)
        steps = torch.stack([state.step(read[:, k]) for k in range(read.shape[1])], 1)
    torch.testing.assert_close(steps, struck(model, SOURCE, STRUCK).output, rtol=1e-4, atol=1e-5)


def test_the_maps_have_no_weight_on_a_struck_key_but_its_own(model: EncoderDecoder):
    trace = struck(model, SOURCE, STRUCK)
    cross = trace["decoder.layers.1.cross"].weights()
    own = trace["encoder.layers.1.self"].weights()
    assert (cross[:, :, STRUCK] == 0).all()
    assert (own[:, 0, STRUCK] == 0).all()
    assert (own[:, 4, 4] > 0).all()
    torch.testing.assert_close(cross.sum(-1), torch.ones(2, 5))
    assert trace.notes == ["struck out: no other position sees “9”, “7”"]


def test_an_ablation_of_such_a_run_keeps_it_struck(model: EncoderDecoder):
    trace = struck(model, SOURCE, STRUCK)
    found = ablate(trace, "token", "decoder.layers.0.cross", key=4, step=0)
    assert found.delta == pytest.approx(0, abs=1e-6)  # it is hidden already


def test_an_edit_that_changes_nothing_leaves_the_run_struck(model: EncoderDecoder):
    trace = struck(model, SOURCE, STRUCK)
    assert trace.rerun is not None
    torch.testing.assert_close(trace.rerun(lambda tap, call: None), trace.output)
    nothing = HiddenSource().under(lambda tap, call: None)
    torch.testing.assert_close(trace.rerun(nothing), trace.output)


@pytest.mark.parametrize(("positions", "got"), [([7], "got 7"), ([2, -1], "got -1")])
def test_a_position_that_there_is_not_is_refused(positions: list[int], got: str):
    with pytest.raises(RegardError, match=f"from 0 to 6; {got}"):
        check_hidden(positions, 7)
    assert check_hidden([4, 1, 4], 7) == (1, 4)


def test_a_recurrent_model_is_refused():
    config = RecurrentConfig(31, d_model=8, encoder_layers=1, decoder_layers=1)
    with (
        pytest.raises(RegardError, match="this model is a RecurrentEncoderDecoder"),
        hiding(RecurrentEncoderDecoder(config).eval(), [1]),
    ):
        pass


@pytest.fixture(scope="module")
def translator() -> Translator:
    return regard.load("en-de")


def test_a_struck_word_is_missing_from_the_translation(translator: Translator):
    text = "I would like to drink a cup of tea with my friends."
    tokens = translator.trace(text, num_beams=1).axes["source"].tokens
    generation = translator.trace(text, hidden=[tokens.index("▁my")], num_beams=4).generation
    assert generation is not None
    written = generation.hypotheses[generation.shown].text
    assert "meinen" not in written
    assert "Freunden" in written


def test_the_reliance_on_a_word_is_what_the_same_output_loses_without_it(translator: Translator):
    text = "My friends drink tea."
    trace = translator.trace(text, num_beams=1)
    assert trace.generation is not None
    written = trace.generation.hypotheses[0].text

    def score(hidden: list[int]) -> float:
        steps = translator.trace(text, target=written, hidden=hidden).generation.steps
        return sum(float(torch.tensor(step.probability).log()) for step in steps)

    found = reliances(trace)
    whole = score([])
    assert [(each.first, each.end) for each in found] == trace.axes["source"].words
    for each in found:
        expected = score(list(range(each.first, each.end))) - whole
        assert each.change == pytest.approx(expected, abs=1e-3)
    assert min(each.change for each in found) < -1


def test_a_trace_without_its_model_knows_no_reliance(model: EncoderDecoder, tmp_path):
    with pytest.raises(RegardError, match="known for a translation or a summary"):
        reliances(regard.trace(model, source=SOURCE, target=TARGET))
