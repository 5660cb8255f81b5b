"""From a file to a translator: resumable, and equal to the run that was never stopped."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import regard
from regard import RegardError
from regard.tasks.translation.train import train_translation
from regard.tasks.translation.train_options import TrainingOptions
from regard.training import RunFolder

Pairs = list[tuple[str, str]]


def test_a_finished_run_describes_itself(run_folder: Path) -> None:
    assert {path.name for path in run_folder.iterdir()} == {
        "run.json", "log.jsonl", "checkpoints", "data", "model", ".lock",
    }  # fmt: skip
    record = json.loads((run_folder / "run.json").read_text())
    options = record["options"]
    assert record["threads"] == torch.get_num_threads()
    assert (options["preset"], options["vocab_size"], options["max_steps"]) == ("tiny", 376, 3)
    entry = json.loads((run_folder / "log.jsonl").read_text())
    assert entry["figures"].keys() == {"loss", "bleu", "chrf", "distinct", "sentences"}


def test_the_model_of_a_run_opens_in_transformers(run_folder: Path) -> None:
    transformers = pytest.importorskip("transformers")
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(
        run_folder / "model", dtype=torch.float32
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(run_folder / "model")
    ours = regard.load(run_folder)
    text = "the old dog sees a tree."
    encoded = tokenizer(text, return_tensors="pt")
    assert encoded.input_ids[0, :-1].tolist() == ours.tokenizers.source.encode(text)
    generated = theirs.generate(**encoded, max_new_tokens=7, num_beams=1)
    assert tokenizer.decode(generated[0], skip_special_tokens=True) == (
        ours(text, max_new_tokens=7, num_beams=1)
    )


def options(output: Path, **changes: Any) -> TrainingOptions:
    given = dict(
        output=str(output), vocab_size=376, max_tokens=64, max_steps=1, dev_sentences=1,
        max_length=60, precision="bf16",
    )  # fmt: skip
    return TrainingOptions(**(given | changes))  # type: ignore[arg-type]


@pytest.fixture
def pairs_file(
    made_up: Callable[[int], Pairs], write: Callable[[Path, Pairs], Path], tmp_path: Path
) -> str:
    return str(write(tmp_path / "pairs.tsv", made_up(60)))


def test_sources_are_scored_one_by_one(
    made_up: Callable[[int], Pairs], write: Callable[[Path, Pairs], Path], tmp_path: Path
) -> None:
    pairs = made_up(60)
    for name, part in (("old", pairs[:40]), ("new", pairs[40:52]), ("held", pairs[52:])):
        write(tmp_path / f"{name}.tsv", part)
    (tmp_path / "sources.toml").write_text(
        '[[source]]\npairs = "old.tsv"\ndev = "held.tsv"\n'
        '[[source]]\npairs = "new.tsv"\nname = "talks"\nweight = 2\ndev = "held.tsv"\n'
        '[[source]]\npairs = "new.tsv"\nname = "talks"\nmost = 1\n'
    )
    said: list[str] = []
    run = tmp_path / "run"
    chosen = options(run, encoder_layers=2, decoder_layers=1, fold_quotes=True)
    train_translation(str(tmp_path / "sources.toml"), chosen, say=said.append)
    assert "an epoch reads 64 pairs: old 62.5%, talks 37.5%, talks 0.0%" in said
    assert {"bleu_old", "chrf_talks"} <= json.loads((run / "log.jsonl").read_text())[
        "figures"
    ].keys()
    card = (run / "model" / "README.md").read_text()
    assert "- old: BLEU" in card
    assert "- Data: old.tsv, talks (" in card
    translator = regard.load(run)
    assert translator.model.config.encoder_layers == 2
    assert translator.model.config.decoder_layers == 1
    source = translator.tokenizers.source
    assert source.encode("„old“ ’dogs") == source.encode('"old" \'dogs')


@pytest.mark.long("trains")
def test_one_file_teaches_both_directions(
    made_up: Callable[[int], Pairs], write: Callable[[Path, Pairs], Path], tmp_path: Path
) -> None:
    pairs = made_up(60)
    write(tmp_path / "pairs.tsv", pairs[:50])
    write(tmp_path / "dev.tsv", pairs[50:])
    there = 'pairs = "pairs.tsv"\ndev = "dev.tsv"\n'
    (tmp_path / "both.toml").write_text(
        f'[[source]]\nlanguage = "de"\n{there}'
        f'[[source]]\nlanguage = "en"\nsource_language = "de"\nreverse = true\n{there}'
    )
    run = tmp_path / "run"
    train_translation(str(tmp_path / "both.toml"), options(run, source_language="en"))
    stored = [json.loads(line) for line in (run / "data" / "dev.jsonl").read_text().splitlines()]
    assert [(one["text"], one["targets"][0]) for one in stored] == [
        *pairs[50:], *((target, source) for source, target in pairs[50:]),
    ]  # fmt: skip
    translator = regard.load(run)
    assert [*translator.languages.pairs] == [("en", "de"), ("de", "en")]
    assert translator.between(target="en").prefix == "<2en> "


@pytest.mark.long("trains")
def test_an_option_that_was_refused_can_be_mended_in_the_same_folder(
    pairs_file: str, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match="max_tokens must be at least"):
        train_translation(pairs_file, options(tmp_path / "run", max_tokens=5))
    progress = train_translation(pairs_file, options(tmp_path / "run"))
    assert progress.step == 1


@pytest.mark.long("trains")
def test_resuming_with_another_option_is_refused_and_with_another_card_is_not(
    pairs_file: str, tmp_path: Path
) -> None:
    train_translation(pairs_file, options(tmp_path / "run"))
    with pytest.raises(RegardError, match="holds a run with warmup = 1000; got 7"):
        train_translation(pairs_file, options(tmp_path / "run", warmup=7))
    events: list[str] = []
    train_translation(
        pairs_file,
        options(tmp_path / "run", license="cc0-1.0"),
        watch=lambda event, progress: events.append(event),
    )
    assert events == ["resume"]


@pytest.mark.long("trains")
def test_the_end_of_a_run_is_chosen_until_its_cooldown_begins(
    pairs_file: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    train_translation(pairs_file, options(run))
    progress = train_translation(pairs_file, options(run, max_steps=4, cooldown=2))
    assert progress.step == 4
    with pytest.raises(RegardError, match="holds a run with cooldown = 2; got 3"):
        train_translation(pairs_file, options(run, max_steps=4, cooldown=3))
    with pytest.raises(RegardError, match="holds a run with max_steps = 4; got 9"):
        train_translation(pairs_file, options(run, max_steps=9, cooldown=2))


@pytest.mark.long("trains")
def test_resuming_with_other_threads_is_said(
    pairs_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    train_translation(pairs_file, options(tmp_path / "run"))
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    said: list[str] = []
    assert train_translation(pairs_file, options(tmp_path / "run"), say=said.append).step == 1
    assert "began with 1 thread and continues with 2 threads" in said[-1]


def continued(file: str, output: Path, base: str | Path, **changes: Any) -> list[str]:
    """What was said by a run of one step, too small to be seen, from a trained translator."""
    said: list[str] = []
    settings = {"vocab_size": None, "precision": "fp32", "learning_rate": 1e-12, "warmup": 0}
    given = options(output, base_model=str(base), **(settings | changes))
    train_translation(file, given, say=said.append)
    return said


@pytest.mark.long("trains")
def test_a_shipped_translator_continues_with_its_tokenizer_and_settings(
    pairs_file: str, tmp_path: Path
) -> None:
    said = continued(pairs_file, tmp_path / "run", "en-de")
    assert "vocabulary: 12,000 shared subwords" in "\n".join(said)
    assert "model: encoder–decoder from en-de" in "\n".join(said)
    before, after = regard.load("en-de"), regard.load(tmp_path / "run", "translation")
    texts = ["Where is the station?", "I did not see the old dog."]
    assert after(texts) == before(texts)
    assert after.generation == before.generation
    assert 'base_model: "en-de"' in (tmp_path / "run" / "model" / "README.md").read_text()
    again = continued(pairs_file, tmp_path / "run", "en-de")
    assert again[0].startswith("found prepared data in ")


def test_a_run_continues_from_another_run(
    run_folder: Path, pairs_file: str, tmp_path: Path
) -> None:
    continued(pairs_file, tmp_path / "run", run_folder)
    text = "the old dog sees a tree."
    before, after = regard.load(run_folder), regard.load(tmp_path / "run")
    assert after(text) == before(text)


@pytest.mark.long("trains")
def test_a_recurrent_translator_continues_too(pairs_file: str, tmp_path: Path) -> None:
    train_translation(pairs_file, options(tmp_path / "base", architecture="recurrent"))
    continued(pairs_file, tmp_path / "run", tmp_path / "base")
    text = "the old dog sees a tree."
    before, after = regard.load(tmp_path / "base"), regard.load(tmp_path / "run")
    assert type(after.model) is type(before.model)
    assert after(text, max_new_tokens=9) == before(text, max_new_tokens=9)


def test_the_direction_of_a_model_of_several_is_kept(
    foreign: Any, write: Any, tmp_path: Path
) -> None:
    tasks = {f"translation_en_to_{code}": {"prefix": f"{word} ", "num_beams": 2}
             for code, word in (("de", "two hats"), ("fr", "dogs"))}  # fmt: skip
    base = foreign("t5", tmp_path / "base", task_specific_params=tasks).folder
    file = str(write(tmp_path / "pairs.tsv", [(f"the man {k}", f"hats {k}") for k in range(30)]))
    with pytest.raises(RegardError, match="languages must name one of en → de, en → fr"):
        continued(file, tmp_path / "run", base)
    continued(file, tmp_path / "run", base, source_language="en", target_language="fr")
    after = regard.load(tmp_path / "run", "translation")
    before = regard.load(base, "translation").between("en", "fr")
    assert after.prefix == "dogs "
    assert after(["the man end"], max_new_tokens=7) == before(["the man end"], max_new_tokens=7)


@pytest.mark.parametrize(
    ("family", "german", "english"),
    [
        ("mbart", "de_DE", "en_XX"),
        ("mbart50", "de_DE", "en_XX"),
        ("m2m100", "__de__", "__en__"),
        ("nllb", "deu_Latn", "eng_Latn"),
    ],
)
def test_the_languages_of_a_model_of_many_are_written_into_its_tokenizer(
    family: str, german: str, english: str, foreign: Any, write: Any, tmp_path: Path
) -> None:
    base = foreign(family, tmp_path / "base").folder
    file = str(write(tmp_path / "pairs.tsv", [(f"the man {k}", f"hats {k}") for k in range(30)]))
    languages = {"source_language": german, "target_language": english}
    continued(file, tmp_path / "run", base, max_length=30, **languages)
    after = regard.load(tmp_path / "run", "translation")
    before = regard.load(base, "translation").between(german, english)
    assert (after.before, after.after) == (before.before, before.after)
    text = "the man end"
    assert after(text, max_new_tokens=7) == before(text, max_new_tokens=7)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"base_model": "en-de", "vocab_size": None, "architecture": "recurrent"},
            "architecture describes a new",
        ),
        (
            {"base_model": "en-de", "vocab_size": None, "separate_vocabularies": True},
            "separate_voc",
        ),
        ({"base_model": "en-de"}, "vocab_size describes a new model; got vocab_size = 376"),
        ({"base_model": "nowhere", "vocab_size": None}, "there is no folder nowhere"),
    ],
)
def test_what_does_not_fit_a_trained_model_is_refused(
    changes: dict[str, Any], message: str, pairs_file: str, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=message):
        train_translation(pairs_file, options(tmp_path / "run", **changes))
    assert not (tmp_path / "run").exists()


def test_a_second_training_in_a_folder_is_refused(pairs_file: str, tmp_path: Path) -> None:
    run, message = RunFolder(tmp_path / "run"), "another process is training in"
    with run.locked(), pytest.raises(RegardError, match=message):
        train_translation(pairs_file, options(run.path))
    assert [path.name for path in (tmp_path / "run").iterdir()] == [".lock"]


@pytest.mark.long("trains")
@pytest.mark.parametrize(("max_epochs", "accumulate"), [(0.01, 1), (0.5, 4)])
def test_a_part_of_an_epoch_is_at_least_one_step(
    max_epochs: float, accumulate: int, pairs_file: str, tmp_path: Path
) -> None:
    given = options(
        tmp_path / "run",
        max_steps=None,
        max_epochs=max_epochs,
        accumulate=accumulate,
        max_tokens=512,
    )
    assert train_translation(pairs_file, given).step == 1
    assert (tmp_path / "run" / "model" / "model.safetensors").exists()


@pytest.mark.long("trains")
def test_tensorboard_gets_the_curves(pairs_file: str, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    train_translation(pairs_file, options(tmp_path / "run", tensorboard=True))
    (events,) = (tmp_path / "run").glob("events.out.tfevents.*")
    assert b"dev/bleu" in events.read_bytes()


def test_a_missing_tensorboard_is_said_before_the_data_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.startswith("torch.utils.tensorboard"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(RegardError, match=r"package tensorboard .*pip install tensorboard"):
        train_translation("none.tsv", options(tmp_path / "run", tensorboard=True))
    assert not (tmp_path / "run").exists()


def command(file: str, output: Path, *more: str) -> list[str]:
    return [
        "train", "translation", file, "--output", str(output), "--threads", "1", "--preset", "tiny",
        "--vocab-size", "376", "--max-length", "60", "--dev-sentences", "1", "--warmup", "5", *more,
    ]  # fmt: skip


def assert_same_files(one: Path, other: Path) -> None:
    ours, theirs = load_file(one), load_file(other)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


@pytest.mark.parametrize(
    ("steps", "every", "kills", "pairs"),
    [
        (5, 2, [2], 60),
        pytest.param(60, 10, [10, 20, 40], 900, marks=pytest.mark.slow),
    ],
)
def test_killed_and_started_again_it_ends_with_the_same_weights(
    steps: int,
    every: int,
    kills: list[int],
    pairs: int,
    tmp_path: Path,
    made_up: Any,
    write: Any,
    forks: Any,
) -> None:
    file = str(write(tmp_path / "pairs.tsv", made_up(pairs)))
    dev = str(write(tmp_path / "dev.tsv", made_up(7)))  # and no test set to score at the end
    more = (
        "--dev",
        dev,
        "--max-steps",
        str(steps),
        "--eval-every",
        str(every),
        "--max-tokens",
        "128",
    )
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    uninterrupted = forks.start(*command(file, whole, *more), output=tmp_path / "uninterrupted")
    said = tmp_path / "said"
    for step in kills:
        place = dict(module="fixtures.killed", environment={"KILLED_AT": str(step + 1)})
        code, text = forks.run(*command(file, killed, *more), output=said, **place)
        assert code == -signal.SIGKILL, text
        assert (killed / "checkpoints" / f"step-{step:08d}").exists()
    assert uninterrupted.wait(240) == 0
    assert not (killed / "checkpoints" / f"step-{steps:08d}").exists()
    code, last = forks.run(*command(file, killed, *more), output=said)
    assert code == 0, last
    assert f"Resuming from step {kills[-1]}" in last
    for name in ("weights.safetensors", "optimizer.safetensors"):
        place = Path("checkpoints") / f"step-{steps:08d}" / name
        assert_same_files(killed / place, whole / place)
    model = Path("model") / "model.safetensors"
    assert (killed / model).read_bytes() == (whole / model).read_bytes()
