"""Images beside texts, against transformers' own pipeline, and by every engine."""

from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.tasks.matching.task import Matcher

transformers = pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")

LABELS = ["a cat", "a dog", "a photo of a tree"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small model of each kind."""
    from fixtures.dual_encoders import save

    return {kind: save(kind, tmp_path_factory.mktemp(kind)) for kind in ("CLIP", "Siglip")}


@pytest.fixture(scope="module")
def pictures() -> list[Any]:
    draw = np.random.default_rng(29)
    return [Image.fromarray(draw.integers(0, 256, shape, np.uint8)) for shape in ((31, 23, 3),) * 3]


@pytest.mark.parametrize("engine", ["torch", "native"])
@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_scores_are_those_of_transformers(
    kind: str, engine: str, folders: dict[str, Path], pictures: list[Any]
) -> None:
    folder = str(folders[kind])
    matcher = Matcher.load(folder).run_by(engine)
    theirs = transformers.pipeline(
        "zero-shot-image-classification",
        model=folder,
        tokenizer=transformers.AutoTokenizer.from_pretrained(folder),
        image_processor=getattr(transformers, f"{kind}ImageProcessor").from_pretrained(folder),
    )
    ours = regard.pipeline("zero-shot-image-classification", matcher)
    expected = theirs(pictures, candidate_labels=LABELS)
    for mine, other in zip(ours(pictures, candidate_labels=LABELS), expected, strict=True):
        assert [each["label"] for each in mine] == [each["label"] for each in other]
        scores = [each["score"] for each in other]
        assert [each["score"] for each in mine] == pytest.approx(scores, abs=1e-5)


@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_vectors_do_not_depend_on_what_they_are_computed_beside(
    kind: str, folders: dict[str, Path], pictures: list[Any]
) -> None:
    torch_, native = (Matcher.load(folders[kind]).run_by(each) for each in ("torch", "native"))
    together = torch_.texts(LABELS)
    np.testing.assert_allclose(
        together, np.concatenate([torch_.texts([x]) for x in LABELS]), atol=1e-5
    )
    np.testing.assert_allclose(native.texts(LABELS), together, atol=1e-5)
    np.testing.assert_allclose(native.images(pictures), torch_.images(pictures), atol=1e-5)
    cosines = torch_.similarity(pictures, LABELS)
    assert cosines.shape == (3, 3)
    best = torch_(pictures, LABELS)
    assert best == [LABELS[k] for k in cosines.argmax(1)]
    assert torch_(pictures[0], LABELS) == best[0]


@pytest.mark.parametrize("engine", ["torch", "native"])
@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_a_patch_is_compared_by_the_vector_of_an_image_of_it_alone(
    kind: str, engine: str, folders: dict[str, Path], pictures: list[Any]
) -> None:
    matcher = Matcher.load(folders[kind]).run_by(engine)
    found = matcher.patches(pictures[0], "a cat")
    model = getattr(transformers, f"{kind}Model").from_pretrained(folders[kind]).eval()
    pixels = matcher.preparation(pictures[0])[None]
    with torch.no_grad():
        states = model.vision_model(pixels).last_hidden_state
        if kind == "CLIP":
            vectors = model.visual_projection(model.vision_model.post_layernorm(states[0, 1:]))
        else:
            vectors = model.vision_model.head(states[0][:, None])
    text = torch.from_numpy(matcher.texts(["a cat"]))
    expected = torch.nn.functional.cosine_similarity(vectors, text)
    np.testing.assert_allclose(found, expected.reshape(2, 2), atol=1e-5)
    [match] = matcher.run(pictures[:1], ["a dog", "a cat"], patches=True)
    [same] = [fit.patches for fit in match.labels if fit.label == "a cat"]
    np.testing.assert_allclose(same, found, atol=1e-6)


@pytest.mark.parametrize("engine", ["torch", "native"])
@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_what_a_similarity_loses_without_a_patch_a_word_or_both(
    kind: str, engine: str, folders: dict[str, Path], pictures: list[Any]
) -> None:
    matcher = Matcher.load(folders[kind]).run_by(engine)
    found = matcher.occlusion(pictures[0], "a cat", batch_size=3)
    model = getattr(transformers, f"{kind}Model").from_pretrained(folders[kind]).eval()
    pixels = matcher.preparation(pictures[0])[None]
    inputs = {name: torch.from_numpy(array) for name, array in matcher.inputs(["a cat"]).items()}

    def cosine(word: int | None, patch: tuple[int, int] | None) -> float:
        image, mask = pixels.clone(), inputs["attention_mask"].clone()
        if patch is not None:
            row, column = (7 * place for place in patch)
            image[..., row : row + 7, column : column + 7] = 0
        if word is not None:
            mask[:, word] = False
        with torch.no_grad():
            output = model(input_ids=inputs["ids"], attention_mask=mask, pixel_values=image)
        return float((output.image_embeds * output.text_embeds).sum())

    whole = cosine(None, None)
    assert found.words == ["a", "cat"]
    assert found.cosine == pytest.approx(whole, abs=1e-5)
    np.testing.assert_allclose(found.of_words, [whole - cosine(k, None) for k in (0, 1)], atol=1e-5)
    for place in np.ndindex(2, 2):
        lost = whole - cosine(None, place)
        assert found.of_patches[place] == pytest.approx(lost, abs=1e-5)
        without = cosine(1, None) - cosine(1, place)
        assert found.of_both[(1, *place)] == pytest.approx(lost - without, abs=1e-5)
    assert abs(found.of_both).max() > 1e-3
    axes = found.figure().axes
    for drawing, map_ in zip(axes, [found.of_patches, *found.of_both], strict=False):
        photo, heat = drawing.images
        np.testing.assert_array_equal(photo.get_array(), found.photo)
        np.testing.assert_allclose(heat.get_array(), map_, atol=1e-6)


@pytest.mark.parametrize("engine", ["torch", "native"])
@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_both_encoders_are_looked_at(
    kind: str, engine: str, folders: dict[str, Path], pictures: list[Any], tmp_path: Path
) -> None:
    matcher = Matcher.load(folders[kind]).run_by(engine)
    text = matcher.trace("a cat")
    shown = ["a", "cat", "<end>"] + ["<pad>"] * (61 if kind == "Siglip" else 0)
    assert (text.task, text.axes["tokens"].tokens) == ("encoding", shown)
    assert text["encoder.layers.1.self"].causal == (kind == "CLIP")
    pictures[0].save(tmp_path / "photo.png")
    image = matcher.trace(tmp_path / "photo.png")
    names = ["0,0", "0,1", "1,0", "1,1"]
    assert image.task == "vision"
    assert image.axes["patches"].tokens == ([] if kind == "Siglip" else ["CLS"]) + names
    if kind == "Siglip":
        pool = image["head.pool.cross"]
        assert (pool.queries, pool.keys) == ("image", "patches")
        weights = np.asarray(pool.weights())
        assert weights.shape == (2, 1, 4)
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)
        model = transformers.SiglipModel.from_pretrained(folders[kind]).eval()
        pixels = matcher.preparation(pictures[0])[None]
        with torch.no_grad():
            states = model.vision_model(pixels).last_hidden_state
            head = model.vision_model.head
            _, expected = head.attention(head.probe, states, states, average_attn_weights=False)
        np.testing.assert_allclose(weights, expected[0], atol=1e-5)


def test_what_cannot_be_compared_is_refused_in_a_sentence(
    folders: dict[str, Path], pictures: list[Any], tmp_path: Path, encoder_folder: Any
) -> None:
    matcher = Matcher.load(folders["CLIP"])
    with pytest.raises(RegardError, match=r"labels must be texts to choose among, at least one"):
        matcher.run(pictures, [])
    with pytest.raises(RegardError, match=r"a text may have 64 tokens with .*; got 71"):
        matcher.run(pictures, ["a " * 70])
    with pytest.raises(RegardError, match=r"template must have \{\} for the label"):
        matcher.run(pictures, LABELS, template="a photo")
    (tmp_path / "a.png").write_text("no image")
    with pytest.raises(RegardError, match=r"a.png is not an image Pillow can read"):
        matcher.run([str(tmp_path / "a.png")], LABELS)
    with pytest.raises(
        RegardError, match=r"must be a model of texts and images .*another kind, Encoder"
    ):
        Matcher.load(encoder_folder("Bert", "Model"))


def test_an_image_may_come_as_text(folders: dict[str, Path], pictures: list[Any]) -> None:
    buffer = BytesIO()
    pictures[0].save(buffer, "PNG")
    text = f"data:image/png;base64,{b64encode(buffer.getvalue()).decode()}"
    matcher = Matcher.load(folders["CLIP"])
    assert matcher.run([text], LABELS) == matcher.run([pictures[0]], LABELS)
    with pytest.raises(RegardError, match="this text of an image is not an image Pillow can read"):
        matcher.run([text[:60]], LABELS)
