"""A classifier of images learns from a folder or an .npz, and is the same one in transformers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from fixtures.pictures import bars
from regard import RegardError
from regard.checkpoints.card import read_card
from regard.errors import DamagedFileError
from regard.tasks.images.batches import Augmentation, ImageBatches, Images
from regard.tasks.images.preparation import Preparation
from regard.tasks.images.read import PictureFolder
from regard.tasks.images.score import ImageEvaluator
from regard.tasks.images.task import ImageClassifier
from regard.tasks.images.train import (
    ImageClassificationRecipe,
    _measured,
    initialize,
)
from regard.tasks.images.train_options import ImageClassificationOptions
from regard.training import RunFolder
from regard.training.options.evaluation import LabelOptions

transformers = pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")


def write_folder(path: Path, images: np.ndarray, labels: np.ndarray, ending: str = "png") -> Path:
    for number, (image, label) in enumerate(zip(images, labels, strict=True)):
        (path / str(label)).mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(path / str(label) / f"{number:03}.{ending}")
    return path


def parts(output: Path) -> dict[str, Images]:
    return {name: Images.open(output / "data", name) for name in ("train", "dev", "test")}


def test_it_learns_whether_a_bar_lies_or_stands(seen: Any) -> None:
    output, progress, said = seen
    assert progress.figures["accuracy"] == 1.0
    assert said[0].endswith("300 read, 300 kept; none left out")
    assert said[2] == "210 to train on, 45 dev, 45 test"
    classifier = regard.load(str(output / "model"))
    assert isinstance(classifier, ImageClassifier)
    images, labels = bars(20, 7)
    assert np.sum(np.array(classifier(list(map(Image.fromarray, images)))) == labels) >= 18


def test_the_folder_opens_in_transformers_with_the_same_labels(seen: Any) -> None:
    folder = str(seen[0] / "model")
    pictures = [Image.fromarray(image) for image in bars(5, 8)[0]]
    pictures.append(Image.fromarray(bars(1, 9, 3)[0][0]).resize((31, 17)))
    pipeline = transformers.pipeline("image-classification", model=folder)
    for found, expected in zip(
        ImageClassifier.load(folder).run(pictures), pipeline(pictures), strict=True
    ):
        assert [each.label for each in found.labels] == [each["label"] for each in expected]
        scores = [each["score"] for each in expected]
        assert [each.score for each in found.labels] == pytest.approx(scores, abs=1e-4)


def test_a_model_of_one_channel_has_transformers_logits(
    bar_images: Path, see: Any, tmp_path: Path
) -> None:
    see(bar_images, tmp_path, channels=1, max_steps=3)
    folder = tmp_path / "model"
    classifier = ImageClassifier.load(folder)
    assert classifier.model.config.channels == 1
    picture = Image.fromarray(bars(1, 8)[0][0])
    theirs = transformers.ViTForImageClassification.from_pretrained(folder).eval()
    processor = transformers.ViTImageProcessor.from_pretrained(folder)
    inputs = processor(picture, return_tensors="pt")
    with torch.inference_mode():
        expected = theirs(**inputs).logits
        found = classifier.model(classifier.preparation(picture)[None])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_the_mean_and_deviation_are_those_of_the_training_images(seen: Any) -> None:
    pixels = np.asarray(parts(seen[0])["train"].pixels) / 255
    settings = json.loads((seen[0] / "model" / "preprocessor_config.json").read_text())
    assert settings["image_mean"] == pytest.approx([pixels.mean()] * 3, abs=1e-5)
    assert settings["image_std"] == pytest.approx([pixels.std()] * 3, abs=1e-5)


@pytest.mark.parametrize(
    ("borders", "background"), [((0, 9), "dark"), ((255, 200), "light"), ((0, 255), None)]
)
def test_the_background_is_the_one_that_all_gray_images_have(
    borders: tuple[int, int], background: str | None
) -> None:
    images = np.stack([np.full((4, 4, 1), border, np.uint8) for border in borders])
    images[:, 1:3, 1:3] = 128
    assert _measured(Preparation(), images).background == background
    assert _measured(Preparation(), images.repeat(3, -1)).background is None  # a photograph


def test_the_card_says_how_it_was_made(seen: Any) -> None:
    facts = read_card(seen[0] / "model")
    assert facts["pipeline_tag"] == "image-classification"
    assert facts["training_images"] == 210
    assert facts["dev"]["accuracy"] == 1.0
    assert "one of lies, stands" in (seen[0] / "model" / "README.md").read_text()


def test_the_finished_model_is_scored_on_the_test_images(seen: Any) -> None:
    classifier, test = ImageClassifier.load(seen[0] / "model"), parts(seen[0])["test"]
    options = ImageClassificationOptions(output=str(seen[0]))
    recipe = ImageClassificationRecipe("bars", options, say=pytest.fail, command="")
    [(_, data)] = recipe.test_sets(seen[0])
    evaluation = ImageEvaluator(LabelOptions(), say=pytest.fail).report(classifier, data)
    assert evaluation.count == 45
    said = classifier([Image.fromarray(pixels[..., 0]) for pixels in test.pixels])
    right = [label == classifier.labels[k] for label, k in zip(said, test.labels, strict=True)]
    assert evaluation.figures["accuracy"] == pytest.approx(np.mean(right))
    assert evaluation.figures["accuracy"] > 0.8


def weights(output: Path) -> dict[str, torch.Tensor]:
    newest = RunFolder(output, warn=pytest.fail).newest()
    assert newest is not None
    return newest.weights


@pytest.mark.slow  # trains
def test_a_crashed_run_ends_with_the_weights_of_an_uninterrupted_one(
    bar_images: Path, see: Any, tmp_path: Path
) -> None:
    def crash(event: str, progress: Any) -> None:
        if event == "step" and progress.step == 13:
            raise OSError("the power is out")

    options = {"max_steps": 18, "evaluate_every": 4, "dropout": 0.1}  # more than an epoch
    see(bar_images, tmp_path / "whole", **options)
    with pytest.raises(OSError, match="power"):
        see(bar_images, tmp_path / "cut", watch=crash, **options)
    _, said = see(bar_images, tmp_path / "cut", **options)
    assert said[0].startswith("found prepared data")
    whole, cut = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(whole[name], cut[name]) for name in whole)


def test_a_folder_of_pictures_gives_the_bytes_of_an_npz(see: Any, tmp_path: Path) -> None:
    images, labels = bars(60, 3, 3)
    write_folder(tmp_path / "folder", images, labels)
    (tmp_path / "folder" / "lies" / "notes.txt").write_text("not an image")
    np.savez(tmp_path / "a.npz", images=images, labels=labels)
    _, said = see(tmp_path / "folder", tmp_path / "one", max_steps=1)
    assert said[0].endswith("1 left out whose names are not those of images")
    see(tmp_path / "a.npz", tmp_path / "two", max_steps=1)
    for name, one in parts(tmp_path / "one").items():
        two = parts(tmp_path / "two")[name]
        first, second = (
            sorted((int(label), pixels.tobytes()) for label, pixels in zip(*each, strict=True))
            for each in ((one.labels, one.pixels), (two.labels, two.pixels))
        )
        assert first == second


def test_broken_pictures_are_left_out_and_named(see: Any, tmp_path: Path) -> None:
    images, labels = bars(40, 3)
    folder = write_folder(tmp_path / "folder", images, labels)
    whole = next((folder / "lies").glob("*.png")).read_bytes()
    torn, empty, page, text = (folder / "lies" / f"{name}.png" for name in "abcd")
    torn.write_bytes(whole[:60])  # the size can be read, the pixels cannot
    empty.write_bytes(b"")
    page.write_bytes(b"<html>")
    text.write_bytes(b"no picture")
    _, said = see(folder, tmp_path / "run", max_steps=1)
    expected = f"44 read, 40 kept; 4 broken ({torn}, {empty}, {page} and 1 more)"
    assert said[0] == f"{folder}: {expected}"
    found = [
        pixels.tobytes() for part in parts(tmp_path / "run").values() for pixels in part.pixels
    ]
    assert sorted(found) == sorted(image.tobytes() for image in images)


def test_an_evaluation_names_the_broken_picture_and_stops(seen: Any, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder", *bars(6, 3))
    (folder / "lies" / "b.png").write_bytes(b"no picture")
    classifier = ImageClassifier.load(seen[0] / "model")
    with pytest.raises(DamagedFileError, match=r"b\.png is not an image Pillow can read"):
        ImageEvaluator(LabelOptions()).score(classifier, PictureFolder(str(folder), say=print))


def test_a_changed_picture_in_the_folder_is_other_data(see: Any, tmp_path: Path) -> None:
    images, labels = bars(40, 3)
    folder = write_folder(tmp_path / "folder", images, labels)
    see(folder, tmp_path / "run", max_steps=1)
    Image.fromarray(images[0] // 2).save(next(folder.rglob("*.png")))
    with pytest.raises(RegardError, match="holds a run on other data"):
        see(folder, tmp_path / "run", max_steps=1)


def test_equal_images_go_to_one_part_and_duplicates_go(see: Any, tmp_path: Path) -> None:
    images, labels = bars(50, 3)
    twice = np.concatenate([images, images, images])
    other = np.where(labels == "lies", "stands", "lies")
    np.savez(tmp_path / "a.npz", images=twice, labels=np.concatenate([labels, labels, other]))
    _, said = see(tmp_path / "a.npz", tmp_path / "run", max_steps=1)
    assert said[0].endswith("150 read, 100 kept; 50 duplicate")
    found = {
        name: {each.tobytes() for each in part.pixels}
        for name, part in parts(tmp_path / "run").items()
    }
    assert sum(map(len, found.values())) == len(set.union(*found.values())) == 50
    assert all(found.values())


def test_a_given_dev_set_is_not_trained_on(see: Any, tmp_path: Path) -> None:
    images, labels = bars(60, 3)
    np.savez(tmp_path / "a.npz", images=images, labels=labels)
    np.savez(tmp_path / "dev.npz", images=images[:10], labels=labels[:10])
    np.savez(tmp_path / "test.npz", images=images[8:15], labels=labels[8:15])
    _, said = see(
        tmp_path / "a.npz", tmp_path / "run", max_steps=1,
        dev=str(tmp_path / "dev.npz"), test=str(tmp_path / "test.npz"),
    )  # fmt: skip
    assert "45 to train on, 10 dev, 7 test; 15 left out because dev or test has them too" in said
    assert len(parts(tmp_path / "run")["train"]) == 45


def test_images_of_many_sizes_are_resized_on_request(see: Any, tmp_path: Path) -> None:
    images, labels = bars(40, 3)
    folder = write_folder(tmp_path / "folder", images, labels)
    Image.fromarray(images[0]).resize((30, 20)).save(folder / "lies" / "odd.png")
    with pytest.raises(RegardError, match=r"odd.png has 20 × 30 pixels.* 12 × 12. Give image_size"):
        see(folder, tmp_path / "run", max_steps=1)
    _, said = see(folder, tmp_path / "run", max_steps=1, image_size=16)
    assert "41 images resized to 16 × 16 pixels" in said
    assert ImageClassifier.load(tmp_path / "run" / "model").model.config.image_size == (16, 16)


def test_fine_tuning_starts_from_the_bases_weights_and_preparation(
    seen: Any, see: Any, tmp_path: Path
) -> None:
    base = seen[0] / "model"
    images, labels = bars(40, 11, 3)
    large = images.repeat(2, axis=1).repeat(2, axis=2)
    np.savez(tmp_path / "a.npz", images=large, labels=np.where(labels == "lies", 0, 10))
    options = dict(base_model=str(base), max_steps=1, learning_rate=1e-9, train_layers=0)
    _, said = see(tmp_path / "a.npz", tmp_path / "run", **options)
    assert "40 images resized to 12 × 12 pixels" in said
    assert "194 of them trained" in "\n".join(said)
    before, after = (
        regard.from_pretrained(folder) for folder in (base, tmp_path / "run" / "model")
    )
    assert after.config.labels == ("0", "10")
    for name, value in before.state_dict().items():
        if not name.startswith("head."):
            assert torch.equal(value, after.state_dict()[name]), name
    mine, theirs = (
        json.loads((folder / "preprocessor_config.json").read_text())
        for folder in (tmp_path / "run" / "model", base)
    )
    assert mine == theirs


def test_every_image_is_trained_on_once_an_epoch() -> None:
    images = Images(np.zeros((23, 4, 4, 1), np.uint8), np.arange(23))
    batches = ImageBatches(images, Preparation((4, 4)), Augmentation(), batch_size=5, seed=3)
    assert len(batches) == 4
    first, second = (
        np.concatenate([batches.at(step).labels for step in range(start, start + 4)])
        for start in (0, 4)
    )
    assert len(set(first.tolist())) == len(set(second.tolist())) == 20
    assert first.tolist() != second.tolist()
    assert batches.at(0).pixels.shape == (5, 3, 4, 4)


@pytest.mark.long("trains")
def test_class_weights_and_patches_change_the_result(
    bar_images: Path, see: Any, tmp_path: Path
) -> None:
    see(bar_images, tmp_path / "plain", max_steps=2)
    see(bar_images, tmp_path / "weighed", max_steps=2, class_weights=True)
    plain, weighed = weights(tmp_path / "plain"), weights(tmp_path / "weighed")
    assert any(not torch.equal(plain[name], weighed[name]) for name in plain)
    see(bar_images, tmp_path / "small", max_steps=1, patch_size=6)
    config = ImageClassifier.load(tmp_path / "small" / "model").model.config
    assert config.patch_size == (6, 6)


def array(shape: tuple[int, ...], dtype: Any = np.uint8) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 255, shape).astype(dtype)


ARRAYS: dict[str, dict[str, Any]] = {
    "good": dict(images=array((40, 8, 8)), labels=np.arange(40) % 2),
    "named": dict(pixels=array((4, 8, 8)), labels=np.arange(4)),
    "floats": dict(images=array((4, 8, 8), np.float32), labels=np.arange(4)),
    "flat": dict(images=array((4, 64)), labels=np.arange(4)),
    "short": dict(images=array((4, 8, 8)), labels=np.arange(3)),
    "one": dict(images=array((40, 8, 8)), labels=np.zeros(40)),
    "odd": dict(images=array((40, 31, 31)), labels=np.arange(40) % 2),
    "other": dict(images=array((5, 8, 8, 3)), labels=np.full(5, 7)),
    "objects": dict(images=np.array([{}, {}], dtype=object), labels=np.arange(2)),
}


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ("named.npz", {}, "has no array 'images'; it has labels, pixels"),
        ("floats.npz", {}, "must be bytes from 0 to 255 .uint8.; got float32. Convert them"),
        ("flat.npz", {}, r"must be \(n, height, width\).* got \(4, 64\)\. Reshape them"),
        ("short.npz", {}, r"must be \(4,\), one for each image; got \(3,\)\. Save as many"),
        ("one.npz", {}, "at least two labels; the training images have only"),
        ("odd.npz", {}, "31 × 31 pixels cannot be cut into square patches.* such as 32"),
        ("objects.npz", {}, "is not an .npz of arrays"),
        ("text.npz", {}, "is not an .npz of arrays"),
        ("good.npz", {"dev": "other.npz"}, "has the label '7', which no training image has"),
        ("good.npz", {"patch_size": 3}, "patch_size must divide the images' 8 × 8 pixels; got 3"),
        ("good.npz", {"max_tokens": 3}, "max_tokens must be at least 17"),
        ("good.npz", {"preset": "giant"}, "preset must be one of mini, micro, tiny"),
        ("good.npz", {"channels": 2}, "channels must be 1 or 3; got 2"),
        ("good.npz", {"rotate": 200}, "rotate must be from 0 to 180; got 200"),
        ("good.npz", {"base_model": "nowhere"}, "there is no folder nowhere"),
        ("good.npz", {"base_model": "x", "preset": "tiny"}, "preset is that of the trained model"),
        ("good.npz", {"train_layers": 1}, "train_layers keeps the other layers"),
        ("none", {}, "expected a folder of images or an .npz at .* neither. Check the path"),
        ("a.csv", {}, "expected a folder with a sub-folder of images for each label, or an .npz"),
        ("empty", {}, "a sub-folder of images for each label; .* has none. Put the images of each"),
        (
            "broken",
            {},
            "expected images in .*; none of its 2 can be read: .* is not an image Pillow",
        ),
        ("torn", {}, "expected images in .*; none of its 6 can be read: .* is not an image Pillow"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_no_run(
    data: str, options: dict[str, Any], message: str, see: Any, tmp_path: Path
) -> None:
    for name, arrays in ARRAYS.items():
        np.savez(tmp_path / f"{name}.npz", **arrays)
    (tmp_path / "text.npz").write_text("no arrays")
    (tmp_path / "a.csv").write_text("image,label\n")
    (tmp_path / "empty" / "label").mkdir(parents=True)
    for label in ("lies", "stands"):
        (tmp_path / "broken" / label).mkdir(parents=True)
        (tmp_path / "broken" / label / "b.png").write_bytes(b"no picture")
    for picture in write_folder(tmp_path / "torn", *bars(6, 3)).rglob("*.png"):
        picture.write_bytes(picture.read_bytes()[:60])  # the size can be read, the pixels cannot
    if "dev" in options:
        options = options | {"dev": str(tmp_path / options["dev"])}
    with pytest.raises(RegardError, match=message):
        see(tmp_path / data, tmp_path / "run", **options)
    assert not (tmp_path / "run" / "run.json").exists()


def test_an_npz_needs_no_pillow(
    bar_images: Path, see: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    write_folder(tmp_path / "folder", *bars(6, 3))
    monkeypatch.setitem(sys.modules, "PIL", None)
    see(bar_images, tmp_path / "run", max_steps=1)
    with pytest.raises(RegardError, match="reading images needs the package pillow"):
        see(tmp_path / "folder", tmp_path / "other", max_steps=1)


@pytest.mark.parametrize(
    ("size", "patch"),
    [((28, 28), 7), ((32, 32), 8), ((8, 8), 2), ((64, 64), 8), ((224, 224), 16), ((24, 36), 12)],
)
def test_patches_are_as_large_as_the_images_allow(
    size: tuple[int, int], patch: int, tmp_path: Path
) -> None:
    recipe = ImageClassificationRecipe("", ImageClassificationOptions(), say=print, command="")
    assert recipe.patch_size(size) == patch


def test_a_new_model_begins_undecided_and_sees_where_patches_are(seen: Any) -> None:
    model = ImageClassifier.load(seen[0] / "model").model
    initialize(model)
    pixels = torch.randn(4, 3, 12, 12)
    assert torch.equal(model(pixels), torch.zeros(4, 2))
    inner = model.encoder.layers[0].feed_forward.inner.weight
    assert inner.std().item() == pytest.approx(96**-0.5, rel=0.05)
    assert model.embed.positions.std().item() == pytest.approx(0.5, rel=0.1)
