"""A word that is struck out is seen by no other position; a head or an edge that is off is off."""

import pytest
import torch

import regard
from regard import RegardError
from regard.inspection import Trace
from regard.inspection.hiding import Edge, Head, Look, Position, SwitchedOff, check_parts, part_of
from regard.inspection.models import hiding, switched_off, traced
from regard.inspection.views.ablation import ablate
from regard.inspection.views.needed import reliances
from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    RecurrentConfig,
    RecurrentEncoderDecoder,
)
from regard.models.layers import MultiHeadAttention
from regard.tasks.translation.task import Translator

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
            torch.nn.init.normal_(parameter, std=1.0)
    return model


def off(model: EncoderDecoder, names: list) -> SwitchedOff:
    """The parts of these names; a dictionary among them is of looks."""
    (looks,) = [name for name in names if isinstance(name, dict)] or [{}]
    names = [name for name in names if not isinstance(name, dict)]
    return switched_off(model, names, {"source": SOURCE.shape[1]}, looks)


def by_hand(monkeypatch, model: torch.nn.Module, drawn: dict) -> None:
    """Compute attention from the modules' own projections, with these weights in place of theirs.

    `drawn` has, for a module's name, rows of weights by (head, query).
    """
    names = {id(module): name for name, module in model.named_modules()}
    own = MultiHeadAttention.forward

    def forward(self, input, memory=None, **others):
        rows = drawn.get(names[id(self)])
        if rows is None:
            return own(self, input, memory, **others)
        read = input if memory is None else memory
        projections = (self.query(input), self.key(read), self.value(read))
        query, key, value = (
            each.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for each in projections
        )
        scores = query @ key.mT / self.head_dim**0.5
        if memory is None and names[id(self)].startswith("decoder"):
            scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
        weights = scores.softmax(-1)
        for (head, row), hand in rows.items():
            weights[:, head, row] = torch.tensor(hand)
        return self.output((weights @ value).transpose(1, 2).flatten(2))

    monkeypatch.setattr(MultiHeadAttention, "forward", forward)


def line(key: int, length: int = 7) -> list[float]:
    return [float(at == key) for at in range(length)]


def test_a_look_is_a_hand_made_row_in_every_head_and_layer(model: EncoderDecoder, monkeypatch):
    trace = struck(model, SOURCE, [{2: 5}])
    rows = {(head, 2): line(5) for head in (0, 1)}
    whole = struck(model, SOURCE, [])
    paths = [f"decoder.layers.{layer}.cross_attention" for layer in (0, 1)]
    by_hand(monkeypatch, model, dict.fromkeys(paths, rows))
    expected = model(SOURCE, TARGET)
    torch.testing.assert_close(trace.output, expected, rtol=1e-4, atol=1e-5)
    assert torch.equal(trace.output[:, :2], whole.output[:, :2])  # what stands before is untouched
    assert not torch.allclose(trace.output[:, 2:], whole.output[:, 2:], atol=1e-2)
    for layer in (0, 1):
        weights = trace[f"decoder.layers.{layer}.cross"].weights()
        assert weights[:, 2].tolist() == [line(5)] * 2


def test_a_look_of_one_head_leaves_the_others_alone(model: EncoderDecoder, monkeypatch):
    tap = "decoder.layers.1.cross"
    trace, whole = struck(model, SOURCE, [{f"{tap}:1:3": 0}]), struck(model, SOURCE, [])
    by_hand(monkeypatch, model, {"decoder.layers.1.cross_attention": {(1, 3): line(0)}})
    torch.testing.assert_close(trace.output, model(SOURCE, TARGET), rtol=1e-4, atol=1e-5)
    monkeypatch.undo()
    assert torch.equal(trace[tap].weights(0), whole[tap].weights(0))
    layer = struck(model, SOURCE, [{f"{tap}:3": 0}])
    assert layer[tap].weights()[:, 3].tolist() == [line(0)] * 2
    assert not torch.allclose(layer.output, trace.output, atol=1e-3)


def test_the_keys_of_several_looks_share_the_row_evenly(model: EncoderDecoder, monkeypatch):
    tap = "decoder.layers.0.cross"
    trace = struck(model, SOURCE, [{f"{tap}:2": [1, 4]}])
    expected = [(line(1)[k] + line(4)[k]) / 2 for k in range(7)]
    assert trace[tap].weights()[:, 2].tolist() == [pytest.approx(expected)] * 2
    rows = {(head, 2): expected for head in (0, 1)}
    by_hand(monkeypatch, model, {"decoder.layers.0.cross_attention": rows})
    torch.testing.assert_close(trace.output, model(SOURCE, TARGET), rtol=1e-4, atol=1e-5)


