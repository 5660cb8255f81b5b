"""The road's examples run offline in seconds, draw their pictures, and show what they say."""

import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("skimage")
pytest.importorskip("statsmodels")

FOLDER = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(
    path.stem for pattern in ("[0-9][0-9]_*.py", "why_*.py") for path in FOLDER.glob(pattern)
)


@pytest.mark.long("runs an example")
@pytest.mark.parametrize("name", SCRIPTS)
def test_it_prints_numbers_and_draws_its_picture(name, ran):
    run = ran(name)
    assert re.search(r"\d", run.printed)
    assert all(isinstance(value, int | float) for value in run.numbers.values())
    drawn = {file for file in run.drawn if file.startswith(name) and file.endswith(".svg")}
    assert run.drawn == drawn
    assert bool(drawn) == (name != "why_path_length")


def test_the_first_rungs_are_each_nearer_to_the_truth(numbers):
    average, oracle, window, kernel = (
        numbers(name)
        for name in (
            "01_plain_average",
            "02_oracle_weights",
            "03_local_window",
            "04_kernel_regression",
        )
    )
    assert average["spread"] < 1e-12
    assert average["weight"] == pytest.approx(1 / 120)
    assert oracle["average"] == average["error"]
    assert oracle["error"] < kernel["error"] < window["error"] < average["measured"]
    assert average["measured"] < average["error"]
    assert window["error"] < min(window["narrowest"], window["widest"])


def test_kernel_regression_is_statsmodels(numbers):
    assert numbers("04_kernel_regression")["from_statsmodels"] < 1e-6


def test_non_local_means_beat_a_local_mean_and_equal_scikit_image(numbers):
    measured = numbers("05_non_local_means")
    noisy, mean, ours, theirs = (value for name, value in measured.items() if "PSNR" in name)
    assert ours > mean + 1 > noisy + 1
    assert abs(ours - theirs) < 0.3
    _, mean, ours, _ = (value for name, value in measured.items() if "SSIM" in name)
    assert ours > mean


def test_a_word_attends_to_itself_unless_the_dot_products_are_scaled(numbers):
    plain, scaled = numbers("06_self_attention"), numbers("07_scaled")
    assert plain["row_sum"] == pytest.approx(1)
    assert plain["from_weights"] < 1e-5
    assert plain["least_own"] > 0.5
    assert scaled["own_dot"] > scaled["own_scaled_dot"]
    assert scaled["money_scaled_dot"] > 0.05 > abs(scaled["money_dot"])
    assert scaled["river_scaled_dot"] < -0.05


def test_three_views_find_what_similarity_does_not(numbers):
    measured = numbers("08_query_key_value")
    assert measured["error"] < 0.01 < 0.5 < measured["without"]
    assert measured["found"] == 1


def test_two_heads_give_two_answers_and_one_a_mixture(numbers):
    measured = numbers("09_heads")
    assert measured["two"] < 0.01
    # The mean of two independent numbers is wrong about each by half of their difference.
    assert measured["one"] == pytest.approx(0.5, abs=0.05)


def test_what_is_masked_leaves_no_trace(numbers):
    measured = numbers("10_masks")
    assert measured["leak"] == 0
    assert measured["moved"] > 0.1
    assert measured["padding"] < 1e-5


def test_a_word_of_another_sentence_finds_its_like(numbers):
    measured = numbers("11_cross_attention")
    assert measured["found"] == 1
    assert measured["least"] > 1 / 3


def test_scores_grow_with_the_dimension_and_gradients_go_unless_scaled(numbers, example):
    measured = numbers("why_scale")
    dims = example("why_scale").DIMS
    for dim in dims:
        assert measured[f"variance_dot_{dim}"] == pytest.approx(dim, rel=0.1)
        assert measured[f"variance_scaled_dot_{dim}"] == pytest.approx(1, rel=0.1)
        assert measured[f"bits_scaled_dot_{dim}"] > 0.8 * measured["most_bits"]
    assert measured[f"bits_dot_{dims[-1]}"] < 0.05 * measured["most_bits"]
    assert measured[f"gradient_dot_{dims[-1]}"] < measured[f"gradient_scaled_dot_{dims[-1]}"] / 100


def test_only_without_positions_does_order_not_matter(numbers):
    changes = dict(numbers("why_positions"))
    assert changes.pop("no positions") < 1e-6
    assert len(changes) == 4
    assert min(changes.values()) > 0.01


def test_a_shift_is_a_matrix_and_signs_are_binary_digits(numbers):
    measured = numbers("why_sinusoids")
    assert measured["digits"] == 1
    assert max(measured["shift"], measured["composed"], measured["turned"]) < 1e-12


def test_one_fixed_context_loses_what_attention_looks_up(numbers):
    measured = numbers("why_path_length")
    right = [value for name, value in measured.items() if name.endswith("right")]
    assert right[0] < 0.65 < 0.75 < min(right[1:])
    assert [value for name, value in measured.items() if name.endswith("path")] == [8, 1, 1]


def test_two_rules_need_products_of_words_with_distances(numbers):
    measured = numbers("why_three_products")
    shares = list(measured.values())
    assert shares == sorted(shares)
    assert shares[0] < 0.5 < shares[1] < 0.8 < shares[3]
