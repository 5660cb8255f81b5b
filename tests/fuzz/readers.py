"""The readers of foreign bytes: files that they accept, and how each is read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import numpy as np
import torch
from hypothesis import strategies as st

from fuzz.mutations import damaged, other_headers, other_values
from regard.catalog import FOLDER
from regard.checkpoints import Checkpoint, empty_model, save_pretrained
from regard.checkpoints.weights import open_weights
from regard.cli.lines import read_lines
from regard.data import TokenStore, read_pairs
from regard.data.batches import Batches
from regard.errors import RegardError
from regard.inspection import Trace
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.tasks.defaults import read_defaults
from regard.text import Tokenizer, TokenizerPair, train_pair
from regard.text.sentencepiece import make_backend, read_sentencepiece
from regard.training import RunFolder
from regard.translation.translator import Translator
from regard.words import load_vectors

SENTENCEPIECE = Path(__file__).parents[1] / "text" / "sentencepiece"
TEXT = "the dog sees a house"


@dataclass
class Reader:
    """One kind of file.

    Args:
        make: writes valid files into a folder and names those that are to be damaged.
        read: reads the folder whose file of this name may be damaged.
    """

    name: str
    make: Callable[[Path], list[str]]
    read: Callable[[Path, str], object]
    folder: Path = field(init=False)
    valid: dict[str, bytes] = field(init=False)

    def prepare(self, folder: Path) -> Reader:
        """Writes the valid files."""
        self.folder = folder / self.name
        self.folder.mkdir(parents=True)
        self.valid = {name: (self.folder / name).read_bytes() for name in self.make(self.folder)}
        return self

    @cached_property
    def inputs(self) -> st.SearchStrategy[tuple[str, bytes]]:
        """The name of a file, and damaged content for it."""
        return st.one_of(
            [
                st.tuples(st.just(name), strategy)
                for name, content in self.valid.items()
                for strategy in _strategies(content)
            ]
        )

    def try_out(self, name: str, content: bytes) -> str:
        """Reads the content as the file of this name: "accepted" or "refused".

        Raises:
            Exception: what is no error of ours, and no error of the system.
        """
        file = self.folder / name
        file.write_bytes(content)
        try:
            self.read(self.folder, name)
        except (RegardError, OSError) as error:
            str(error).encode("utf-8", "backslashreplace")
            return "refused"
        finally:
            file.write_bytes(self.valid[name])
        return "accepted"


def _strategies(content: bytes) -> list[st.SearchStrategy[bytes]]:
    found = [damaged(content)]
    with suppress(ValueError):
        value = json.loads(content)
        if isinstance(value, dict | list):
            found.append(other_values(value))
    if content[8:9] == b"{":
        found.append(other_headers(content))
    return found


def small_translator() -> tuple[Translator, TokenizerPair]:
    pair = train_pair([(f"{TEXT} {k}.", f"der Hund sieht ein Haus {k}.") for k in range(5)])
    torch.manual_seed(1)
    config = EncoderDecoderConfig(
        pair.source.vocab_size, d_model=8, d_ff=8, encoder_layers=1, decoder_layers=1,
        encoder_heads=2, decoder_heads=2, max_positions=30,
    )  # fmt: skip
    return Translator(EncoderDecoder(config).eval(), pair, name="small"), pair


def _copies(folder: Path, *names: str) -> list[str]:
    """config.json of shipped models, each under its model's name."""
    for name in names:
        shutil.copy(FOLDER / name / "config.json", folder / f"{name}.json")
    return [f"{name}.json" for name in names]


def _make_config(folder: Path) -> list[str]:
    names = _copies(folder, "en-de", "emotions", "shakespeare", "digits")
    (folder / "read").mkdir()
    return names


def _read_config(folder: Path, name: str) -> None:
    shutil.copy(folder / name, folder / "read" / "config.json")
    checkpoint = Checkpoint(folder / "read")
    empty_model(checkpoint)
    read_defaults(checkpoint)


def _make_tokenizer(folder: Path) -> list[str]:
    small_translator()[1].source.save(folder)
    return ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]


