"""The command's surface is frozen here: a change of an option is a change of this file."""

import os
import shlex
import subprocess
import sys

import pytest
import typer

from regard import __version__
from regard.checkpoints import shipped
from regard.cli.app import app, first_words

FILES = {
    "--text-column", "--id", "--delimiter", "--overwrite", "--resume", "--workers", "--runner",
    "--address", "--shard-size", "--summary",
}  # fmt: skip
OPTIONS = {
    "": {"--version", "--debug", "--install-completion", "--show-completion", "--help"},
    "translate": FILES | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--attention", "--attention-step", "--attention-layer", "--tokens",
        "--words", "--force", "--strict-language", "--glossary", "--argos",
        "--source-language", "--target-language", "--prefix", "--whole", "--sentences",
        "--max-new-tokens", "--min-new-tokens", "--num-beams", "--alternatives",
        "--length-penalty", "--repetition-penalty", "--no-repeat-ngram-size", "--threads", "--help"
    },
    "summarize": FILES | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--tokens", "--force", "--prefix", "--max-new-tokens", "--min-new-tokens",
        "--num-beams", "--alternatives", "--length-penalty", "--repetition-penalty",
        "--no-repeat-ngram-size", "--threads", "--help"
    },
    "generate": FILES | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--interactive", "--tokens", "--chat", "--system", "--stop",
        "--max-new-tokens", "--min-new-tokens", "--num-beams", "--alternatives",
        "--length-penalty", "--do-sample", "--temperature", "--top-k", "--top-p", "--min-p",
        "--repetition-penalty", "--no-repeat-ngram-size", "--seed", "--threads", "--help"
    },
    "classify": FILES | {"--text-pair-column"} | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--text-pair", "--images", "--labels", "--template", "--multi-label",
        "--top-k", "--threads", "--help"
    },
    "label": FILES | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--aggregation", "--threads", "--help"
    },
    "answer": (FILES - {"--text-column"}) | {"--question-column", "--context-column"} | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--context", "--text", "--top-k", "--max-answer-len", "--or-none",
        "--force", "--threads", "--help"
    },
    "match": FILES | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--labels", "--template", "--top-k", "--patches", "--figure", "--threads",
        "--help"
    },
    "transcribe": FILES | {
        "texts", "--model", "--input", "--output", "--json", "--strict", "--batch-size", "--engine",
        "--precision", "--language", "--task", "--timestamps", "--srt", "--no-speech",
        "--max-new-tokens", "--min-new-tokens", "--num-beams", "--alternatives",
        "--length-penalty", "--repetition-penalty", "--no-repeat-ngram-size", "--threads", "--help"
    },
    "encode": FILES | {
        "texts", "--model", "--json", "--input", "--output", "--strict", "--batch-size", "--engine",
        "--precision", "--pooling", "--normalize", "--threads", "--help"
    },
    "evaluate": {
        "--strict", "--word", "--calibrate",
        "model", "data", "--output", "--json", "--source-language", "--target-language",
        "--prefix", "--num-beams", "--length-penalty", "--max-new-tokens", "--batch-size",
        "--threads", "--engine", "--precision", "--help", "--compare", "--text", "--pair",
        "--label", "--separator", "--worst", "--figure", "--score", "--question", "--context",
        "--answer", "--start", "--document", "--summary", "--min-new-tokens",
        "--repetition-penalty", "--no-repeat-ngram-size", "--sound", "--image", "--language",
        "--task",
    },
    "explain": {
        "sentence", "--model", "--layer", "--attention", "--target", "--head", "--vectors",
        "--score", "--mask", "--temperature", "--heads", "--head-dim", "--positions",
        "--projections", "--window", "--word", "--html", "--xlsx", "--geometry", "--markdown",
        "--json", "--all", "--help",
    },
    "info": {"model", "--json", "--taps", "--help"},
    "get": {"model", "--json", "--help"},
    "doctor": {"model", "--run", "--json", "--help"},
    "ladder": {
        "--strict",
        "--data", "--dev", "--test", "--output", "--max-minutes", "--max-steps", "--cooldown",
        "--preset", "--cell", "--vocab-size", "--max-tokens", "--patience", "--eval-every",
        "--average", "--dropout", "--dev-sentences", "--precision", "--seed", "--threads",
        "--json", "--help",
    },
    "look": {
        "model", "text", "--file", "--target", "--num-beams", "--generate", "--tap", "--head",
        "--html", "--save", "--figure", "--terminal", "--needed", "--json", "--port", "--no-open",
        "--download", "--sentence", "--force", "--without", "--looks", "--help",
    },
    "roles": {"model", "--file", "--json", "--download", "--help"},
    "words": {"--help"},
    "words represent": {"file", "--as", "--output", "--csv", "--json", "--help"},
    "words train": {
        "file", "--output", "--from", "--word", "--method", "--dim", "--window", "--min-count",
        "--epochs", "--negatives", "--subsample", "--learning-rate", "--seed", "--half", "--json",
        "--help",
    },
    "words near": {"word", "--model", "--count", "--limit", "--json", "--help"},
    "words compare": {"word", "--model", "--limit", "--json", "--help"},
    "words draw": {
        "word", "--output", "--model", "--method", "--neighbors", "--limit", "--json", "--help",
    },
    "meaning": {
        "word", "--text", "--model", "--layer", "--vectors", "--temperature", "--figure", "--json",
        "--help",
    },
    "export": {"--help"},
    "export page": {"models", "--output", "--json", "--help"},
    "studio": {"models", "--port", "--no-open", "--download", "--help"},
    "serve": {
        "models", "--host", "--port", "--api-key", "--no-auth", "--allow-origin",
        "--engine", "--precision", "--waiting", "--rows", "--max-new-tokens", "--max-text",
        "--max-request", "--max-pending", "--timeout", "--notice", "--workers", "--download",
        "--help",
    },
    "train": {"--help"},
    "train translation": {
        "--strict",
        "pairs", "--source", "--target", "--dev", "--test", "--output", "--source-language",
        "--target-language", "--license", "--data-note", "--from", "--architecture", "--preset",
        "--norm", "--temperature", "--names", "--typed", "--new-subwords", "--joined",
        "--fold-quotes", "--encoder-layers", "--decoder-layers",
        "--cell", "--attention", "--dropout",
        "--vocab-size", "--separate-vocabularies", "--max-length", "--max-tokens", "--accumulate",
        "--learning-rate", "--warmup", "--optimizer", "--schedule", "--cooldown",
        "--label-smoothing",
        "--weight-decay", "--max-steps",
        "--max-epochs", "--max-minutes", "--patience", "--eval-every", "--dev-sentences",
        "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train question-answering": {
        "--strict",
        "data", "--question", "--context", "--answer", "--start", "--doc-stride",
        "--max-answer-len", "--dev", "--test", "--folds",
        "--output", "--license", "--data-note", "--from", "--preset", "--dropout", "--vocab-size",
        "--max-length", "--train-layers", "--layer-decay", "--lora-rank", "--lora-alpha",
        "--lora-targets", "--batch-size", "--max-tokens",
        "--accumulate", "--learning-rate", "--warmup", "--optimizer", "--schedule", "--cooldown",
        "--weight-decay", "--max-steps", "--max-epochs", "--max-minutes", "--patience",
        "--eval-every", "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train embedding": {
        "--strict",
        "data", "--text", "--pair", "--score", "--score-scale", "--pooling", "--temperature",
        "--symmetric", "--dev", "--test", "--folds",
        "--output", "--license", "--data-note", "--from", "--preset", "--dropout", "--vocab-size",
        "--max-length", "--train-layers", "--layer-decay", "--lora-rank", "--lora-alpha",
        "--lora-targets", "--batch-size", "--max-tokens",
        "--accumulate", "--learning-rate", "--warmup", "--optimizer", "--schedule", "--cooldown",
        "--weight-decay", "--max-steps", "--max-epochs", "--max-minutes", "--patience",
        "--eval-every", "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train classification": {
        "--strict",
        "data", "--text", "--pair", "--label", "--separator", "--class-weights", "--dev", "--test",
        "--folds", "--output", "--license", "--data-note", "--from", "--preset", "--dropout",
        "--vocab-size",
        "--max-length", "--train-layers", "--layer-decay", "--lora-rank", "--lora-alpha",
        "--lora-targets", "--batch-size", "--max-tokens",
        "--accumulate", "--learning-rate", "--warmup", "--optimizer", "--schedule", "--cooldown",
        "--weight-decay", "--max-steps", "--max-epochs", "--max-minutes", "--patience",
        "--eval-every", "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train matching": {
        "data", "--accumulate", "--average", "--batch-size", "--cooldown", "--data-note", "--dev",
        "--device", "--eval-every", "--from", "--help", "--image", "--json", "--learning-rate",
        "--license", "--max-epochs", "--max-minutes", "--max-steps", "--optimizer", "--output",
        "--patience", "--precision", "--schedule", "--seed", "--shard", "--strict",
        "--tensorboard", "--test", "--text", "--threads", "--warmup", "--weight-decay",
    },
    "train transcription": {
        "data", "--accumulate", "--average", "--batch-size", "--cooldown", "--data-note", "--dev",
        "--dev-sounds", "--device", "--dropout", "--eval-every", "--from", "--help", "--json",
        "--language", "--learning-rate", "--license", "--max-epochs", "--max-minutes",
        "--max-steps", "--optimizer", "--output", "--patience", "--precision", "--schedule",
        "--seed", "--shard", "--sound", "--strict", "--tensorboard", "--test", "--text",
        "--threads", "--translate", "--warmup", "--weight-decay",
    },
    "train image-classification": {
        "data", "--dev", "--test", "--image-size", "--output", "--license", "--data-note", "--from",
        "--preset", "--patch-size", "--channels", "--dropout", "--train-layers", "--shift",
        "--rotate", "--scale", "--flip", "--class-weights", "--layer-decay", "--batch-size",
        "--max-tokens", "--accumulate", "--learning-rate", "--warmup", "--optimizer",
        "--schedule", "--cooldown",
        "--weight-decay", "--max-steps", "--max-epochs", "--max-minutes", "--patience",
        "--eval-every", "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train summarization": {
        "--strict",
        "data", "--document", "--summary", "--dev", "--test", "--output", "--license",
        "--data-note", "--from", "--preset", "--norm", "--dropout", "--vocab-size",
        "--max-source-length", "--max-length", "--max-tokens", "--accumulate", "--learning-rate",
        "--warmup", "--optimizer", "--schedule", "--cooldown", "--label-smoothing",
        "--weight-decay",
        "--max-steps", "--max-epochs", "--max-minutes", "--patience", "--eval-every",
        "--dev-documents", "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train extractive-summarization": {
        "--accumulate", "--average", "--batch-size", "--cooldown", "--data-note", "--dev",
        "--device", "--document", "--dropout", "--eval-every", "--folds", "--from", "--help",
        "--json", "--layer-decay", "--learning-rate", "--license", "--lora-alpha", "--lora-rank",
        "--lora-targets", "--max-epochs", "--max-length", "--max-minutes", "--max-steps",
        "--max-tokens", "--optimizer", "--output", "--patience", "--precision", "--preset",
        "--schedule", "--seed", "--shard", "--strict", "--summary", "--tensorboard", "--test",
        "--threads", "--train-layers", "--vocab-size", "--warmup", "--weight-decay", "data",
    },
    "train language-model": {
        "--strict",
        "data", "--text", "--dev", "--dev-fraction", "--output", "--license", "--data-note",
        "--tokenizer", "--vocab-size", "--from", "--preset", "--d-model", "--layers", "--heads",
        "--dropout", "--block", "--batch-size", "--max-tokens", "--accumulate", "--learning-rate",
        "--warmup", "--optimizer", "--schedule", "--cooldown", "--weight-decay", "--beta2",
        "--max-steps",
        "--max-epochs", "--max-minutes", "--patience", "--eval-every", "--dev-tokens",
        "--sample-tokens", "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train masked-language-model": {
        "--strict",
        "data", "--text", "--dev", "--dev-fraction", "--output", "--license", "--data-note",
        "--from", "--preset", "--dropout", "--vocab-size", "--max-length", "--masked",
        "--train-layers", "--layer-decay", "--batch-size", "--max-tokens", "--accumulate",
        "--learning-rate", "--warmup", "--optimizer", "--schedule", "--cooldown", "--weight-decay",
        "--max-steps", "--max-epochs", "--max-minutes", "--patience", "--eval-every",
        "--dev-tokens", "--average", "--device", "--precision", "--shard", "--seed",
        "--tensorboard",
        "--threads", "--json", "--help",
    },
    "train token-classification": {
        "--accumulate", "--average", "--batch-size", "--cooldown", "--data-note", "--dev",
        "--device", "--dropout", "--eval-every", "--folds", "--from", "--help", "--json", "--label",
        "--layer-decay", "--learning-rate", "--license", "--lora-alpha", "--lora-rank",
        "--lora-targets", "--max-epochs", "--max-length", "--max-minutes", "--max-steps",
        "--max-tokens", "--optimizer", "--output", "--patience", "--precision", "--preset",
        "--schedule", "--seed", "--shard", "--strict", "--tensorboard", "--test", "--threads",
        "--train-layers", "--vocab-size", "--warmup", "--weight-decay", "--word", "data",
    },
}  # fmt: skip


def surface(command, path=""):
    context = typer.Context(command)
    names = set()
    parameters = (each for each in command.get_params(context) if not getattr(each, "hidden", 0))
    for parameter in parameters:  # a hidden one says what it is called now
        long = [name for name in parameter.opts if name.startswith("--")]
        names.add(long[0] if long else parameter.name)
    found = {path: names}
    for name, inner in getattr(command, "commands", {}).items():
        found |= surface(inner, f"{path} {name}".strip())
    return found


def test_commands_and_options_are_these():
    assert surface(typer.main.get_command(app)) == OPTIONS


def test_every_command_explains_itself(regard):
    for path in OPTIONS:
        outcome = regard(*path.split(), "--help")
        assert (outcome.code, "Usage: regard" in outcome.out) == (0, True), path


def test_the_version_is_the_packages(regard):
    from importlib.metadata import version

    assert regard("--version").out == f"regard {version('regard')}\n"


def test_the_bare_command_says_what_can_be_done(regard):
    outcome = regard()
    assert (outcome.code, outcome.err) == (0, "")
    assert all(name in outcome.out for name in shipped.SHIPPED)
    assert "regard --help lists everything" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80
    examples = [line for line in outcome.out.splitlines() if line.startswith("  regard ")]
    assert 4 <= len(examples) <= 5
    for example in examples:
        _, name, *_ = shlex.split(example, comments=True)
        assert name in typer.main.get_command(app).commands


def test_the_first_example_runs(regard):
    example = next(line for line in first_words().splitlines() if line.startswith("  regard "))
    outcome = regard(*shlex.split(example, comments=True)[1:])
    assert outcome.code == 0
    assert outcome.out.startswith("Wo ist der Bahnhof?\n")


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "regard"]
    shown = subprocess.run([*command, "info", "--help"], capture_output=True, text=True, check=True)
    assert "Usage: regard info " in shown.stdout
    failed = subprocess.run([*command, "info", "none"], capture_output=True, text=True)
    assert (failed.returncode, failed.stderr[:32]) == (2, "regard: there is no folder none;")


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_the_first_words_and_help_import_no_torch(arguments):
    program = (
        "import sys\n"
        "from regard.cli.main import main\n"
        f"try: main({arguments})\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'numpy', 'tokenizers', 'sacrebleu', 'safetensors'}\n"
        "heavy |= {'fastapi', 'uvicorn', 'matplotlib', 'anywidget'}\n"
        "print('HEAVY', heavy & set(sys.modules))\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert shown.endswith("HEAVY set()\n")


def test_the_installed_command_is_this_one():
    command = os.path.join(os.path.dirname(sys.executable), "regard")
    if not os.path.exists(command):
        pytest.skip("regard is not installed in this environment")
    shown = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"regard {__version__}\n"