def test_a_position_of_an_encoder_can_look_elsewhere(monkeypatch):
    torch.manual_seed(5)
    config = EncoderConfig(31, d_model=12, d_ff=20, num_layers=2, num_heads=3, max_positions=11)
    encoder = Encoder(config).eval()
    trace = traced(encoder, {"ids": SOURCE}, without=switched_off(encoder, [], {}, {3: 6}))
    rows = {(head, 3): line(6) for head in range(3)}
    by_hand(
        monkeypatch, encoder, {f"encoder.layers.{layer}.self_attention": rows for layer in (0, 1)}
    )
    torch.testing.assert_close(trace.output, encoder(SOURCE), rtol=1e-4, atol=1e-5)
    pulled = "pulled: “30” sees “1” alone, in encoder.layers.0.self, encoder.layers.1.self"
    assert pulled in trace.notes


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ([{2: 7}], "positions of source must be from 0 to 6; got 7"),
        ([{5: 1}], "rows of target must be from 0 to 4; got 5"),
        ([{"decoder.layers.0.cross:2:1": 1}], "has heads 0 to 1; got 2"),
        ([{"decoder.layers.7.cross:2": 1}], "tap must be one of encoder.layers.0.self"),
        ([{"Tasse": 1}], "a look must be a row and the position that it looks at, such as 4:8"),
        ([{2: "x"}], "a look must be"),
        ([{"decoder.layers.0.self:1": 3}], "sees no later position; got a look from 1 to 3"),
        ([4, {2: 4}], "position 4 of source is struck out, so nothing can look at it"),
    ],
)
def test_a_look_that_there_cannot_be_is_refused(model: EncoderDecoder, names, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        struck(model, SOURCE, names)


def struck(model: EncoderDecoder, source: torch.Tensor, names: list) -> Trace:
    return traced(model, {"source": source, "target": TARGET}, without=off(model, names))


def test_what_stands_at_a_struck_position_changes_nothing(model: EncoderDecoder):
    other = SOURCE.clone()
    other[0, STRUCK] = torch.tensor([17, 23])
    one, two = struck(model, SOURCE, STRUCK), struck(model, other, STRUCK)
    assert torch.equal(one.output, two.output)
    assert not torch.allclose(struck(model, SOURCE, []).output, one.output, atol=1e-3)


@pytest.mark.parametrize(
    "names",
    [
        STRUCK,
        ["target:1"],
        ["decoder.layers.1.cross:1", "encoder.layers.0.self:2"],
        [f"decoder.layers.1.cross:{head}:3:{key}" for head in (0, 1) for key in (0, 1, 3, 4, 5, 6)],
        [f"decoder.layers.1.self:{head}:3:{key}" for head in (0, 1) for key in (0, 1, 2)],
        ["encoder.layers.1.self:1:2:4", 1, "decoder.layers.0.cross:0:2:3"],
        [{"2": 3, "decoder.layers.1.cross:0:4": [1, 5], "decoder.layers.0.self:1:3": 1}],
    ],
)
def test_decoding_under_it_gives_the_logits_of_the_one_pass(model: EncoderDecoder, names: list):
    read = model.shift_right(TARGET)
    with torch.no_grad(), hiding(model, off(model, names)):
        state = model.start(SOURCE)
        steps = torch.stack([state.step(read[:, k]) for k in range(read.shape[1])], 1)
    whole = struck(model, SOURCE, [])
    trace = struck(model, SOURCE, names)
    torch.testing.assert_close(steps, trace.output, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(whole.output, trace.output, atol=1e-3)


def test_a_run_without_a_head_or_an_edge_is_what_their_ablation_says(model: EncoderDecoder):
    cross, whole = "decoder.layers.1.cross", struck(model, SOURCE, [])
    for what, name in (("head", f"{cross}:1"), ("edge", f"{cross}:1:3:5")):
        found = ablate(whole, what, cross, head=1, query=3, key=5, step=3)
        token = int(whole.output[0, 3].argmax())
        after = struck(model, SOURCE, [name]).output.softmax(-1)[0, 3, token]
        assert found.after == pytest.approx(float(after), abs=1e-6)
        assert found.delta != 0


def test_an_edge_that_is_off_has_no_weight_in_the_map_and_its_row_sums_to_one(model):
    tap = struck(model, SOURCE, ["decoder.layers.0.cross:1:3:5"])["decoder.layers.0.cross"]
    weights, whole = tap.weights(), struck(model, SOURCE, [])["decoder.layers.0.cross"].weights()
    assert weights[1, 3, 5] == 0
    assert weights[1, 3].sum() == pytest.approx(1)
    weights[1, 3], whole[1, 3] = 0, 0
    torch.testing.assert_close(weights, whole)


def test_the_notes_say_what_is_off(model: EncoderDecoder):
    names = ["decoder.layers.0.cross:1:3:5", "encoder.layers.0.self:2", 4, "target:1"]
    assert struck(model, SOURCE, names).notes == [
        "struck out: no other position sees “7”, “4”",
        "switched off: head 2 of encoder.layers.0.self",
        "switched off: “13” to “11”, in head 1 of decoder.layers.0.cross",
    ]


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
    nothing = SwitchedOff().under(lambda tap, call: None)
    torch.testing.assert_close(trace.rerun(nothing), trace.output)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (7, "positions of source must be from 0 to 6; got 7"),
        ("-1", "a part to switch off must be a position such as 3"),
        ("decoder.layers.1.cross:2", "has heads 0 to 1; got 2"),
        ("decoder.layers.1.cross:1:0:7", "positions of source must be from 0 to 6; got 7"),
        ("decoder.layers.9.cross:1", "tap must be one of encoder.layers.0.self"),
        ("decoder.layers.1.cross:1:2", "a part to switch off must be"),
        ("source:1:2:3", "a part to switch off must be"),
        ("", "a part to switch off must be"),
    ],
)
def test_a_part_that_there_is_not_is_refused(model: EncoderDecoder, name, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        off(model, [name])


def test_the_names_of_parts():
    axes = ("source", "target")
    assert part_of(3, axes) == part_of("source:3", axes) == Position("source", 3)
    assert part_of("target:3", axes) == Position("target", 3)
    assert part_of("a.b:3", axes) == Head("a.b", 3)
    assert part_of("a.b:3:0:4", axes) == Edge("a.b", 3, 0, 4)
    parts = [Edge("a", 1, 0, 0), Position("source", 4), Head("a", 0), Position("source", 4)]
    found = check_parts(parts, {}, {"a": 2}, lambda tap: ("target", "source"))
    assert found == (Position("source", 4), Head("a", 0), Edge("a", 1, 0, 0))
    looks = [Look("a", 1, 2, 3), Look("a", None, 2, 3)]
    found = check_parts(looks, {}, {"a": 2}, lambda tap: ("target", "source"))
    assert found == (looks[1], looks[0])


def test_a_recurrent_model_is_refused():
    config = RecurrentConfig(31, d_model=8, encoder_layers=1, decoder_layers=1)
    with pytest.raises(RegardError, match="this model is a RecurrentEncoderDecoder"):
        switched_off(RecurrentEncoderDecoder(config).eval(), [1], {})


def test_a_language_model_continues_as_its_one_pass_says():
    torch.manual_seed(1)
    config = DecoderConfig(31, d_model=12, d_ff=20, num_layers=2, num_heads=2, max_positions=11)
    decoder = Decoder(config).eval()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter, std=1.0)
    names = [2, "decoder.layers.1.self:1", "decoder.layers.0.self:0:5:3"]
    without = switched_off(decoder, names, {"tokens": 7})
    with torch.no_grad(), hiding(decoder, without):
        state = decoder.start(torch.ones(1, 4, dtype=torch.bool))
        first = state.step(SOURCE[:, :4])
        steps = torch.stack([first, *(state.step(SOURCE[:, k]) for k in range(4, 7))], 1)
    trace = traced(decoder, {"ids": SOURCE}, without=without)
    torch.testing.assert_close(steps, trace.output[:, 3:], rtol=1e-4, atol=1e-5)
    whole = traced(decoder, {"ids": SOURCE})
    assert not torch.allclose(whole.output[:, 3:], steps, atol=1e-3)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return regard.load("en-de")


