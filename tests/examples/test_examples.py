"""Every example runs offline in seconds, draws its picture, and shows what it says."""

import json
import re
import runpy
import socket
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("skimage")
pytest.importorskip("statsmodels")

FOLDER = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(
    path.stem for pattern in ("[0-9][0-9]_*.py", "why_*.py") for path in FOLDER.glob(pattern)
)
INTRODUCED = sorted(path.stem for path in FOLDER.glob("intro_*.py"))
SECONDS = 60  # of processor time; a core that is shared with other work counts double


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs_offline_in_seconds_and_keeps_its_numbers_and_pictures(
    name, monkeypatch, capsys, tmp_path
):
    def refuse(*_: object) -> None:
        raise OSError("an example asked for the network")

    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--output", str(tmp_path / "new" / "folder")])
    monkeypatch.setattr(socket.socket, "connect", refuse)
    started = time.process_time()
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert time.process_time() - started < SECONDS

    said = capsys.readouterr().out
    assert re.search(r"\d", said)
    written = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    numbers = json.loads((tmp_path / "new" / "folder" / f"{name}.json").read_text("utf-8"))
    assert numbers
    assert all(isinstance(value, int | float) for value in numbers.values())
    assert any(file.startswith(name) and file.endswith(".svg") for file in written)


def test_a_file_in_the_folder_s_place_is_one_sentence(monkeypatch, capsys, tmp_path):
    monkeypatch.syspath_prepend(str(FOLDER))
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(sys, "argv", ["01_plain_average.py", "--output", str(file)])
    with pytest.raises(SystemExit):
        runpy.run_path(str(FOLDER / "01_plain_average.py"), run_name="__main__")
    assert f"--output must be a folder; {file} is a file." in capsys.readouterr().err


def test_the_story_tells_of_every_example_and_of_no_other():
    story = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| \[.*\]\((\w+)\.py\)", story, re.MULTILINE)) == {
        *SCRIPTS,
        *INTRODUCED,
    }


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
    assert oracle["error_average"] == average["error"]
    assert oracle["error"] < kernel["error"] < window["error"] < average["error_measured"]
    assert average["error_measured"] < average["error"]
    assert window["error"] < min(window["error_narrowest"], window["error_widest"])


def test_kernel_regression_is_statsmodels(numbers):
    assert numbers("04_kernel_regression")["from_statsmodels"] < 1e-6


def test_non_local_means_beat_a_local_mean_and_equal_scikit_image(numbers):
    measured = numbers("05_non_local_means")
    assert measured["psnr_ours"] > measured["psnr_mean"] + 1 > measured["psnr_noisy"] + 1
    assert measured["ssim_ours"] > measured["ssim_mean"]
    assert abs(measured["psnr_ours"] - measured["psnr_theirs"]) < 0.3


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
    assert measured["error"] < 0.01 < 0.5 < measured["error_without"]
    assert measured["found"] == 1


def test_two_heads_give_two_answers_and_one_a_mixture(numbers):
    measured = numbers("09_heads")
    assert measured["error_2_heads"] < 0.01
    # The mean of two independent numbers is wrong about each by half of their difference.
    assert measured["error_1_head"] == pytest.approx(0.5, abs=0.05)


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


def test_the_committed_copies_tell_what_the_lengths_cost(example):
    module: ModuleType = example("why_path_length")
    result = json.loads(module.RESULT.read_text(encoding="utf-8"))
    fixed, bahdanau, transformer = (result["models"][name] for name in module.NAMES)
    assert fixed["path"] == fixed["path_at"]
    assert set(bahdanau["path"]) == set(transformer["path"]) == {1}
    longest = fixed["right_at"].index(result["longest"])  # longer ones were never seen
    right = [rows["right"][longest] for rows in (fixed, bahdanau, transformer)]
    assert right[0] < 0.8 < 0.95 < min(right[1:])
    assert transformer["seconds"][-1] < fixed["seconds"][-1] < bahdanau["seconds"][-1]
    sizes = [rows["parameters"] for rows in (fixed, bahdanau, transformer)]
    assert max(sizes) < 1.2 * min(sizes)


def test_a_row_to_copy_is_symbols_and_an_end(example):
    task = example("copy_task")
    rows = task.rows(3, 5, seed=0)
    assert rows.shape == (3, 6)
    assert (rows[:, -1] == task.EOS).all()
    assert rows[:, :-1].min() > task.EOS
    assert rows.max() < task.VOCAB


def test_a_short_training_lowers_the_loss_of_every_model(example):
    task = example("copy_task")
    for name in task.NAMES:
        model = task.build(name, width=16)
        before = task.copy_loss(model, task.rows(32, 2, seed=0)).item()
        task.train(model, longest=2, steps=30)
        assert task.copy_loss(model, task.rows(32, 2, seed=0)).item() < 0.9 * before
