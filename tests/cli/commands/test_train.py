"""`regard train`: what is asked for reaches training; what is shown is true."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import typer

from regard.cli.app import app
from regard.tasks.embedding.train_options import EmbeddingOptions
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.tasks.translation.train_options import TrainingOptions
from regard.training import Progress, recipe
from regard.training.examples import Example, write_examples


class Calls(list):
    """What training was called with, and the test set that it will have split off."""

    split_off: tuple[Example, ...] = ()


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What would have been learned, in place of hours of work."""
    calls = Calls()
    monkeypatch.chdir(tmp_path)

    def record(learner, *, watch, begin):
        options = learner.options
        calls.append((learner.source, options, learner.command))
        learner.say("3 pairs read.")
        progress = Progress(
            step=7, tokens=99, seconds=61.0, loss_sum=5.0, loss_terms=2, best_step=7
        )
        watch("step", progress)
        progress.figures = {"loss": 2.25, "bleu": 20.5, "chrf": 40.25}
        watch("evaluate", progress)
        data = Path(options.output) / "data"
        data.mkdir(parents=True)
        write_examples(data / "test.jsonl", calls.split_off)

    monkeypatch.setattr(recipe, "learn", record)
    return calls


def parameters():
    command = typer.main.get_command(app).commands["train"].commands["translation"]
    return {each.name: each for each in command.get_params(typer.Context(command))}


def test_every_training_option_can_be_given():
    assert {field.name for field in fields(TrainingOptions)} <= set(parameters())


@pytest.mark.parametrize(
    ("task", "kind"),
    [("question-answering", QuestionAnsweringOptions), ("embedding", EmbeddingOptions)],
)
def test_what_is_given_to_a_recipe_arrives(regard, monkeypatch, tmp_path, task, kind):
    asked = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recipe, "learn", lambda learner, *, watch, begin: asked.append(learner))
    outcome = regard("train", task, "data.tsv", "--from", "base", "--max-tokens", 1111)
    assert outcome.code == 0
    assert asked[0].source == ["data.tsv"]
    assert asked[0].options == kind(base_model="base", max_tokens=1111)
    assert f"The best model is in runs/{task}/model." in outcome.err


def test_help_shows_the_defaults_that_hold():
    # Where a default is computed, help says from what.
    said = {
        "dev": "split off", "test": "split off", "dropout": "preset's",
        "learning_rate": "preset's", "vocab_size": "from the amount of text",
        "data_note": "the file", "encoder_layers": "preset's", "decoder_layers": "preset's",
        "new_subwords": "as the data needs",
        "max_steps": False, "max_epochs": False, "max_minutes": False,
        "separate_vocabularies": False, "tensorboard": False, "base_model": False,
        "accumulate": "one for each process", "shard": False, "strict": False, "fold_quotes": False,
    }  # fmt: skip
    for field in fields(TrainingOptions):
        shown = parameters()[field.name].show_default
        assert shown == said.get(field.name, str(field.default)), field.name


def test_what_is_not_given_stays_the_default(regard, asked):
    assert regard("train", "translation", "pairs.tsv").code == 0
    data, options, command = asked[0]
    assert data == ["pairs.tsv"]
    assert options == TrainingOptions()
    assert command == "regard train translation pairs.tsv"


def test_what_is_given_arrives(regard, asked):
    regard(
        "train", "translation", "--source", "a.en", "--target", "a.de", "--output", "runs/x",
        "--preset", "small", "--max-tokens", 1111, "--learning-rate", 0.003, "--norm", "post",
        "--eval-every", 13, "--separate-vocabularies", "--precision", "bf16",
    )  # fmt: skip
    data, options, _ = asked[0]
    assert data == ["a.en", "a.de"]
    assert options == TrainingOptions(
        output="runs/x",
        preset="small",
        max_tokens=1111,
        learning_rate=0.003,
        norm="post",
        evaluate_every=13,
        separate_vocabularies=True,
        precision="bf16",
    )


@pytest.mark.parametrize(
    "files", [[], ["--source", "a"], ["pairs.tsv", "--source", "a", "--target", "b"]]
)
def test_either_pairs_or_two_files(regard, asked, files):
    outcome = regard("train", "translation", *files)
    assert outcome.code == 2
    assert "either files of sentence pairs, or both --source and --target" in outcome.err
    assert not asked


def test_evaluations_are_lines(regard, asked):
    outcome = regard("train", "translation", "pairs.tsv")
    assert outcome.out == ""
    assert outcome.err.splitlines() == [
        "3 pairs read.",
        "step       7     1:01  loss 2.500  dev loss 2.250  BLEU 20.50  chrF 40.25"
        "  0 tokens/s  best",
        "The best model is in runs/translation/model.",
    ]


def test_evaluations_are_json_lines_on_request(regard, asked):
    entry = json.loads(regard("train", "translation", "pairs.tsv", "--json").out)
    assert (entry["step"], entry["dev_bleu"], entry["training_loss"]) == (7, 20.5, 2.5)


