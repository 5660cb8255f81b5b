"""Vectors are learned from pairs and from scores, and saved as sentence-transformers has them."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.checkpoints import Checkpoint
from regard.checkpoints.card import read_card
from regard.data import TokenStore
from regard.tasks.embedding.pairs import PairBatches, contrastive_loss, cosine_loss, shared_texts
from regard.tasks.embedding.score import evaluate_pairs
from regard.tasks.embedding.task import Embedder, read_settings
from regard.tasks.embedding.train import EmbeddingRecipe
from regard.tasks.embedding.train_options import EmbeddingOptions
from regard.training import Progress, RunFolder
from regard.training.examples import read_examples
from regard.training.recipe import learn

transformers = pytest.importorskip("transformers")

ENGLISH = ("dog", "cat", "horse", "bird", "fish", "mouse", "cow", "hen", "fox", "owl", "ant", "bee")
GERMAN = ("hund", "katze", "pferd", "vogel", "fisch", "maus", "kuh", "huhn", "fuchs", "eule",
          "ameise", "biene")  # fmt: skip


def pairs() -> list[tuple[str, str]]:
    """Two animals in English and in German: which word is which must be learned."""
    return [
        (f"the {ENGLISH[k]} and the {ENGLISH[n]}", f"{GERMAN[k]} {GERMAN[n]}")
        for k in range(12)
        for n in range(k)
    ]


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Files to train on and to choose by."""
    folder = tmp_path_factory.mktemp("pairs")
    for name, part in (("dev", pairs()[::4]), ("train", pairs())):
        lines = "".join(f"{one}\t{other}\n" for one, other in part)
        (folder / f"{name}.tsv").write_text(f"text\tpair\n{lines}")
    return folder / "train.tsv", folder / "dev.tsv"


def train(
    data: Path | str, output: Path, *, watch: Any = None, **options: Any
) -> tuple[Progress, list[str]]:
    said: list[str] = []
    tiny: dict[str, Any] = {"preset": "tiny", "precision": "fp32", "batch_size": 16}
    settings = EmbeddingOptions(output=str(output), **(tiny | options))
    recipe = EmbeddingRecipe(str(data), settings, say=said.append, command="regard train")
    progress = learn(recipe, watch=watch or (lambda event, progress: None))
    return progress, said


@pytest.fixture(scope="module")
def trained(
    paired: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Progress, list[str]]:
    output = tmp_path_factory.mktemp("run")
    options = {"max_steps": 60, "evaluate_every": 20, "max_length": 16, "symmetric": True}
    return output, *train(paired[0], output, dev=str(paired[1]), **options)


def test_pairs_that_were_not_seen_are_found(trained: Any) -> None:
    output, progress, said = trained
    assert progress.best is not None
    assert progress.best > 0.6  # by chance 0.24
    assert progress.figures["recall_10"] >= progress.figures["recall_1"]
    assert "49 to train on, 17 dev, 0 test; 17 left out because dev or test has them too" in said
    embedder = regard.load(str(output / "model"))
    assert isinstance(embedder, Embedder)
    dev = list(read_examples(output / "data" / "dev.jsonl"))
    assert evaluate_pairs(embedder, dev).figures["mrr"] == pytest.approx(progress.best, abs=1e-6)


def test_the_vectors_are_transformers_states_pooled(trained: Any) -> None:
    folder = str(trained[0] / "model")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    for text in ("the dog and the cow", "fuchs eule"):
        with torch.no_grad():
            states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        expected = torch.nn.functional.normalize(states.mean(0), dim=0).numpy()
        np.testing.assert_allclose(Embedder.load(folder)(text), expected, atol=1e-5)


def test_the_folder_has_the_files_of_sentence_transformers(trained: Any) -> None:
    folder = trained[0] / "model"
    modules = json.loads((folder / "modules.json").read_text())
    kinds = ["Transformer", "Pooling", "Normalize"]
    assert [each["type"] for each in modules] == [
        f"sentence_transformers.models.{kind}" for kind in kinds
    ]
    assert [each["path"] for each in modules] == ["", "1_Pooling", "2_Normalize"]
    assert json.loads((folder / "1_Pooling" / "config.json").read_text()) == {
        "word_embedding_dimension": 128, "pooling_mode_cls_token": False,
        "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
    }  # fmt: skip
    wanted = {"pooling": "mean", "normalize": True, "max_length": 16, "lowercase": False}
    assert read_settings(Checkpoint(folder)) == (folder, wanted | {"prompt": ""})


def test_the_card_says_how_it_was_made(trained: Any) -> None:
    facts = read_card(trained[0] / "model")
    assert facts["pipeline_tag"] == "sentence-similarity"
    assert facts["training_pairs"] == 49
    assert facts["dev"]["mrr"] == pytest.approx(trained[1].best, abs=1e-4)
    text = (trained[0] / "model" / "README.md").read_text()
    assert "in-batch negatives, temperature 0.05, both directions" in text


