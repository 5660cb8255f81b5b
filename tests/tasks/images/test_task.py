"""Images, against transformers' own pipeline and preparation."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.errors import DamagedFileError
from regard.json_files import JsonFiles
from regard.tasks.images.preparation import USUAL, Preparation, read_preparation, write_preparation
from regard.tasks.images.task import ImageClassifier, open_image

transformers = pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")

ImageDraw = pytest.importorskip("PIL.ImageDraw")
ImageFont = pytest.importorskip("PIL.ImageFont")
FONT = Path(pytest.importorskip("matplotlib").get_data_path(), "fonts/ttf/DejaVuSans.ttf")

LABELS = {0: "cat", 1: "dog", 2: "tree"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vit")
    torch.manual_seed(23)
    config = transformers.ViTConfig(
        image_size=(14, 14), patch_size=7, hidden_size=15, num_hidden_layers=2,
        num_attention_heads=3, intermediate_size=22, id2label=LABELS,
    )  # fmt: skip
    model = transformers.ViTForImageClassification(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    preparation = {
        "image_processor_type": "ViTImageProcessor", "do_resize": True, "do_rescale": True,
        "do_normalize": True, "size": {"height": 14, "width": 14}, "resample": 3,
        "rescale_factor": 1 / 255, "image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.3, 0.5],
    }  # fmt: skip
    (folder / "preprocessor_config.json").write_text(json.dumps(preparation))
    return folder


@pytest.fixture(scope="module")
def pictures():
    draw = np.random.default_rng(29)
    shapes = [(31, 23, 3), (14, 14, 3), (11, 37), (17, 19, 4)]  # gray and see-through ones too
    return [Image.fromarray(draw.integers(0, 256, shape, np.uint8)) for shape in shapes]


def changed(folder, tmp_path, **changes):
    """The folder's preparation with some settings changed; None leaves one out."""
    result = json.loads((folder / "preprocessor_config.json").read_text()) | changes
    result = {name: value for name, value in result.items() if value is not None}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(result))
    return tmp_path


def test_labels_and_scores_are_the_pipelines(folder, pictures):
    pipeline = transformers.pipeline("image-classification", model=str(folder))
    found = ImageClassifier.load(folder).run(pictures, batch_size=3)
    for mine, expected in zip(found, pipeline(pictures), strict=True):
        assert [each.label for each in mine.labels] == [each["label"] for each in expected]
        scores = [each["score"] for each in expected]
        assert [each.score for each in mine.labels] == pytest.approx(scores, abs=1e-4)


@pytest.mark.parametrize(
    "changes",
    [
        {"do_center_crop": True, "crop_size": {"height": 9, "width": 12}},
        {"do_normalize": False},
        {"do_rescale": False, "size": 11},
        {"do_resize": False},
        {"resample": None, "rescale_factor": None, "image_mean": None, "image_std": None},
    ],
)
def test_every_step_is_as_transformers_does_it(folder, pictures, tmp_path, changes):
    result = changed(folder, tmp_path, **changes)
    processor = transformers.ViTImageProcessor.from_pretrained(result)
    for picture in pictures[:2]:
        expected = processor(picture, return_tensors="pt")["pixel_values"][0]
        np.testing.assert_allclose(
            read_preparation(JsonFiles(result))(picture), expected, atol=2e-5
        )


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("CLIP", {}),
        ("CLIP", {"size": 17, "crop_size": 14, "feature_extractor_type": "CLIPFeatureExtractor"}),
        ("CLIP", {"size": {"shortest_edge": 9}, "crop_size": {"height": 12, "width": 10}}),
        ("Siglip", {"size": {"height": 14, "width": 12}}),
    ],
)
def test_the_processors_of_clip_and_siglip_are_read(kind, settings, pictures, tmp_path):
    named = {"image_processor_type": f"{kind}ImageProcessor"}
    both = {
        "image_processor": (named if "feature_extractor_type" not in settings else {}) | settings
    }
    name = "processor_config.json" if kind == "Siglip" else "preprocessor_config.json"
    content = both if kind == "Siglip" else both["image_processor"]
    (tmp_path / name).write_text(json.dumps(content))
    processor = getattr(transformers, f"{kind}ImageProcessor")(**settings)
    preparation = read_preparation(JsonFiles(tmp_path))
    for picture in pictures[:2]:
        expected = processor(picture, return_tensors="np")["pixel_values"][0]
        np.testing.assert_allclose(preparation.pixels(picture), expected, atol=2e-5)
    write_preparation(preparation, tmp_path)
    assert read_preparation(JsonFiles(tmp_path)) == preparation


