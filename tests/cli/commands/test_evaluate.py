"""`regard evaluate`: figures with their signatures."""

import json

import pytest


@pytest.fixture
def pairs(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("ein haus am see\tEIN HAUS AM SEE\nzwei hunde im park\tZWEI HUNDE IM PARK\n")
    return file


def test_figures_and_signatures_are_shown(regard, upper_case, scored, pairs):
    outcome = regard("evaluate", "en-de", pairs)
    assert outcome.code == 0
    assert "BLEU         100.00   nrefs:1|case:mixed|eff:no|tok:13a" in outcome.out
    assert "chrF         100.00   nrefs:1|case:mixed" in outcome.out
    assert "loss         1.2500 nats per target token" in outcome.out
    assert "(2 sentences, 5 beams)" in outcome.out


def test_json_gives_the_same(regard, upper_case, scored, pairs):
    figures = json.loads(regard("evaluate", "en-de", pairs, "--json", "--num-beams", 2).out)
    assert figures["bleu"] == pytest.approx(100)
    assert figures["loss"] == 1.25
    assert (figures["sentences"], figures["num_beams"]) == (2, 2)
    assert figures["sentences_per_second"] > 0
    assert upper_case.seen[0]["num_beams"] == 2


def test_hypotheses_are_written_one_a_line(regard, upper_case, scored, pairs, tmp_path):
    regard("evaluate", "en-de", pairs, "--output", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "EIN HAUS AM SEE\nZWEI HUNDE IM PARK\n"


def test_a_model_of_several_languages_is_told_which(regard, upper_case, scored, pairs):
    upper_case.not_followed = ("typical_p",)
    outcome = regard(
        "evaluate", "m", pairs, "--source-language", "de", "--target-language", "en",
        "--prefix", "translate: ",
    )  # fmt: skip
    assert upper_case.seen[0] == {"source": "de", "target": "en"}
    assert upper_case.prefix == "translate: "
    assert "typical_p" in outcome.err


def test_a_line_without_a_tab_is_named(regard, upper_case, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("a\tb\nno tab here\n")
    outcome = regard("evaluate", "en-de", file)
    assert outcome.code == 2
    assert "line 2" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_classifier_is_trained_evaluated_and_compared(regard, tmp_path):
    data = tmp_path / "texts.tsv"
    rows = [f"a {word} dog {k}\t{label}" for k in range(20)
            for word, label in (("kind", "good"), ("cruel", "bad"))]  # fmt: skip
    data.write_text("text\tlabel\n" + "\n".join(rows) + "\n")
    run = tmp_path / "run"
    (tmp_path / "test.tsv").write_text("a kind cat\tgood\na cruel cat\tbad\n")
    trained = regard(
        "train", "classification", data, "--output", run, "--preset", "tiny", "--max-steps", 3,
        "--test", tmp_path / "test.tsv",
    )  # fmt: skip
    assert trained.code == 0, trained.err
    assert "39 to train on, 1 dev, 2 test" in trained.err
    assert "accuracy" in trained.out
    assert "texts              2; intervals are of 95 %" in trained.out
    model = run / "model"
    figures = json.loads(regard("evaluate", model, data, "--compare", model, "--json").out)
    assert figures["compared"] == {
        "model": str(model), "figure": "accuracy", "value": figures["figures"]["accuracy"],
        "difference": 0.0, "p": 1.0,
    }  # fmt: skip
    refused = regard("evaluate", "en-de", data, "--label", "label")
    assert (refused.code, "--label apply to a classifier of texts" in refused.err) == (2, True)
    refused = regard("evaluate", model, data, "--num-beams", 2, "--output", tmp_path / "out.txt")
    assert refused.code == 2
    assert "--output, --num-beams apply to a translator" in refused.err