def test_the_test_set_is_scored_at_the_end(regard, asked, upper_case, scored, tmp_path):
    file = tmp_path / "test.tsv"
    file.write_text("ein haus am see\tEIN HAUS AM SEE\n")
    outcome = regard("train", "translation", "pairs.tsv", "--test", file)
    assert "BLEU         100.00" in outcome.out


def test_without_one_the_test_set_split_off_is_scored(regard, asked, upper_case, scored):
    asked.split_off = (Example("ein haus am see", None, ["EIN HAUS AM SEE"]),)
    assert "BLEU         100.00" in regard("train", "translation", "pairs.tsv").out


@pytest.fixture
def threads(monkeypatch):
    """What the number of threads is set to, of 3; nothing is set."""
    import torch

    chosen = []
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    monkeypatch.setattr(torch, "set_num_threads", chosen.append)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    return chosen


def began_with(threads, folder):
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"options": {}, "threads": threads}))


@pytest.mark.parametrize(
    ("began", "given", "chosen"),
    [(2, [], [2]), (3, [], []), (8, [], []), (None, [], []), (2, ["--threads", 4], [4])],
)
def test_a_run_goes_on_with_the_threads_it_began_with(
    regard, asked, threads, tmp_path, began, given, chosen
):
    began_with(began, tmp_path / "runs" / "one")
    outcome = regard("train", "translation", "pairs.tsv", "--output", "runs/one", *given)
    assert threads == chosen
    assert ("Using --threads 2, as this run did when it began." in outcome.err) == (chosen == [2])


def test_a_new_run_takes_the_threads_that_there_are(regard, asked, threads):
    regard("train", "translation", "pairs.tsv")
    regard("train", "translation", "pairs.tsv", "--output", "runs/other", "--threads", 2)
    assert threads == [2]


def test_a_summarizer_is_trained_and_its_test_set_scored(regard, tmp_path):
    pytest.importorskip("rouge_score")
    file = tmp_path / "stories.csv"
    rows = [f"A dog {k} barks at a tree. It is old.,a dog {k}" for k in range(40)]
    file.write_text("article,summary\n" + "\n".join(rows) + "\n")
    output = tmp_path / "run"
    given = ["--max-steps", 1, "--max-source-length", 32, "--max-length", 8, "--precision", "fp32"]
    outcome = regard("train", "summarization", file, "--output", output, *given)
    assert outcome.code == 0
    assert "dev, the first sentence of each document: ROUGE-1" in outcome.err
    lines = outcome.out.splitlines()
    assert [line.split("  ")[0] for line in lines[:2]] == ["ROUGE-1", "ROUGE-2"]
    assert any(line.startswith("documents") for line in lines)
    entries = regard("train", "summarization", file, "--output", output, *given, "--json").out
    assert json.loads(entries.splitlines()[-1])["documents"] == 6
    assert regard("summarize", "-m", output, "A dog barks.").code == 0


def test_a_model_with_one_label_for_everything_is_named_last_and_ends_with_3(regard, tmp_path):
    # Cut to eight tokens, all texts are the same, so any model gives them the same label.
    words = "one two three four five six seven eight nine ten eleven twelve"
    rows = "".join(f"{words} {number},{'ab'[number % 2]}\n" for number in range(40))
    (tmp_path / "texts.csv").write_text(f"text,label\n{rows}")
    outcome = regard(
        "train", "classification", tmp_path / "texts.csv", "--output", tmp_path / "run",
        "--preset", "tiny", "--max-length", 8, "--max-steps", 1, "--threads", 1,
    )  # fmt: skip
    assert outcome.code == 3, outcome.err
    last = outcome.err.splitlines()[-1]
    assert "the same label, so it has learned nothing" in last
    assert (tmp_path / "run" / "model" / "config.json").exists()


