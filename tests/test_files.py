import errno
import json
import os
from pathlib import Path

import pytest

from regard.files import sha256, sha256_tree, sync, whole_file, whole_folder, write_json


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    with whole_file(path) as file:
        file.write_text("first")
        assert not path.exists()
    with pytest.raises(UnicodeEncodeError), whole_file(path) as file:
        file.write_text("half of it \ud800", encoding="utf-8")
    assert path.read_text() == "first"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege here")
def test_a_link_in_the_place_of_the_temporary_file_is_not_written_through(tmp_path: Path) -> None:
    other = tmp_path / "another's"
    other.write_text("kept")
    (tmp_path / f".result.{os.getpid()}.part").symlink_to(other)
    with whole_file(tmp_path / "result") as file:
        file.write_text("written")
    assert other.read_text() == "kept"
    assert (tmp_path / "result").read_text() == "written"
    assert not (tmp_path / "result").is_symlink()


def test_an_error_of_writing_names_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(PermissionError) as refused, whole_file(path) as file:
        raise PermissionError(errno.EACCES, "Permission denied", file)
    assert refused.value.filename == str(path)
    with pytest.raises(OSError, match="No space left") as full, whole_file(path):
        raise OSError(errno.ENOSPC, "No space left on device")  # as `write` raises it
    assert full.value.filename == str(path)
    with pytest.raises(FileNotFoundError) as other, whole_file(path):
        (tmp_path / "b.txt").read_text()
    assert Path(other.value.filename).name == "b.txt"


def test_a_read_only_disk_is_named_by_the_file_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: Path, **_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", path)

    monkeypatch.setattr(Path, "touch", read_only)
    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(OSError, match="Read-only") as refused, whole_file(tmp_path / "a.txt"):
        pass
    assert refused.value.filename == str(tmp_path / "a.txt")


def test_who_may_read_a_file_is_the_systems_choice(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with whole_file(tmp_path / "a") as file:
        file.unlink()
        file.touch(mode=0o600)  # as safetensors does
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with whole_folder(path) as folder:
        (folder / "a").write_text("1")
        assert not path.exists()
    with pytest.raises(FileNotFoundError), whole_folder(path) as folder:
        (folder / "no such folder" / "b").write_text("2")
    assert [file.name for file in path.iterdir()] == ["a"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is put on the disk, by its number there, and new names."""
    seen: list[object] = []
    replace = os.replace

    def named(old: Path, new: Path) -> None:
        replace(old, new)
        seen.append(new.name)

    monkeypatch.setattr(os, "fsync", lambda descriptor: seen.append(os.fstat(descriptor).st_ino))
    monkeypatch.setattr(os, "replace", named)
    return seen


@pytest.mark.skipif(os.name != "posix", reason="names are not put on the disk here")
def test_a_file_is_on_the_disk_before_its_name_is(tmp_path: Path, events: list[object]) -> None:
    with whole_file(tmp_path / "a") as file:
        file.write_text("1")
    assert events == [(tmp_path / "a").stat().st_ino, "a", tmp_path.stat().st_ino]


@pytest.mark.skipif(os.name != "posix", reason="names are not put on the disk here")
def test_all_of_a_folder_is_on_the_disk_before_its_name_is(
    tmp_path: Path, events: list[object]
) -> None:
    with whole_folder(tmp_path / "run") as folder:
        (folder / "inside").mkdir()
        (folder / "inside" / "a").write_text("1")
    place = events.index("run")
    inside = [tmp_path / "run" / name for name in ("inside/a", "inside", ".")]
    assert {path.stat().st_ino for path in inside} <= {*events[:place]}
    assert events[place + 1 :] == [tmp_path.stat().st_ino]


def test_a_folder_is_there_until_the_new_one_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run"
    for content in ("first", "second"):
        with whole_folder(path) as folder:
            (folder / content).touch()
    assert [file.name for file in path.iterdir()] == ["second"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_put_on_the_disk_is_passed_over_and_a_file_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuse)
    sync(tmp_path)
    (tmp_path / "a").touch()
    with pytest.raises(OSError, match="Invalid argument"):
        sync(tmp_path / "a")


def test_a_device_is_written_and_stays_a_device() -> None:
    with whole_file("/dev/null") as file:
        file.write_text("gone")
    assert Path("/dev/null").is_char_device()


def test_the_checksum_is_sha256(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256(tmp_path / "a").startswith("ba7816bf8f01cfea414140de5dae2223")


def test_json_is_written_as_it_reads_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.json"
    write_json(file, {"ü": [1, None]})
    assert file.read_text(encoding="utf-8") == '{\n  "ü": [\n    1,\n    null\n  ]\n}\n'
    with pytest.raises(TypeError):
        write_json(file, {"not JSON": object()})
    assert json.loads(file.read_text(encoding="utf-8")) == {"ü": [1, None]}
    assert [path.name for path in file.parent.iterdir()] == ["a.json"]


def test_the_checksum_of_a_folder_is_of_its_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_text("abc")
    first = sha256_tree(tmp_path / "a")
    assert sha256_tree(tmp_path / "a" / "b" / "c") == sha256(tmp_path / "a" / "b" / "c")
    (tmp_path / "a" / "b" / "c").rename(tmp_path / "a" / "c")
    second = sha256_tree(tmp_path / "a")
    (tmp_path / "a" / "c").write_text("abd")
    assert len({first, second, sha256_tree(tmp_path / "a")}) == 3