def _read_tokenizer(folder: Path, name: str) -> None:
    tokenizer = Tokenizer.load(folder)
    tokenizer.decode(tokenizer.encode(TEXT))
    tokenizer.words(tokenizer.encode("</s> ध"))
    tokenizer.inputs(TEXT, "a tree")


def _make_weights(folder: Path) -> list[str]:
    save_pretrained(small_translator()[0].model, folder)
    torch.save({"a": torch.ones(2, 3), "b": torch.zeros(4)}, folder / "small.bin")
    (folder / "bin").mkdir()
    return ["model.safetensors", "small.bin"]


def _read_weights(folder: Path, name: str) -> None:
    if name.endswith(".bin"):
        shutil.copy(folder / name, folder / "bin" / "pytorch_model.bin")
        folder = folder / "bin"
    weights = open_weights(folder)
    for each in weights:
        _ = weights[each].sum()


def _make_trace(folder: Path) -> list[str]:
    small_translator()[0].trace(TEXT, max_new_tokens=4).save(folder / "trace.safetensors")
    return ["trace.safetensors"]


def _read_trace(folder: Path, name: str) -> None:
    from regard.inspection import thumbnails

    trace = Trace.load(folder / name)
    for tap in trace.values():
        tap.weights(0, slice(0, 4), slice(0, 4))
        thumbnails(tap, size=4)
    _ = trace.receipt


def _make_vectors(folder: Path) -> list[str]:
    from regard.words.vectors import WordVectors

    vectors = WordVectors(["a", "dog", "ध"], np.arange(12, dtype=np.float32).reshape(3, 4))
    names = ["text.txt", "text.vec.gz", "binary.bin"]
    for name in names:
        vectors.save(folder / name)
    vectors.save(folder / "folder")
    return [*names, "folder/words.txt", "folder/vectors.safetensors"]


def _read_vectors(folder: Path, name: str) -> None:
    vectors = load_vectors(folder / name.partition("/")[0])
    vectors.neighbors(vectors.words[0])


def _make_pairs(folder: Path) -> list[str]:
    rows = [(f"a dog {k}", f"ein Hund {k}") for k in range(5)]
    (folder / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in rows))
    (folder / "pairs.csv").write_text(
        "source,target\n" + "".join(f'"{a}","{b}"\n' for a, b in rows)
    )
    lines = [json.dumps({"source": a, "target": b}) for a, b in rows]
    (folder / "pairs.jsonl").write_text("\n".join(lines))
    names = ["pairs.tsv", "pairs.csv", "pairs.jsonl"]
    with suppress(ImportError):
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.table({"source": [a for a, _ in rows], "target": [b for _, b in rows]})
        pyarrow.parquet.write_table(table, folder / "pairs.parquet")
        names.append("pairs.parquet")
    return names


def _read_pairs(folder: Path, name: str) -> None:
    list(read_pairs(folder / name))
    list(read_pairs(folder / name, on_bad_line=lambda bad: None))


def _make_sentencepiece(folder: Path) -> list[str]:
    names = [file.name for file in SENTENCEPIECE.glob("*.model")]
    for name in names:
        shutil.copy(SENTENCEPIECE / name, folder / name)
    return sorted(names)


def _read_sentencepiece(folder: Path, name: str) -> None:
    from regard.errors import refusing

    model = read_sentencepiece(folder / name)
    with refusing("the tokenizer is malformed"):  # as `text.formats` reads it
        backend = make_backend(model)
    backend.encode(TEXT)


def _make_lines(folder: Path) -> list[str]:
    lines = [{"text": TEXT, "id": 3}, {"text": "a", "more": [1, None]}]
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return ["lines.jsonl"]


def _read_lines(folder: Path, name: str) -> None:
    for keep_bad in (True, False):
        with (folder / name).open("rb") as file:
            list(read_lines(file, name=name, json_lines=True, keep_bad=keep_bad))


