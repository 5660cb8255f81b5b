"""A page opens what its server's owner offers, by name, and no path."""

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from regard.checkpoints import hub
from regard.checkpoints.shipped import FOLDER
from regard.errors import RegardError
from regard.studio.app import create_app
from regard.studio.library import Shelf

COMMIT = "b" * 40


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the hub that holds org/mine whole and org/half without weights."""
    for name in ("mine", "half"):
        folder = tmp_path / f"models--org--{name}"
        (folder / "refs").mkdir(parents=True)
        (folder / "refs" / "main").write_text(COMMIT)
        shutil.copytree(FOLDER / "en-hi", folder / "snapshots" / COMMIT)
    for weights in folder.glob("snapshots/*/*.safetensors"):
        weights.unlink()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.file_download.HF_HUB_CACHE", str(tmp_path), raising=False)
    return tmp_path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "mine" / "model"
    shutil.copytree(FOLDER / "en-hi", folder)
    return folder


def test_a_folder_has_a_short_name_and_a_second_of_that_name_its_path(mine: Path) -> None:
    other = mine.parents[1] / "other" / "mine"
    shutil.copytree(FOLDER / "en-hi", other)
    shelf = Shelf(["en-de", mine, other])
    assert shelf.names == ["en-de", "mine", str(other)]
    assert shelf.place("mine") == str(mine)


def test_a_path_from_a_page_is_never_opened(mine: Path, cache: Path) -> None:
    app = create_app(["en-de"], {}, cache=True)
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        for name in (str(mine), f"../{mine.name}", f"hub:{mine}", "org/half", "org/other"):
            refused = client.post("/api/models", json={"model": name})
            assert refused.status_code == 400
            asked = {"model": name, "text": "a"}
            assert client.post("/api/traces", json=asked).status_code == 400
        assert client.post("/api/models", json={"model": str(mine)}).json()["detail"] == (
            f"this page cannot open a folder by itself; in a terminal, run: regard studio {mine}"
        )
        assert [each["name"] for each in client.get("/api/models").json()] == ["en-de"]


def test_a_folder_with_the_name_of_a_cached_model_is_not_opened_for_it(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "org" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    shelf = Shelf([], cache=True)
    shelf.open("org/mine")
    assert Path(shelf.place("org/mine")).is_relative_to(cache / "models--org--mine")


def test_models_of_the_cache_are_offered_and_opened(cache: Path) -> None:
    app = create_app(["en-de"], {}, cache=True)
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        assert client.get("/api/offer").json() == {"cached": ["org/mine"], "download": False}
        opened = client.post("/api/models", json={"model": "org/mine"}).json()
        assert (opened["name"], opened["task"]) == ("org/mine", "translation")
        assert client.get("/api/offer").json()["cached"] == []
        found = client.post("/api/traces", json={"model": "org/mine", "text": "Hello."}).json()
        assert found["model"] == "org/mine"


def test_a_model_that_cannot_be_described_is_not_listed(cache: Path) -> None:
    config = cache / "models--org--mine" / "snapshots" / COMMIT / "config.json"
    config.write_text('{"model_type": 3}')
    app = create_app(["en-de"], {}, cache=True)
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        assert client.post("/api/models", json={"model": "org/mine"}).status_code == 400
        assert [each["name"] for each in client.get("/api/models").json()] == ["en-de"]


def test_a_name_of_the_hub_is_fetched_only_where_the_owner_allows_it(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(hub, "download", lambda name: asked.append(name) or FOLDER / "en-hi")
    with pytest.raises(RegardError, match="start the page with: regard studio --download org/new"):
        Shelf([], cache=True).open("org/new")
    assert asked == []
    allowing = Shelf([], download=True)
    allowing.open("org/new")
    assert (asked, allowing.names) == (["org/new"], ["org/new"])
    with pytest.raises(RegardError, match="cannot open a folder by itself"):
        allowing.open("../new")