def test_fine_tuning_keeps_pooling_and_weights(
    encoder_folder: Any, paired: tuple[Path, Path], tmp_path: Path
) -> None:
    from regard.tasks.embedding.task import write_settings

    base = encoder_folder("Bert", "Model")
    write_settings(base, d_model=15, pooling="max", normalize=False, max_length=20, lowercase=True)
    before = Embedder.load(base)("THE RED HOUSE", normalize=True)
    train(paired[0], tmp_path / "run", base_model=str(base), max_steps=1, learning_rate=1e-9)
    after = Embedder.load(tmp_path / "run" / "model")
    assert (after.pooling, after.normalize, after.lowercase) == ("max", True, True)
    np.testing.assert_allclose(after("THE RED HOUSE"), before, atol=1e-5)


def test_no_first_text_of_dev_is_trained_on(tmp_path: Path) -> None:
    file = tmp_path / "questions.tsv"
    rows = [(f"question {k}", f"question {k + 1}") for k in range(200)]  # each is on both sides
    file.write_text("text\tpair\n" + "".join(f"{one}\t{other}\n" for one, other in rows))
    train(file, tmp_path / "run", max_steps=1, pooling="cls")
    assert Embedder.load(tmp_path / "run" / "model").pooling == "cls"
    parts = {
        name: list(read_examples(tmp_path / "run" / "data" / f"{name}.jsonl"))
        for name in ("train", "dev", "test")
    }
    searched = {each.text for name in ("dev", "test") for each in parts[name]}
    trained = {text for each in parts["train"] for text in (each.text, each.pair)}
    assert len(searched) == 60
    assert not searched & trained
    assert sum(map(len, parts.values())) < 200


def weights(output: Path) -> dict[str, torch.Tensor]:
    newest = RunFolder(output, warn=pytest.fail).newest()
    assert newest is not None
    return newest.weights


@pytest.mark.slow  # trains
def test_a_crashed_run_ends_with_the_weights_of_an_uninterrupted_one(
    paired: tuple[Path, Path], tmp_path: Path
) -> None:
    def crash(event: str, progress: Any) -> None:
        if event == "step" and progress.step == 5:
            raise OSError("the power is out")

    options = {"max_steps": 6, "evaluate_every": 4}
    train(paired[0], tmp_path / "whole", **options)
    with pytest.raises(OSError, match="power"):
        train(paired[0], tmp_path / "cut", watch=crash, **options)
    train(paired[0], tmp_path / "cut", **options)
    whole, cut = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(whole[name], cut[name]) for name in whole)


