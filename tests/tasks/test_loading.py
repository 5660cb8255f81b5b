from pathlib import Path

import pytest

import regard
from regard import RegardError
from regard.tasks import SHIPPED
from regard.tasks.loading import FOLDER, find


def test_a_folder_is_found_and_a_runs_folder_gives_its_model(run_folder: Path) -> None:
    assert find(run_folder / "model") == run_folder / "model"
    assert find(run_folder) == run_folder / "model"
    assert find(str(run_folder)) == run_folder / "model"


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_name_is_found_in_the_package(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find(name) == FOLDER / name
    (tmp_path / name).mkdir()  # the user's own comes first
    assert find(name) == Path(name)


def test_an_unknown_name_lists_the_known_and_the_nearest() -> None:
    message = "one of en-de, en-hi or a folder; there is no 'en_de'. Did you mean en-de?"
    with pytest.raises(RegardError, match=message):
        regard.load("en_de")
    with pytest.raises(RegardError, match=r"there is no 'klingon'\.$"):
        regard.load("klingon")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"is not a model folder: it has no config\.json"):
        regard.load(tmp_path)