def test_a_struck_word_is_missing_from_the_translation(translator: Translator):
    text = "I would like to drink a cup of tea with my friends."
    tokens = translator.trace(text, num_beams=1).axes["source"].tokens
    generation = translator.trace(text, without=[tokens.index("▁my")], num_beams=4).generation
    assert generation is not None
    written = generation.hypotheses[generation.shown].text
    assert "meinen" not in written
    assert "Freunden" in written


def written(trace: Trace) -> str:
    assert trace.generation is not None
    return trace.generation.hypotheses[trace.generation.shown].text


CUP = "I would like to drink a cup of tea with my friends."


@pytest.mark.parametrize(
    ("looks", "word"),
    [
        ({"row": "tea"}, "Tee"),
        ({"Tasse": "tea"}, "Tee"),
        (("Tasse:tea",), "Tee"),
        ({"Tasse": "friends"}, "Freunde"),
    ],
)
def test_a_word_that_looks_elsewhere_is_another_word(translator: Translator, looks, word: str):
    trace = translator.trace(CUP)
    before = written(trace).split()
    if "row" in looks:
        pieces, tea = trace.axes["target"].predicts, trace.axes["source"].tokens.index("▁tea")
        looks = {row: tea for row, piece in enumerate(pieces) if piece == "▁T"}
    words, place = written(translator.trace(CUP, looks=looks)).split(), before.index("Tasse")
    assert words[:place] == before[:place]
    assert words[place].startswith(word)