@pytest.mark.slow  # trains
def test_scores_become_cosines(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    rows = [
        f"the {one},{other} here,{5 if (k < 6) == (n < 6) else 0}\n"
        for k, one in enumerate(ENGLISH)
        for n, other in enumerate(GERMAN)
    ]
    file.write_text("sentence1,sentence2,score\n" + "".join(rows))
    dev = tmp_path / "dev.csv"
    dev.write_text("sentence1,sentence2,score\n" + "".join(f"a {row[4:]}" for row in rows[::7]))
    progress, said = train(
        file, tmp_path / "run", dev=str(dev), max_steps=60, evaluate_every=20, learning_rate=3e-3
    )
    assert any("the score divided by 5" in line for line in said)
    assert progress.best is not None
    assert progress.best > 0.7
    assert set(progress.figures) == {"loss", "spearman", "score"}


def vectors(count: int, seed: int) -> torch.Tensor:
    draw = torch.Generator().manual_seed(seed)
    return torch.nn.functional.normalize(torch.randn(count, 7, generator=draw), dim=1)


def test_the_contrastive_loss_is_the_cross_entropy_of_the_own_pair() -> None:
    first, second = vectors(5, 1), vectors(5, 2)
    # As sentence-transformers' MultipleNegativesRankingLoss with a scale of 20 computes it.
    scores = 20 * torch.nn.functional.cosine_similarity(first[:, None], second[None], dim=-1)
    forth = torch.nn.CrossEntropyLoss(reduction="sum")(scores, torch.arange(5))
    back = torch.nn.CrossEntropyLoss(reduction="sum")(scores.T, torch.arange(5))
    ours = contrastive_loss(first, second, torch.eye(5).bool(), temperature=0.05)
    torch.testing.assert_close(ours, forth)
    both = contrastive_loss(first, second, torch.eye(5).bool(), temperature=0.05, symmetric=True)
    torch.testing.assert_close(both, (forth + back) / 2)


def test_a_pair_that_shares_a_text_is_no_negative() -> None:
    first, second = vectors(3, 1), vectors(3, 2)
    same = shared_texts(["a", "b", "a"], ["x", "y", "z"])
    assert same.tolist() == [[True, False, True], [False, True, False], [True, False, True]]
    scores = first @ second.T
    expected = [
        torch.logsumexp(scores[0, [0, 1]], 0) - scores[0, 0],
        torch.logsumexp(scores[1], 0) - scores[1, 1],
        torch.logsumexp(scores[2, [1, 2]], 0) - scores[2, 2],
    ]
    ours = contrastive_loss(first, second, same, temperature=1.0)
    torch.testing.assert_close(ours, torch.stack(expected).sum())


def test_a_text_may_be_shared_by_either_side() -> None:
    assert shared_texts(["a", "b", "c"], ["x", "a", "x"]).tolist() == [
        [True, True, True], [True, True, False], [True, False, True],
    ]  # fmt: skip


def test_the_cosine_loss_is_a_sum_of_squares() -> None:
    first, second = torch.eye(2), torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    scores = torch.tensor([0.5, 1.0])
    assert cosine_loss(first, second, scores).item() == pytest.approx(0.5**2 + 0.2**2)


def test_a_batch_keeps_both_sides_of_its_pairs_together(tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    rows = [
        ([k] * int(draw.integers(1, 30)), [k] * int(draw.integers(1, 30))) for k in range(1, 200)
    ]
    store = TokenStore.write(tmp_path / "tokens", rows, vocab_size=200)
    config = SimpleNamespace(pad_id=0, token_types=2)
    batches = PairBatches(store, None, config, max_tokens=120, batch_size=16, seed=1)
    seen = []
    padding = total = 0
    for step in range(len(batches)):
        batch = batches.at(step)
        first, second = batch.first, batch.second
        assert torch.equal(first.ids[:, 0], second.ids[:, 0])
        assert max(first.ids.numel(), second.ids.numel()) <= 120
        assert len(first.ids) <= 16
        assert torch.equal(first.attention_mask, first.ids != 0)
        assert batch.num_tokens == int((first.ids > 0).sum() + (second.ids > 0).sum())
        seen += first.ids[:, 0].tolist()
        padding += int((first.ids == 0).sum() + (second.ids == 0).sum())
        total += first.ids.numel() + second.ids.numel()
    assert sorted(seen) == list(range(1, 200))
    assert padding / total < 0.25


HEAD = "text\tpair\n"
GOOD = HEAD + "".join(f"text {k}\tother {k}\n" for k in range(40))
SCORED = GOOD.replace("pair\n", "pair\tscore\n")


def scored(value: str) -> str:
    return SCORED.replace("\n", f"\t{value}\n").replace(f"score\t{value}", "score")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (GOOD, {"pair": "second"}, "has no column 'second'"),
        (GOOD, {"score_scale": 5}, "score_scale needs scores"),
        (scored("high"), {}, "line 2: expected a number as the score; got 'high'"),
        (scored("7") + scored("1"), {"score_scale": 5}, "a score divided by score_scale must be"),
        (GOOD, {"temperature": 0}, "temperature must be above 0; got 0"),
        (GOOD, {"pooling": "sum"}, "pooling must be one of mean, cls, max"),
        (GOOD, {"batch_size": 1}, "batch_size must be at least 2"),
        (GOOD, {"base_model": "x", "train_layers": 0}, "train_layers must be at least 1"),
        (GOOD, {"base_model": "nowhere"}, "nowhere"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_run(
    content: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "data.tsv").write_text(content)
    with pytest.raises(RegardError, match=message):
        train(tmp_path / "data.tsv", tmp_path / "run", **options)
    assert not (tmp_path / "run" / "run.json").exists()


def test_either_every_pair_has_a_score_or_none(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text": f"a {k}", "pair": f"b {k}", "score": 1} for k in range(9)
    ]
    rows += [{"text": "a", "pair": "b", "score": None}]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(RegardError, match="either every pair must have a score or no pair"):
        train(tmp_path / "data.jsonl", tmp_path / "run")


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of transformers, through PEFT
def test_adapters_are_merged_into_the_model_and_open_in_peft(
    trained: Any, paired: tuple[Path, Path], tmp_path: Path
) -> None:
    peft = pytest.importorskip("peft")
    base = str(trained[0] / "model")
    train(paired[0], tmp_path / "run", base_model=base, lora_rank=2, max_steps=3)
    theirs = peft.PeftModel.from_pretrained(
        transformers.AutoModel.from_pretrained(base), str(tmp_path / "run" / "adapter")
    ).eval()
    folder = str(tmp_path / "run" / "model")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        states = theirs(**tokenizer("fuchs eule", return_tensors="pt")).last_hidden_state[0]
    expected = torch.nn.functional.normalize(states.mean(0), dim=0).numpy()
    found = Embedder.load(folder)("fuchs eule")
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(found - Embedder.load(base)("fuchs eule")).max() > 1e-4