def test_a_file_is_read_as_it_was_held(folder, pictures, tmp_path):
    file = tmp_path / "photo.png"
    exif = Image.Exif()
    exif[274] = 6  # turned by a quarter
    pictures[0].save(file, exif=exif)
    classifier = ImageClassifier.load(folder)
    upright = pictures[0].transpose(Image.Transpose.ROTATE_270)
    assert classifier.run([file]) == classifier.run([upright])
    assert classifier.run([file]) != classifier.run([pictures[0]])
    best = classifier.run([file], top_k=1)[0].best.label
    assert (classifier(file), classifier([str(file)])) == (best, [best])


def test_what_is_no_image_is_refused(tmp_path):
    file = tmp_path / "a.png"
    file.write_text("no image")
    with pytest.raises(RegardError, match=r"a.png is not an image Pillow can read"):
        open_image(file)


def test_an_image_with_damaged_exif_data_is_refused(pictures, tmp_path):
    file = tmp_path / "a.png"
    pictures[0].save(file, exif=b"garbage!")
    with pytest.raises(RegardError, match=r"a.png is not an image Pillow can read"):
        open_image(file)


@pytest.mark.parametrize("ending", ["png", "jpg", "gif", "bmp", "tif", "webp"])
def test_a_file_that_ends_too_early_is_refused(pictures, tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    pictures[0].save(file)
    whole = file.read_bytes()
    for share in (10, 2):
        file.write_bytes(whole[: len(whole) // share])
        with pytest.raises(RegardError, match=rf"a.{ending} is not an image Pillow can read"):
            open_image(file)


@pytest.mark.parametrize("channels", [1, 3])
def test_a_preparation_that_is_written_is_read_again(tmp_path, pictures, channels):
    mean, std = (0.25, 0.5, 0.125)[:channels], (0.5, 0.25, 0.75)[:channels]
    preparation = Preparation((11, 13), crop=(7, 9), mean=mean, std=std)
    write_preparation(preparation, tmp_path)
    assert read_preparation(JsonFiles(tmp_path)) == preparation
    assert preparation(pictures[0]).shape == (channels, 7, 9)
    processor = transformers.ViTImageProcessor.from_pretrained(tmp_path)
    picture = pictures[2] if channels == 1 else pictures[0]
    expected = processor(picture, return_tensors="pt")["pixel_values"][0]
    np.testing.assert_allclose(preparation(picture), expected, atol=2e-5)


def test_a_model_of_another_number_of_channels_is_refused(folder):
    model = ImageClassifier.load(folder).model
    gray = Preparation((14, 14), mean=(0.5,), std=(0.5,))
    with pytest.raises(RegardError, match="must be prepared to 3 channels"):
        ImageClassifier(model, gray)


def test_without_pillow_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(RegardError, match=r"package pillow .*pip install pillow"):
        open_image("a.png")


def test_settings_that_are_not_here_are_refused(folder, tmp_path):
    with pytest.raises(RegardError, match=r"height and width; it says \{'shortest_edge': 9\}"):
        read_preparation(JsonFiles(changed(folder, tmp_path, size={"shortest_edge": 9})))
    (tmp_path / "preprocessor_config.json").write_text("{")
    with pytest.raises(RegardError, match=r"preprocessor_config.json is not valid JSON"):
        read_preparation(JsonFiles(tmp_path))
    (tmp_path / "preprocessor_config.json").unlink()
    with pytest.raises(RegardError, match=r"has no preprocessor_config.json"):
        read_preparation(JsonFiles(tmp_path))


def test_images_of_another_size_are_refused(folder):
    model = ImageClassifier.load(folder).model
    with pytest.raises(RegardError, match=r"to \(14, 14\) .*says \(224, 224\)"):
        ImageClassifier(model, Preparation())


def test_another_model_is_refused(encoder_folder):
    with pytest.raises(RegardError, match=r"must be a vision Transformer .*it is a bert model"):
        ImageClassifier.load(encoder_folder("Bert", "ForSequenceClassification"))
    with pytest.raises(RegardError, match="must be a vision Transformer with labels"):
        ImageClassifier(torch.nn.Linear(3, 3), Preparation())


def test_an_image_of_too_many_pixels_is_refused_before_it_is_read(tmp_path, monkeypatch):
    file = tmp_path / "large.png"
    Image.new("L", (40, 30)).save(file)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1199)  # Pillow itself refuses from twice as many
    with pytest.raises(DamagedFileError, match=r"40 × 30 pixels; an image may have 1,199 in all"):
        open_image(file)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1200)
    assert open_image(file).size == (40, 30)


def test_an_image_that_would_be_too_large_in_the_models_size_is_refused():
    thin = Image.new("RGB", (10_000, 1))
    with pytest.raises(DamagedFileError, match=r"10000 × 1 pixels would have 2240000 × 224 .*Cut"):
        USUAL["CLIP"].cut(thin)


@pytest.mark.parametrize("engine", ["torch", "native"])
def test_a_hidden_patch_is_as_if_the_image_had_none_there(folder, pictures, engine):
    classifier = ImageClassifier.load(folder).run_by(engine)
    trace = classifier.trace(pictures[0], without=["patches:2", 4])
    model = transformers.ViTForImageClassification.from_pretrained(folder)
    with torch.no_grad():
        pixels = torch.from_numpy(classifier.preparation.pixels(pictures[0]))[None]
        states = model.vit.embeddings(pixels)[:, [0, 1, 3]]
        for layer in model.vit.layers if hasattr(model.vit, "layers") else model.vit.encoder.layer:
            states = layer(states)[0] if isinstance(layer(states), tuple) else layer(states)
        expected = model.classifier(model.vit.layernorm(states)[:, 0])[0].softmax(-1)
    assert {each.token: each.probability for each in trace.labels} == pytest.approx(
        {label: expected[k].item() for k, label in LABELS.items()}, abs=1e-6
    )
    seen = open_image(trace.axes["patches"].image)
    assert np.array_equal(np.array(seen), classifier.preparation.cut(pictures[0]))
    with pytest.raises(RegardError, match="positions of patches must be from 0 to 4"):
        classifier.trace(pictures[0], without=[5])


@pytest.mark.parametrize(
    ("ink", "paper"), [("black", "white"), ("white", "black"), ("navy", "ivory")]
)
@pytest.mark.parametrize("side", [28, 112])
def test_digits_are_read_from_dark_and_from_light_paper(ink, paper, side):
    """Digits of a font, which are not written by hand."""
    font = ImageFont.truetype(FONT, int(side * 0.72))
    images = []
    for digit in range(10):
        images.append(Image.new("RGB", (side, side), paper))
        at = (side / 2, side / 2)
        ImageDraw.Draw(images[-1]).text(at, str(digit), fill=ink, font=font, anchor="mm")
    assert "".join(regard.load("digits")(images)) == "0123456789"


def test_ink_on_no_paper_is_ink_on_white():
    image = Image.new("RGBA", (28, 28))
    ImageDraw.Draw(image).line([(14, 4), (14, 24)], fill="black", width=2)
    assert regard.load("digits")(image) == "1"


def test_a_background_is_written_and_read_again_and_an_unknown_one_is_refused(tmp_path):
    write_preparation(Preparation(background="light"), tmp_path)
    assert read_preparation(JsonFiles(tmp_path)).background == "light"
    file = tmp_path / "preprocessor_config.json"
    file.write_text(file.read_text().replace('"light"', '"pink"'))
    with pytest.raises(DamagedFileError, match="background must be one of"):
        read_preparation(JsonFiles(tmp_path))
