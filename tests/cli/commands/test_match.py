"""`regard match`, its route, its files, and both encoders by `regard look`."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regard.tasks.looking import describe
from regard.tasks.matching.task import Matcher

pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")

LABELS = ("a cat", "a dog")
GIVEN = [flag for label in LABELS for flag in ("--labels", label)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model, and a folder with two pictures."""
    from fixtures.dual_encoders import save

    folder = save("CLIP", tmp_path_factory.mktemp("CLIP"))
    (folder / "photos").mkdir()
    draw = np.random.default_rng(3)
    for name in ("one", "two"):
        pixels = draw.integers(0, 256, (20, 30, 3), np.uint8)
        Image.fromarray(pixels).save(folder / "photos" / f"{name}.png")
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Any]:
    """A server of that model."""
    from fastapi.testclient import TestClient

    from regard.http.guard import Access
    from regard.serving.app import create_app
    from regard.serving.limits import Limits
    from regard.serving.metrics import Metrics
    from regard.serving.served import Served

    metrics = Metrics()
    served = Served([str(folder)], Limits(), metrics)
    with TestClient(
        create_app(served, metrics, Access(None, True)), base_url="http://localhost"
    ) as client:
        yield client
    served.close()


def test_every_door_has_the_scores_of_python(
    folder: Path, client: Any, regard: Callable[..., Any], tmp_path: Path
) -> None:
    photo = folder / "photos" / "one.png"
    [match] = Matcher.load(folder).run([photo], LABELS, top_k=1, patches=True)
    found = regard("match", photo, "-m", folder, *GIVEN).out
    assert found == f"{match.best.label}\t{match.best.score:.4f}\n"
    of_folder = regard("match", folder / "photos", "-m", folder, *GIVEN).out.splitlines()
    assert of_folder[0] == f"{photo}\t{found.strip()}"
    assert len(of_folder) == 2
    shown = json.loads(regard("match", photo, "-m", folder, *GIVEN, "--patches", "--json").out)
    assert np.shape(shown["labels"][0]["patches"]) == (2, 2)
    (tmp_path / "in.jsonl").write_text(json.dumps({"image": str(photo)}) + "\n")
    files = ("-i", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    regard("match", *files, "-m", folder, *GIVEN)
    rows = json.loads((tmp_path / "out.jsonl").read_text())
    text = f"data:image/png;base64,{b64encode(photo.read_bytes()).decode()}"
    body = {"image": text, "labels": list(LABELS), "patches": True}
    [served] = client.post("/run/match", json=body).json()["results"]
    for labels in (shown["labels"], rows["labels"], served["labels"]):
        [fit] = labels
        assert fit["label"] == match.best.label
        assert fit["score"] == pytest.approx(match.best.score, abs=1e-5)
    np.testing.assert_allclose(served["labels"][0]["patches"], match.best.patches, atol=1e-5)


@pytest.mark.parametrize(
    ("image", "labels", "sentence"),
    [
        ("photos/one.png", ["a"], "an image must come as text, data:image/png;base64,…"),
        ("data:image/png;base64,AAAA", [], "there are no texts to choose among"),
        ("data:image/png;base64,AAAA", ["a"], "this text of an image is not an image Pillow"),
    ],
)
def test_a_server_reads_no_file_and_says_what_is_wrong(
    image: str, labels: list[str], sentence: str, client: Any
) -> None:
    answer = client.post(
        "/run/match", json={"image": image} | ({"labels": labels} if labels else {})
    )
    assert 400 <= answer.status_code < 500
    assert sentence in answer.json()["detail"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["one.png"], "there are no texts to choose among; give each of them with --labels"),
        (["none.png", *GIVEN], "none.png does not exist"),
        (["one.png", "--labels", "a " * 70], "a text may have 64 tokens with"),
        (["one.png", *GIVEN, "--template", "a"], "--template must have {} for the label"),
        (["one.png", *GIVEN, "--figure", "heat.png"], "--figure is for one image and one text"),
        (["", *GIVEN[:2], "--figure", "heat.png"], "--figure is for one image and one text"),
        (["one.png", *GIVEN[:2], "--figure", "heat.gif"], "--figure"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], sentence: str, folder: Path, regard: Callable[..., Any]
) -> None:
    outcome = regard("match", folder / "photos" / arguments[0], "-m", folder, *arguments[1:])
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert sentence in outcome.err


def test_a_figure_shows_which_patches_each_word_rests_on(
    folder: Path, regard: Callable[..., Any], tmp_path: Path
) -> None:
    photo, heat = folder / "photos" / "one.png", tmp_path / "heat.svg"
    call = ("-m", folder, "--labels", "cat", "--template", "a photo of a {}", "--figure", heat)
    outcome = regard("match", photo, *call)
    assert outcome.out.startswith("cat\t")
    assert "the image is read 5 times" in outcome.err
    found = Matcher.load(folder).occlusion(photo, "a photo of a cat")
    drawn = heat.read_text("utf-8")
    assert f"cosine {found.cosine:.3f}" in drawn
    for word, lost in zip(["a", "photo", "of", "a (4)", "cat"], found.of_words, strict=True):
        assert f"{word}: {lost:+.3f}" in drawn


def test_a_text_and_an_image_are_looked_at_by_name(
    folder: Path, regard: Callable[..., Any]
) -> None:
    text = json.loads(regard("look", folder, "a cat", "--json").out)
    assert text["axes"]["tokens"]["tokens"] == ["a", "cat", "<end>"]
    image = json.loads(regard("look", folder, folder / "photos" / "one.png", "--json").out)
    assert image["axes"]["patches"]["tokens"][:2] == ["CLS", "0,0"]
    info = describe(str(folder), lambda name: None)
    assert (info.task, info.max_tokens) == ("encoding", 64)
    taps = regard("info", folder, "--taps").out
    assert "text.encoder.layers.1.self" in taps
    assert "image.encoder.layers.1.self" in taps
    assert "neither padding nor the future changes it" in regard("doctor", folder).out