def test_a_classifier_of_images_is_trained_scored_and_looked_at(regard, tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(3).integers(0, 256, (60, 8, 8), np.uint8)
    np.savez(tmp_path / "a.npz", images=pixels, labels=np.arange(60) % 2)
    outcome = regard(
        "train", "image-classification", tmp_path / "a.npz", "--output", tmp_path / "run",
        "--max-steps", 2, "--eval-every", 2, "--patch-size", 4, "--json", "--threads", 1,
    )  # fmt: skip
    assert outcome.code in (0, 3), outcome.err  # two steps may have taught it nothing
    first, last = map(json.loads, outcome.out.splitlines())
    assert first["step"] == 2
    assert 0 <= last["figures"]["accuracy"] <= 1
    image.fromarray(pixels[0]).save(tmp_path / "x.png")
    model = tmp_path / "run" / "model"
    looked = regard("look", model, tmp_path / "x.png", "--terminal")
    assert looked.code == 0, looked.err
    label = regard("classify", "--images", tmp_path / "x.png", "-m", model).out.split("\t")[0]
    assert label in ("0", "1")


def test_several_target_languages_are_trained_scored_and_chosen(
    regard, tmp_path, made_up, write, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for language, count in (("de", 60), ("hi", 40)):
        pairs = [(source, f"{target} {language}") for source, target in made_up(count)]
        write(tmp_path / f"{language}.tsv", pairs)
        write(tmp_path / f"held.{language}.tsv", [("a cat.", f"eine katze {language}")])
    held = "de=held.de.tsv,hi=held.hi.tsv"
    outcome = regard(
        "train", "translation", "de=de.tsv", "hi=hi.tsv", "--source-language", "en", "--output",
        "run", "--vocab-size", "376", "--max-length", "60", "--max-steps", "1", "--dev", held,
        "--test", held,
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert "Test set, de:" in outcome.err
    assert "Test set, hi:" in outcome.err
    assert outcome.out.count("BLEU ") == 2
    evaluation = next(line for line in outcome.err.splitlines() if line.startswith("step "))
    assert "  de " in evaluation
    assert "  hi " in evaluation
    assert "en → de, en → hi" in regard("info", "run").out
    translate = ("translate", "--model", "run", "--max-new-tokens", "3")
    chosen = regard(*translate, "--target-language", "hi", "the dog")
    assert chosen.code == 0, chosen.err
    refused = regard(*translate, "the dog")
    assert "translates into several languages (en → de, en → hi)" in refused.err
    assert refused.code == 2


def torchrun(*arguments):
    start = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    return subprocess.run(
        [*start, "--standalone", "-m", "regard", *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=900,
    )


@pytest.mark.slow  # a language model's two processes are tested above
def test_two_processes_train_a_classifier_and_one_shows_it(tmp_path, regard):
    words = [
        (f"{word} {n}", label) for n in range(40) for word, label in (("yes", "a"), ("no", "b"))
    ]
    data = tmp_path / "texts.csv"
    data.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in words))
    command = (
        *("train", "classification", str(data), "--output", str(tmp_path / "run"), "--json"),
        *("--preset", "tiny", "--precision", "fp32", "--eval-every", "2", "--max-length", "16"),
    )
    done = torchrun(*command, "--max-steps", "2", "--schedule", "inverse-sqrt", "--warmup", "1")
    assert done.returncode in (0, 1), done.stderr  # torchrun's 1 is a 3: two steps taught nothing
    assert done.stderr.count("2 processes each have the model; a step has 2 batches") == 1
    assert done.stderr.count("The best model is in") == 1
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    assert [entry.get("step") for entry in shown] == [2, None]  # the last is of the test set
    card = (tmp_path / "run" / "model" / "README.md").read_text()
    assert "Command: `torchrun --nproc-per-node 2 -m regard train classification" in card

    alone = regard(*command, "--max-steps", "4", "--schedule", "inverse-sqrt", "--warmup", "1")
    assert alone.code in (0, 3), alone.err
    assert "This run began with 2 processes and continues with 1 process" in alone.err
    assert "Resuming from step 2." in alone.err


@pytest.mark.slow
def test_two_processes_share_out_a_language_model_and_are_refused_what_one_is(tmp_path, forks):
    (tmp_path / "text.txt").write_text("to be, or not to be: that is the question.\n" * 40)
    command = (
        *("train", "language-model", str(tmp_path / "text.txt"), "--output", str(tmp_path / "run")),
        *("--preset", "tiny", "--block", "16", "--batch-size", "4", "--precision", "fp32"),
        *("--shard", "--max-steps", "2", "--eval-every", "2", "--sample-tokens", "4"),
    )
    (first, said), (second, silent) = forks.torchrun(*command, folder=tmp_path)
    assert (first, second) == (0, 0), said + silent
    assert said.count("2 processes share out the model; a step has 2 batches") == 1
    assert (said + silent).count("2 processes share out") == 1
    assert (tmp_path / "run" / "samples.txt").read_text().count("===") == 2
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (record["processes"], record["options"]["accumulate"]) == (2, 2)

    (first, said), (second, silent) = forks.torchrun(*command, "--seed", "2", folder=tmp_path)
    assert (first, second) == (2, 2)
    assert said.count("regard: ") == 1
    assert "holds a run with seed = 1; got 2" in said
    assert silent.count("regard: another process of this run has ended") == silent.count("regard: ")


def test_folds_end_with_the_mean_and_its_interval_as_json(regard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"a {word} {n},{word}\n" for n in range(3) for word in ("good", "bad")]
    Path("texts.csv").write_text("text,label\n" + "".join(rows))
    outcome = regard(
        "train", "classification", "texts.csv", "--output", "run", "--folds", 2, "--json",
        "--preset", "tiny", "--precision", "fp32", "--max-steps", 2, "--eval-every", 2,
    )  # fmt: skip
    assert outcome.code == 0
    *entries, result = map(json.loads, outcome.out.splitlines())
    assert [entry.get("fold") for entry in entries] == [1, 2, None]
    losses = [entry["dev_loss"] for entry in entries[:2]]
    assert result["figures"]["loss"] == round(sum(losses) / 2, 4)
    assert "dev_loss" not in entries[2]
    assert "The model is in run/model." in outcome.err
