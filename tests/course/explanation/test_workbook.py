"""The workbook, recalculated by a program that knows nothing of us, gives the model's numbers."""

import sys
import warnings

import numpy as np
import pytest
import torch
from openpyxl import load_workbook

from regard import RegardError
from regard.attention import Dense
from regard.course.explanation import explain_vectors, random_projections
from regard.course.explanation.workbook import workbook
from regard.course.explanation.workbook_formulas import Formulas, address

formulas = pytest.importorskip("formulas")
pytest.importorskip("xlsxwriter")

MASK = Dense(torch.tensor([[True, False], [False, False]]))


def given(tokens=2, dim=4, **options):
    draw = torch.Generator().manual_seed(tokens)
    return explain_vectors(
        list("abcdef")[:tokens], torch.randn(tokens, dim, generator=draw), **options
    )


def recalculated(path, explanation, **changed):
    """Every step's numbers as `formulas` computes them, −∞ where a cell is empty.

    Args:
        changed: a number to be put into the first cell of a sheet.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library's own
        model = formulas.ExcelModel().loads(str(path)).finish()

        def key(name, cell):
            return f"'[{path.name}]{name.upper()}'!{cell}"

        sheets = Formulas(explanation)
        inputs = {key(name, address(4, 1)): number for name, number in changed.items()}
        solution = model.calculate(inputs=inputs)
    found = {}
    for step in explanation.steps:
        values = np.full(step.array.shape, -np.inf)
        for at, _ in np.ndenumerate(values):
            cell = sheets.cell(step.name, *at).split("!")[1]
            value = solution[key(step.name, cell)].value[0, 0]
            values[at] = -np.inf if value == "" else value
        found[step.name] = values
    return found


def agree(path, explanation):
    found = recalculated(path, explanation)
    for step in explanation.steps:
        assert np.allclose(found[step.name], step.array, rtol=0, atol=1e-6), step.name


def test_every_step_is_recalculated_to_the_models_numbers(tmp_path):
    explanation = given(
        heads=2, positions=True, mask=MASK, temperature=0.7, **random_projections(4, 2, 2)
    )
    workbook(explanation, tmp_path / "a.xlsx")
    agree(tmp_path / "a.xlsx", explanation)


def test_a_models_layer_with_everything_around_it_agrees(tmp_path):
    from regard.course.explanation import explain_tap, running
    from regard.models import EncoderDecoder, EncoderDecoderConfig

    torch.manual_seed(1)
    config = EncoderDecoderConfig(
        7, d_model=4, d_ff=3, encoder_heads=2, decoder_heads=2, encoder_layers=1, decoder_layers=1,
        norm="post",
    )  # fmt: skip
    model = EncoderDecoder(config).eval()
    run = running(model, source=torch.tensor([[3, 4]]), target=torch.tensor([[5, 1]]))
    explanation = explain_tap(model, run, "encoder.layers.0.self", ["a", "b"])
    workbook(explanation, tmp_path / "a.xlsx")
    agree(tmp_path / "a.xlsx", explanation)


def test_rotary_grouped_heads_and_rms_agree(tmp_path):
    from regard.course.explanation import explain_tap, running
    from regard.models import Decoder, DecoderConfig

    torch.manual_seed(1)
    config = DecoderConfig(
        7, d_model=4, d_ff=3, num_layers=1, num_heads=2, num_key_heads=1, head_dim=2,
        norm_kind="rms", positions="rotary", attention_bias=False,
    )  # fmt: skip
    model = Decoder(config).eval()
    run = running(model, ids=torch.tensor([[3, 4]]))
    explanation = explain_tap(model, run, "decoder.layers.0.self", ["a", "b"])
    workbook(explanation, tmp_path / "a.xlsx")
    agree(tmp_path / "a.xlsx", explanation)


@pytest.mark.parametrize("score", ["cosine", "gaussian", "average"])
def test_other_scores_agree(tmp_path, score):
    explanation = given(dim=2, score=score)
    workbook(explanation, tmp_path / "a.xlsx")
    agree(tmp_path / "a.xlsx", explanation)


def test_a_changed_number_changes_what_follows(tmp_path):
    vectors = torch.tensor([[0.5, -1.0], [2.0, 0.25]])
    before = explain_vectors(["a", "b"], vectors)
    workbook(before, tmp_path / "a.xlsx")
    vectors[0, 0] = 3.0
    after = explain_vectors(["a", "b"], vectors)
    found = recalculated(tmp_path / "a.xlsx", before, vectors=3.0)
    for step in after.steps:
        assert np.allclose(found[step.name], step.array, rtol=0, atol=1e-6), step.name


def test_the_values_stand_beside_the_formulas(tmp_path):
    explanation = given(tokens=3, mask="causal")
    workbook(explanation, tmp_path / "a.xlsx")
    values = load_workbook(tmp_path / "a.xlsx", data_only=True)
    sheets = Formulas(explanation)
    for step in explanation.steps:
        for at, value in np.ndenumerate(step.array):
            shown = values[step.name][sheets.cell(step.name, *at).split("!")[1]].value
            assert (shown or -np.inf) == value if np.isinf(value) else np.isclose(shown, value)


def test_it_is_laid_out_to_be_read(tmp_path):
    explanation = given(tokens=3, heads=2)
    workbook(explanation, tmp_path / "a.xlsx")
    book = load_workbook(tmp_path / "a.xlsx")
    assert book.sheetnames == ["about", *(table.name for table in explanation)]
    about = [cell.value for row in book["about"].iter_rows() for cell in row if cell.value]
    assert all(step.sentence in about for step in explanation.steps)
    weights = book["weights"]
    assert weights.freeze_panes == "B4"
    assert weights.conditional_formatting
    assert [weights.cell(4, column).value for column in range(1, 5)] == ["head 0", "a", "b", "c"]
    assert weights["B5"].value.startswith("=IF(")
    assert isinstance(book["vectors"]["B5"].value, float)


def test_a_score_without_a_plain_formula_is_refused(tmp_path):
    explanation = given(score=lambda query, key: query @ key.mT)
    with pytest.raises(RegardError, match="a workbook has formulas for the scores dot, scaled_dot"):
        workbook(explanation, tmp_path / "a.xlsx")
    assert not (tmp_path / "a.xlsx").exists()


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(RegardError, match="pip install xlsxwriter"):
        workbook(given(), tmp_path / "a.xlsx")


def test_addresses_count_as_spreadsheets_do():
    assert [address(0, 0), address(4, 25), address(9, 26), address(0, 701), address(0, 702)] == [
        "A1", "Z5", "AA10", "ZZ1", "AAA1",
    ]  # fmt: skip
