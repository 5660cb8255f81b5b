import json
from pathlib import Path

import pytest

from regard import RegardError
from regard.errors import DamagedFileError
from regard.json_files import JsonFiles, read_json, read_object


def test_a_file_is_read_once(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"width": 7}')
    files = JsonFiles(tmp_path)
    assert files.get("a.json") == {"width": 7}
    file.unlink()
    assert files.get("a.json") == {"width": 7}
    assert JsonFiles(tmp_path).get("a.json") is None
    assert JsonFiles(tmp_path).get("a.json", {}) == {}


def test_a_missing_key_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    content = read_object(tmp_path / "a.json")
    assert content.get("width") is None
    with pytest.raises(RegardError, match=r"a\.json must have the key 'width', which is missing\."):
        content["width"]


@pytest.mark.parametrize("text", ["{", "", "[" * 100_000, "9" * 5000, "\udcff"])
def test_what_is_not_json_is_one_sentence(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(RegardError, match=r"a\.json is not valid JSON \(.+\)\."):
        read_json(file)


def test_a_key_that_is_there_twice_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": {"width": 8, "b": 1, "width": 9}}')
    with pytest.raises(
        DamagedFileError, match=r"a\.json cannot be used: it has the key 'width' twice"
    ):
        read_object(tmp_path / "a.json")


@pytest.mark.parametrize("value", [None, 3, "a", [{}]])
def test_another_value_is_no_object(value: object, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert read_json(tmp_path / "a.json") == value
    kind = type(value).__name__
    with pytest.raises(RegardError, match=f"must be a JSON object; it is a {kind}"):
        read_object(tmp_path / "a.json")


def test_half_a_surrogate_pair_is_refused(tmp_path):
    (tmp_path / "a.json").write_text(r'{"a": "\ud83d\ude00"}')
    assert read_json(tmp_path / "a.json") == {"a": "\U0001f600"}
    (tmp_path / "a.json").write_text(r'{"a": ["\ud800"]}')
    with pytest.raises(DamagedFileError, match="surrogates not allowed"):
        read_json(tmp_path / "a.json")
