"""Speed, time left and the sentence after an interrupt."""

import json

import pytest

from regard.cli.training_display import Speed, TrainingDisplay, evaluation_line, fraction_done
from regard.training import Progress


def test_speed_leaves_out_the_time_of_evaluations(monkeypatch):
    clock = iter([0.0, 2.0, 12.0, 14.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    speed = Speed(weight=0.5)
    speed.update(0, evaluating=False)
    speed.update(200, evaluating=False)
    assert speed.tokens_per_second == 100
    speed.update(200, evaluating=True)  # ten seconds
    speed.update(600, evaluating=False)
    assert speed.tokens_per_second == 0.5 * 100 + 0.5 * 200


def test_speed_begins_anew_with_another_run(monkeypatch):
    clock = iter([0.0, 2.0, 50.0, 51.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    speed = Speed(weight=0.5)
    speed.update(0, evaluating=False)
    speed.update(200, evaluating=False)
    speed.update(30, evaluating=False)
    assert speed.tokens_per_second == 0
    speed.update(70, evaluating=False)
    assert speed.tokens_per_second == 40


@pytest.mark.parametrize(
    ("max_steps", "max_minutes", "expected"),
    [(None, None, None), (40, None, 0.25), (None, 2.0, 0.5), (40, 2.0, 0.5), (5, None, 1.0)],
)
def test_the_nearer_limit_says_how_much_is_done(max_steps, max_minutes, expected):
    assert fraction_done(Progress(step=10, seconds=60.0), max_steps, max_minutes) == expected


def test_an_interrupt_says_how_to_go_on(capsys):
    def interrupted() -> None:
        with TrainingDisplay(None, None, shown={}):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "the same command resumes from the last checkpoint" in capsys.readouterr().err


def test_of_a_cross_validation_a_line_of_json_says_its_fold_and_no_line_says_best(capsys):
    progress = Progress(step=3, best_step=3)
    entries, plain = TrainingDisplay(None, None, as_json=True), TrainingDisplay(None, None)
    for fold in (None, 2, 0):
        for display in (entries, plain):
            if fold is not None:
                display.begin(fold)
            display.watch("evaluate", progress)
    out, err = capsys.readouterr()
    assert [json.loads(line).get("fold") for line in out.splitlines()] == [None, 2, None]
    assert ["best" in line for line in err.splitlines()] == [True, False, False]


def test_control_characters_of_a_label_do_not_reach_the_terminal(capsys):
    TrainingDisplay(None, None).say("2 labels: a\x1b[2J\x07, b")
    assert capsys.readouterr().err == "2 labels: a\\x1b[2J\\x07, b\n"


def test_an_evaluation_shows_the_figures_that_it_has():
    progress = Progress(step=3, figures={"loss": 0.5, "mrr": 0.25})
    shown = {"loss": "dev loss {:.3f}", "mrr": "MRR {:.3f}", "spearman": "Spearman {:.3f}"}
    line = evaluation_line(progress, 10.0, shown)
    assert "dev loss 0.500  MRR 0.250" in line
    assert "Spearman" not in line