def test_what_stands_before_a_look_stays_whatever_the_beams_would_rather_write(
    translator: Translator,
):
    whole = translator.trace(CUP)
    for row in (3, 5, 8):
        trace = translator.trace(CUP, looks={row: 4})
        assert trace.output_ids is not None
        assert trace.output_ids[:row] == whole.output_ids[:row]
        assert trace.output_ids != whole.output_ids
        assert not any(note.startswith("forced") for note in trace.notes)


@pytest.mark.parametrize(
    ("looks", "sentence"),
    [
        ({"Tasse": "coffee"}, "a word of source must be one of I, would, like"),
        ({"Kanne": "tea"}, "a word of target must be one of Ich, würde"),
        ({"Ich": "my"}, "the word 'my' stands in source 2 times, at positions 2, 5; name a"),
    ],
)
def test_a_word_that_is_not_there_or_twice_is_refused(translator: Translator, looks, sentence):
    text = "I drink my tea with my friends." if "Ich" in looks else CUP
    with pytest.raises(RegardError, match=sentence):
        translator.trace(text, looks=looks)


def test_the_reliance_on_a_word_is_what_the_same_output_loses_without_it(translator: Translator):
    text = "My friends drink tea."
    trace = translator.trace(text, num_beams=1)
    assert trace.generation is not None
    written = trace.generation.hypotheses[0].text

    def score(without: list[int]) -> torch.Tensor:
        steps = translator.trace(text, target=written, without=without).generation.steps
        return torch.tensor([step.probability for step in steps])

    found = list(reliances(trace))
    whole = score([])
    assert [(each.first, each.end) for each in found] == trace.axes["source"].words
    for each in found:
        without = score(list(range(each.first, each.end)))
        assert each.change == pytest.approx(float((without / whole).log().sum()), abs=1e-3)
        assert each.changes == pytest.approx((without - whole).tolist(), abs=1e-4)
    assert min(each.change for each in found) < -1


def test_a_label_relies_on_a_word_as_much_as_its_probability_falls_without_it():
    classifier = regard.load("emotions")
    trace = classifier.trace("What a lovely surprise!")
    found = list(reliances(trace))
    assert [(each.first, each.end) for each in found] == trace.axes["tokens"].words
    best = trace.labels[0]
    off = ablate(trace, "token", "encoder.layers.0.self", key=3)
    assert (off.token, off.before) == (best.token, pytest.approx(best.probability, abs=1e-5))
    lovely = next(each for each in found if each.first == 3)
    assert torch.tensor(lovely.change).exp() * off.before == pytest.approx(off.after, abs=1e-5)
    assert lovely.changes == [pytest.approx(off.delta, abs=1e-5)]
    assert min(each.change for each in found) == lovely.change < -2


def test_a_trace_without_its_model_knows_no_reliance(model: EncoderDecoder, tmp_path):
    with pytest.raises(RegardError, match="known for a text or a label"):
        next(reliances(regard.trace(model, source=SOURCE, target=TARGET)))


@pytest.mark.parametrize("num_beams", [1, 3])
def test_a_translator_writes_without_a_word_by_each_engine_what_torch_writes(
    translator: Translator, num_beams: int
):
    text, hidden = "My old friends drink a cup of tea.", [3, 5]
    torch_model = translator.run_by("torch").model
    with hiding(torch_model, switched_off(torch_model, hidden, {})):
        ids = translator.read(text)
        config = translator.configured({"num_beams": num_beams, "alternatives": num_beams})
        expected = translator.run_by("torch")._decoded([ids], config, [0], 1)[0]
    for engine, precision in (("torch", None), ("native", "fp32")):
        task = translator.run_by(engine, precision=precision)
        trace = task.trace(text, without=hidden, num_beams=num_beams)
        assert trace.generation is not None
        for found, other in zip(trace.generation.hypotheses, expected, strict=True):
            assert found.score == pytest.approx(other.score, abs=1e-4)
        assert trace.output_ids == list(expected[0].tokens)