def _make_run(folder: Path) -> list[str]:
    run = RunFolder(folder, warn=lambda sentence: None)
    run.start({"seed": 1, "data": "a"}, free=set(), threads=1)
    run.log({"step": 1, "loss": 2.5})
    TokenStore.write(folder / "train.tokens", [([3, 4], [5])] * 4, vocab_size=9)
    return ["run.json", "log.jsonl", "train.tokens"]


def _read_run(folder: Path, name: str) -> None:
    run = RunFolder(folder, warn=lambda sentence: None)
    run.start({"seed": 1, "data": "a"}, free=set(), threads=1)
    run.cut_log(1)
    store = TokenStore.open(folder / "train.tokens")
    Batches(store, max_tokens=64, pad_id=0, eos_id=1).at(0)


REQUESTS = [
    (
        "POST /explain",
        {"text": TEXT, "heads": 2, "head_dim": 4, "spotlight": 1, "temperature": 0.5},
    ),
    ("POST /explain", {"text": TEXT, "start": 1, "end": 4, "mask": "window", "positions": True}),
    ("POST /traces", {"model": "small", "text": TEXT, "num_beams": 2, "hypothesis": 1}),
    ("POST /traces", {"model": "small", "text": TEXT, "target": "der Hund", "hidden": [1]}),
    ("POST /traces/it/ablate", {"what": "head", "tap": "decoder.layers.0.cross", "head": 1}),
    ("GET /traces/it/tile?tap=decoder.layers.0.cross&head=1&row=0&column=0&height=3&width=3", ""),
    ("GET /traces/it/cell?tap=decoder.layers.0.cross&head=1&query=1&key=1", ""),
    ("GET /traces/it/looks?tap=decoder.layers.0.cross&head=0&query=1", ""),
    ("GET /traces/it/summary?tap=decoder.layers.0.cross", ""),
    ("GET /traces/it/figure.svg?tap=decoder.layers.0.cross&head=0", ""),
]


class Server:
    """The studio's application, asked in this process."""

    def __init__(self, folder: Path):
        from starlette.testclient import TestClient

        from regard.studio.app import create_app

        translator, _ = small_translator()
        translator.save(folder / "small")
        app = create_app([str(folder / "small")], {"it": translator.trace(TEXT, max_new_tokens=4)})
        self.client = TestClient(
            app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False
        )

    def ask(self, raw: bytes) -> None:
        """Sends a request: its method and path in the first line, then its body."""
        first, _, body = raw.partition(b"\n")
        method, _, path = first.partition(b" ")
        address = quote(b"/api" + path, safe="/?&=%.")
        answer = self.client.request(
            "POST" if method == b"POST" else "GET",
            f"http://127.0.0.1:8765{address}",
            content=body,
            headers={"content-type": "application/json"},
        )
        if answer.status_code >= 500:
            raise AssertionError(f"status {answer.status_code}: {answer.text[:300]}")
        if answer.status_code >= 400:
            raise RegardError(answer.text[:300])


_servers: dict[Path, Server] = {}


def _make_requests(folder: Path) -> list[str]:
    for number, (first, body) in enumerate(REQUESTS):
        content = json.dumps(body) if body else ""
        (folder / f"{number}.request").write_text(f"{first}\n{content}")
    _servers[folder] = Server(folder)
    return [f"{number}.request" for number in range(len(REQUESTS))]


def _ask(folder: Path, name: str) -> None:
    _servers[folder].ask((folder / name).read_bytes())


def readers() -> dict[str, Reader]:
    """Every reader by its name."""
    return {
        name: Reader(name, make, read)
        for name, make, read in [
            ("config", _make_config, _read_config),
            ("tokenizer", _make_tokenizer, _read_tokenizer),
            ("weights", _make_weights, _read_weights),
            ("trace", _make_trace, _read_trace),
            ("vectors", _make_vectors, _read_vectors),
            ("pairs", _make_pairs, _read_pairs),
            ("sentencepiece", _make_sentencepiece, _read_sentencepiece),
            ("lines", _make_lines, _read_lines),
            ("run", _make_run, _read_run),
            ("requests", _make_requests, _ask),
        ]
    }
