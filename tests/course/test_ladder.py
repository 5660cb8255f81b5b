"""Three trainings on the same pairs, and what they came to."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from regard import RegardError
from regard.course import ladder as module
from regard.course.ladder import Ladder, RungResult, by_length, climb, markdown, words
from regard.data import read_pairs
from regard.tasks.translation.task import Translator
from regard.tasks.translation.train_options import TrainingOptions
from regard.training import Progress
from regard.training.sequence_scores import mean_loss

Pairs = list[tuple[str, str]]
NAMES = ["fixed-context", "bahdanau", "transformer"]


@pytest.fixture(scope="module")
def climbed(
    tmp_path_factory: pytest.TempPathFactory,
    made_up: Callable[[int], Pairs],
    write: Callable[[Path, Pairs], Path],
) -> tuple[Ladder, Path, TrainingOptions]:
    folder = tmp_path_factory.mktemp("ladder")
    pairs = write(folder / "pairs.tsv", made_up(200))
    test = write(folder / "test.tsv", made_up(7))
    options = TrainingOptions(
        output=str(folder / "out"), test=str(test), max_steps=2, evaluate_every=1,
        dev_sentences=2, vocab_size=376, max_tokens=128, max_length=60, precision="fp32",
    )  # fmt: skip
    run = Translator.run
    with pytest.MonkeyPatch.context() as patch:  # untrained models go on to their limit
        patch.setattr(module, "BEAMS", {"num_beams": 1})
        patch.setattr(Translator, "run", lambda *a, **o: run(*a, **({"max_new_tokens": 9} | o)))
        return climb(str(pairs), options, cell="lstm"), pairs, options


def test_every_rung_is_a_run_on_the_same_data(
    climbed: tuple[Ladder, Path, TrainingOptions],
) -> None:
    ladder, _, options = climbed
    assert [rung.name for rung in ladder.rungs] == NAMES
    assert [rung.path for rung in ladder.rungs] == ["n", "1", "1"]
    runs = [json.loads((Path(options.output) / n / "run.json").read_text()) for n in NAMES]
    shown = [run["options"] for run in runs]
    assert [each["architecture"] for each in shown] == ["recurrent", "recurrent", "transformer"]
    assert [each["attention"] for each in shown[:2]] == ["none", "bahdanau"]
    assert shown[0]["cell"] == "lstm"
    assert len({each["data_sha256"] for each in shown}) == 1
    assert not (Path(options.output) / "bahdanau" / "data").exists()
    tokenizers = {(Path(options.output) / n / "model/tokenizer.json").read_text() for n in NAMES}
    assert len(tokenizers) == 1


def test_every_rung_has_its_numbers(climbed: tuple[Ladder, Path, TrainingOptions]) -> None:
    ladder, _, options = climbed
    for rung in ladder.rungs:
        assert rung.steps == 2
        assert rung.training_tokens_per_second > 0
        assert rung.decoding_tokens_per_second > 0
        assert len(rung.bleu_by_length) == len(ladder.buckets)
        translator = Translator.load(Path(options.output) / rung.name / "model")
        pairs = [(pair.source, pair.target) for pair in read_pairs(Path(str(options.test)))]
        assert rung.loss == pytest.approx(mean_loss(translator, pairs))
    assert len({rung.parameters for rung in ladder.rungs}) == 3
    assert ladder.test == "7 test pairs"
    assert len(ladder.chances) == len(ladder.greedy_chances) == 2
    assert ladder.minutes == sum(rung.minutes for rung in ladder.rungs)


def test_the_same_call_again_trains_and_translates_nothing(
    climbed: tuple[Ladder, Path, TrainingOptions], monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder, pairs, options = climbed
    events: list[str] = []
    monkeypatch.setattr(module.Translator, "run", None)
    again = climb(str(pairs), options, cell="lstm", watch=lambda event, _: events.append(event))
    assert again == ladder
    assert events == ["resume"] * 3
    for name in NAMES:
        for file in ("translations.txt", "greedy.txt"):
            assert (Path(options.output) / name / file).read_text().count("\n") == 7
    written = json.loads((Path(options.output) / "ladder.json").read_text())
    assert [rung["bleu"] for rung in written["rungs"]] == [rung.bleu for rung in ladder.rungs]
    assert ladder.table() in (Path(options.output) / "ladder.md").read_text()


def test_a_run_that_went_on_is_scored_again(tmp_path: Path) -> None:
    rung = result("Transformer", 30.0)
    assert module._known(tmp_path, Progress(step=7)) is None
    module.write_json(tmp_path / "result.json", vars(rung))
    assert module._known(tmp_path, Progress(step=7)) is None
    (tmp_path / "translations.txt").write_text("Ein Hund\u2028läuft.\n\n")
    (tmp_path / "greedy.txt").write_text("Ein Hund\nHund\n")
    lines = {"translations.txt": ["Ein Hund\u2028läuft.", ""], "greedy.txt": ["Ein Hund", "Hund"]}
    assert module._known(tmp_path, Progress(step=7)) == (rung, lines)
    assert module._known(tmp_path, Progress(step=8)) is None
    older = {name: figure for name, figure in vars(rung).items() if name != "loss"}
    module.write_json(tmp_path / "result.json", older)
    assert module._known(tmp_path, Progress(step=7)) is None


def test_other_data_in_the_folder_is_refused(
    climbed: tuple[Ladder, Path, TrainingOptions], tmp_path: Path
) -> None:
    other = tmp_path / "other.tsv"
    other.write_text("one\teins\n" * 3)
    with pytest.raises(RegardError, match="holds a run on other data"):
        climb(str(other), climbed[2], cell="lstm")


def test_several_processes_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in (
        ("RANK", "0"),
        ("WORLD_SIZE", "2"),
        ("MASTER_ADDR", ""),
        ("MASTER_PORT", ""),
    ):
        monkeypatch.setenv(name, value)
    with pytest.raises(RegardError, match=r"by one process; got 2\. Start it without torchrun"):
        climb("pairs.tsv", TrainingOptions(output=str(tmp_path)))


def test_a_cell_that_is_none_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    options = TrainingOptions(output=str(tmp_path / "out"))
    with pytest.raises(RegardError, match="cell must be one of gru, lstm; got 'rnn'"):
        climb("nowhere.tsv", options, cell="rnn")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("lengths", "count", "expected"),
    [
        ([1, 2, 3, 4, 5, 6], 3, [(1, 2), (3, 4), (5, 6)]),
        ([3, 3, 3, 3, 9], 2, [(3, 3), (4, 9)]),
        ([7], 5, [(7, 7)]),
        ([4, 4, 4], 5, [(4, 4)]),
        ([2, 30, 2, 5, 5, 11, 11], 2, [(2, 5), (6, 30)]),
    ],
)
def test_texts_are_parted_by_length_into_ranges_of_like_size(
    lengths: list[int], count: int, expected: list[tuple[int, int]]
) -> None:
    assert by_length(["w " * length for length in lengths], count) == expected


def test_a_range_is_a_heading() -> None:
    assert [words((3, 8)), words((9, 9))] == ["3–8", "9"]


def result(title: str, bleu: float) -> RungResult:
    return RungResult(
        name="x", title=title, bleu=bleu, greedy_bleu=bleu - 2,
        bleu_by_length=[bleu + 1, bleu - 1], bleu_signature="sig", loss=1.2345,
        parameters=2_345_678,
        training_tokens_per_second=4567.8, decoding_tokens_per_second=234.5,
        path="1", step=6, steps=7, minutes=1.25,
    )  # fmt: skip


def test_the_table_is_markdown_in_columns() -> None:
    rungs = [result("GRU", 9.06), result("T", 36.5)]
    ladder = Ladder("9 test pairs", [(2, 5), (6, 6)], rungs, [0.0014], [0.25])
    assert ladder.table().splitlines() == [
        "|     |  loss | BLEU |     p | greedy |     p |  2–5 |    6 "
        "| parameters | trained | decoded | path | minutes |",
        "| --- | ----: | ---: | ----: | -----: | ----: | ---: | ---: "
        "| ---------: | ------: | ------: | ---: | ------: |",
        "| GRU | 1.234 |  9.1 |       |    7.1 |       | 10.1 |  8.1 "
        "|     2.35 M | 4,568/s |   234/s |    1 |     1.2 |",
        "| T   | 1.234 | 36.5 | 0.001 |   34.5 | 0.250 | 37.5 | 35.5 "
        "|     2.35 M | 4,568/s |   234/s |    1 |     1.2 |",
    ]
    assert "sig" in ladder.caption()
    assert "9 test pairs" in ladder.caption()
    assert "2.5 minutes" in ladder.caption()


def test_a_table_of_one_column_has_a_rule() -> None:
    assert markdown([["name"], ["a"]]).splitlines() == ["| name |", "| ---- |", "| a    |"]
