"""An encoder learns hidden words; it opens in transformers and is what fine-tuning starts from."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard import RegardError
from regard.checkpoints.card import read_card
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.fill_mask.train import MaskedLanguageModelRecipe, predicted
from regard.tasks.fill_mask.train_options import MaskedLanguageModelOptions
from regard.tasks.text_generation.blocks import blocks, word_starts
from regard.training import Progress, RunFolder
from regard.training.recipe import learn

transformers = pytest.importorskip("transformers")

TINY: dict[str, Any] = {
    "preset": "tiny", "precision": "fp32", "batch_size": 8, "max_length": 32,
    "learning_rate": 3e-3,
}  # fmt: skip


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("text") / "text.jsonl"
    animals = ("dog", "cat", "horse", "bird", "fish", "mouse")
    places = ("house", "river", "street", "tree", "garden", "snow")
    lines = [f"A {a} is in the {p}; the {p} has a {a} in it." for a in animals for p in places]
    file.write_text("".join(f'{{"text": "{line}"}}\n' for line in lines))
    return file


def recipe(data: Path, output: Path, said: list[str], **options: Any) -> MaskedLanguageModelRecipe:
    settings = MaskedLanguageModelOptions(output=str(output), **(TINY | options))
    return MaskedLanguageModelRecipe(str(data), settings, say=said.append, command="regard train")


def fill(data: Path, output: Path, *, watch: Any = None, **options: Any) -> Any:
    said: list[str] = []
    run = recipe(data, output, said, **options)
    return learn(run, watch=watch or (lambda event, progress: None)), said


@pytest.fixture(scope="module")
def trained(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    output = tmp_path_factory.mktemp("run")
    return output, *fill(text, output, max_steps=150, evaluate_every=50)


def test_it_learns_the_words(trained: Any) -> None:
    output, progress, said = trained
    figures = progress.figures
    assert figures["accuracy"] > 0.5
    assert figures["perplexity"] == pytest.approx(math.exp(figures["loss"]))
    assert "dev: 4 of 36 documents" in said
    assert isinstance(regard.load(str(output / "model")), MaskFiller)


def test_the_folder_opens_in_transformers_with_the_same_logits(trained: Any) -> None:
    folder = trained[0] / "model"
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    ids = tokenizer("A dog is in the <mask>.", return_tensors="pt")
    assert tokenizer.mask_token_id in ids["input_ids"]
    ours = regard.from_pretrained(str(folder))
    with torch.no_grad():
        expected = theirs(**ids).logits
        found = ours(ids["input_ids"])
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_only_masked_positions_are_predicted(trained: Any, text: Path) -> None:
    run = recipe(text, trained[0], [], max_steps=150, evaluate_every=50)
    data = run.prepare(trained[0] / "data")
    model = run.model(data).eval()
    batch = run.batches(data, model).at(0)
    states, table, bias, targets = predicted(model, batch)
    assert len(states) == len(targets) == int(batch.chosen.sum())
    inputs = batch.inputs.inputs
    with torch.no_grad():
        logits = model(inputs.ids, attention_mask=inputs.attention_mask)[batch.chosen]
        torch.testing.assert_close(states @ table.T + bias, logits)
        loss, terms, _ = run.loss(model, batch)
    expected = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
    assert terms == len(targets)
    torch.testing.assert_close(loss, expected, rtol=1e-4, atol=1e-4)


def test_classification_starts_from_it(trained: Any, classify: Any, tmp_path: Path) -> None:
    file = tmp_path / "labeled.tsv"
    lines = [f"A {a} is here {k}.\t{int(a == 'dog')}" for k in range(20) for a in ("dog", "cat")]
    file.write_text("text\tlabel\n" + "\n".join(lines) + "\n")
    base = str(trained[0] / "model")
    classify(file, tmp_path / "run", base_model=base, max_steps=1, train_layers=0)
    before, after = (
        regard.from_pretrained(folder).state_dict() for folder in (base, tmp_path / "run" / "model")
    )
    body = [name for name in before if not name.startswith("head.")]
    assert body
    assert all(torch.equal(before[name], after[name]) for name in body)


def test_it_continues_a_trained_model(trained: Any, text: Path, tmp_path: Path) -> None:
    base = str(trained[0] / "model")
    progress, _ = fill(text, tmp_path, base_model=base, max_steps=1, learning_rate=1e-9)
    assert progress.figures["loss"] == pytest.approx(trained[1].best, abs=1e-4)


@pytest.mark.slow  # trains
def test_a_crashed_run_ends_with_the_weights_of_an_uninterrupted_one(
    text: Path, tmp_path: Path
) -> None:
    def crash(event: str, progress: Progress) -> None:
        if event == "step" and progress.step == 7:
            raise OSError("the power is out")

    options = {"max_steps": 8, "evaluate_every": 4}
    fill(text, tmp_path / "whole", **options)
    with pytest.raises(OSError, match="power"):
        fill(text, tmp_path / "cut", watch=crash, **options)
    fill(text, tmp_path / "cut", **options)
    whole, cut = (
        RunFolder(tmp_path / name, warn=pytest.fail).newest() for name in ("whole", "cut")
    )
    assert whole is not None
    assert cut is not None
    assert all(torch.equal(whole.weights[name], cut.weights[name]) for name in whole.weights)


def test_blocks_hold_whole_words_of_one_document(trained: Any) -> None:
    from regard.data.documents import Piece

    tokenizer = regard.load(str(trained[0] / "model")).tokenizer  # type: ignore[attr-defined]
    pieces = [Piece(0, "the garden and the horse " * 9), Piece(0, "snow"), Piece(1, "a bird")]
    found = list(blocks(pieces, tokenizer, 16))
    starts = word_starts(tokenizer)
    assert all(len(block) <= 16 and starts[block[1]] for block in found)
    first, last = tokenizer.special_id("cls"), tokenizer.special_id("sep")
    assert all(block[0] == first and block[-1] == last for block in found)
    assert tokenizer.decode(found[-1]) == "a bird"
    text = " ".join(tokenizer.decode(block) for block in found[:-1])
    assert text == "the garden and the horse " * 9 + "snow"


def test_the_card_says_how_it_was_made(trained: Any) -> None:
    facts = read_card(trained[0] / "model")
    assert facts["pipeline_tag"] == "fill-mask"
    assert facts["dev"]["accuracy"] == pytest.approx(trained[1].figures["accuracy"], abs=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"masked": 1.0}, "masked must be above 0 and below 1; got 1.0"),
        ({"dev_fraction": 0.0}, "dev_fraction must be above 0"),
        ({"text": "words"}, "has no column 'words'"),
        ({"preset": "giant"}, "giant"),
        ({"test": "x.txt"}, "test is not an option of this task"),
        ({"base_model": "x", "lora_rank": 4}, "lora_rank is not an option of"),
    ],
)
def test_bad_input_is_one_sentence(
    options: dict[str, Any], message: str, text: Path, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=message):
        fill(text, tmp_path / "run", **options)
    assert not (tmp_path / "run" / "run.json").exists()


def test_two_words_are_too_few(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("hello world")
    wanted = r"short.txt must have more than 32 tokens, the length of a block; got \d+\. Give more"
    with pytest.raises(RegardError, match=wanted):
        fill(tmp_path / "short.txt", tmp_path / "run")
    assert not (tmp_path / "run" / "run.json").exists()
