"""Two encoders learn which text fits an image: with the loss of transformers, until each does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from fixtures import dual_encoders
from fixtures.gradients import largest_difference
from regard.errors import RegardError
from regard.tasks.matching.score import MatchEvaluator
from regard.tasks.matching.task import Matcher
from regard.tasks.matching.train import MatchingRecipe
from regard.tasks.matching.train_options import MatchingEvaluationOptions, MatchingOptions
from regard.training.recipe import learn

transformers = pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")

TEXTS = ("a photo of a cat", "a dog", "This is a tree .", "photo")


def write_table(path: Path, seed: int) -> Path:
    """A table of images, a color for each text."""
    draw, lines = np.random.default_rng(seed), []
    for row, text in enumerate(TEXTS):
        color = 200 * np.array([row % 2, row // 2, 1 - row % 2]) + draw.integers(0, 50, (14, 14, 3))
        Image.fromarray(color.astype(np.uint8)).save(path.with_name(f"{path.stem}-{row}.png"))
        lines.append(f"{path.stem}-{row}.png,{text}\n")
    path.write_text("image,caption\n" + "".join(lines))
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("pictures")
    return [write_table(folder / f"{name}.csv", seed) for seed, name in enumerate(("data", "dev"))]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {kind: dual_encoders.save(kind, folder / kind) for kind in ("CLIP", "Siglip")}


@pytest.fixture
def match(models: dict[str, Path]) -> Callable[..., MatchingRecipe]:
    def recipe(data: Path, said: list[str], kind: str = "CLIP", **options: Any) -> MatchingRecipe:
        settings = MatchingOptions(base_model=str(models[kind]), **options)
        return MatchingRecipe(str(data), settings, say=said.append, command="regard train")

    return recipe


@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_the_loss_and_its_gradients_are_those_of_transformers(
    kind: str, models: dict[str, Path], tables: list[Path], match: Any
) -> None:
    recipe = match(tables[0], [], kind)
    examples = [*recipe.examples(str(tables[0]), pytest.fail)]
    batch = recipe.batch(examples)
    ours = recipe.base.model.double()
    loss, count, _ = recipe.loss(ours, batch)
    (loss / count).backward()
    theirs = getattr(transformers, f"{kind}Model").from_pretrained(models[kind]).double()
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(models[kind])
    padding = "max_length" if kind == "Siglip" else True
    inputs = tokenizer([example.pair for example in examples], padding=padding, return_tensors="pt")
    inputs.pop("token_type_ids", None)
    expected = theirs(**inputs, pixel_values=batch.pixels.double(), return_loss=True).loss
    expected.backward()
    assert loss.item() / count == pytest.approx(expected.item(), abs=1e-12)
    assert largest_difference(ours, theirs) < 1e-10


@pytest.mark.long("trains")
@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_it_learns_which_text_fits(
    kind: str, tables: list[Path], match: Any, tmp_path: Path
) -> None:
    data, dev = tables
    recipe = match(
        data, [], kind, output=str(tmp_path / "run"), dev=str(dev), learning_rate=1e-2,
        max_steps=80, evaluate_every=80, warmup=5, precision="fp32",
    )  # fmt: skip
    assert all(weight.ndim for weight in recipe.base.model.parameters())  # FSDP takes no scalars
    recipe.base.model.reset_parameters()  # the scale and the bias of the papers
    progress = learn(recipe)
    assert progress.figures["text_recall_1"] == progress.figures["image_recall_1"] == 1
    learned = regard.load(str(tmp_path / "run" / "model"))
    assert isinstance(learned, Matcher)
    files = [str(dev.with_name(f"dev-{row}.png")) for row in range(4)]
    assert learned(files, [*TEXTS]) == [*TEXTS]
    getattr(transformers, f"{kind}Model").from_pretrained(tmp_path / "run" / "model")


def test_ranks_are_of_the_best_own_text_and_image(
    models: dict[str, Path], tables: list[Path], tmp_path: Path
) -> None:
    matcher = Matcher.load(models["CLIP"])
    names = [tables[0].with_name(f"data-{row}.png") for row in (0, 1, 2, 0)]
    data = tmp_path / "pairs.tsv"
    data.write_text("".join(f"{name}\t{text}\n" for name, text in zip(names, TEXTS, strict=True)))
    evaluator = MatchEvaluator(MatchingEvaluationOptions(), say=pytest.fail)
    report = evaluator.report(matcher, evaluator.read(str(data)))
    cosines = matcher.similarity([str(name) for name in names[:3]], TEXTS)
    texts = [1 + int((row[rest] > row[own].max()).sum()) for row, own, rest in zip(
        cosines, ([0, 3], [1], [2]), ([1, 2], [0, 2, 3], [0, 1, 3]), strict=True
    )]  # fmt: skip
    images = [1 + int((cosines[:, k] > cosines[i, k]).sum()) for k, i in enumerate((0, 1, 2, 0))]
    ranks = [*(texts[i] for i in (0, 1, 2, 0)), *images]
    assert report.figures["mrr"] == pytest.approx(np.mean([1 / rank for rank in ranks]))
    assert report.figures["text_recall_1"] == np.mean([rank == 1 for rank in ranks[:4]])
    assert report.figures["image_recall_5"] == 1


def test_what_cannot_be_learned_from_is_counted_or_refused(
    tables: list[Path], match: Any, tmp_path: Path
) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    names = [tables[0].with_name(f"data-{row}.png") for row in range(4)]
    rows = [f"{name},{text}" for name, text in zip(names, TEXTS, strict=True)]
    rows += ["broken.png,a cat", "gone.png,a cat", f"{names[0]},", f"{names[0]},{'cat ' * 64}"]
    data = tmp_path / "mixed.csv"
    data.write_text("image,text\n" + "\n".join(rows))
    said: list[str] = []
    learn(match(data, said, output=str(tmp_path / "run"), max_steps=1))
    reasons = (
        "1 broken file (first at line 6)",
        "1 missing file (first at line 7)",
        "1 empty cell (first at line 8)",
    )
    assert any(line.startswith(f"{data}: 8 read, 4 kept;") for line in said)
    counted = "\n".join(said)
    assert all(reason in counted for reason in (*reasons, "1 long text (first at line 9)")), said
    data.write_text("image,text\n" + rows[5])
    with pytest.raises(
        RegardError, match=r"line 2: expected a file at .*gone.png, but there is no"
    ):
        learn(match(data, [], output=str(tmp_path / "none")))
    data.write_text("image,text\n" + "\n".join(rows[:3]))
    with pytest.raises(
        RegardError, match=r"a batch needs at least two pairs, .* there is 1 to train"
    ):
        learn(match(data, [], output=str(tmp_path / "one")))
    with pytest.raises(RegardError, match="batch_size must be at least 2; got 1"):
        match(data, [], batch_size=1)
    with pytest.raises(RegardError, match="dropout is not an option of this task"):
        match(data, [], dropout=0.1)
