"""Commands that import none of the large libraries, each in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fixtures.base import run_in_base
from fixtures.started import Forks
from regard.packages import MissingPackageError

HEAVY = ("torch", "transformers")
SLOW = ("typer", "pydantic", "rich")


Imported = Callable[..., list[str]]


@pytest.fixture
def imported(light_forks: Forks, tmp_path: Path) -> Imported:
    """Those of the modules that a call of the command has imported."""

    def run(
        *arguments: str, stdin: Path | None = None, modules: Sequence[str] = HEAVY
    ) -> list[str]:
        code, shown = light_forks.run(
            ",".join(modules),
            *arguments,
            module="fixtures.imported",
            output=tmp_path / "shown",
            stdin=stdin,
        )
        assert code == 0, shown
        names: list[str] = json.loads(shown.splitlines()[-1])
        return names

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--help",),
        ("translate", "--help"),
        ("translate", "Good morning."),
        ("translate", "Good morning.", "--model", "en-hi", "--num-beams", "2", "--json"),
        ("classify", "I love it."),
        ("encode", "I love it."),
        ("generate", "ROMEO:", "--max-new-tokens", "2"),
        ("look", "en-de", "Good morning.", "--terminal"),
        ("look", "en-hi", "Good morning.", "--json", "--head", "1"),
        ("look", "shakespeare", "ROMEO:", "--terminal", "--generate", "3"),
        ("look", "emotions", "I love it.", "--terminal"),
        ("look", "minilm", "I love it.", "--terminal", "--looks", "love:it"),
        ("look", "en-de", "Good morning.", "--terminal", "--without", "0", "--num-beams", "2"),
        ("roles", "shakespeare"),
        ("info", "en-de", "--taps"),
        ("translate", "Good morning.", "--attention"),
        ("explain", "money bank grows", "--json"),
        ("explain", "A dog.", "-m", "en-de"),
        ("explain", "A dog.", "-m", "minilm", "--layer", "1"),
        ("doctor", "en-de"),
        ("doctor", "shakespeare"),
    ],
    ids=" ".join,
)
def test_a_command_that_runs_a_model_imports_no_large_library(
    imported: Imported, arguments: tuple[str, ...]
) -> None:
    assert imported(*arguments) == []


def test_neither_does_one_that_writes_what_a_model_looks_at(
    imported: Imported, tmp_path: Path
) -> None:
    files = ("--html", str(tmp_path / "page.html"), "--save", str(tmp_path / "a.safetensors"))
    assert imported("look", "en-de", "Good morning.", *files) == []
    assert imported("export", "page", "en-de", "--output", str(tmp_path / "live.html")) == []


def test_neither_does_one_that_reads_a_pipe_or_a_file(imported: Imported, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Good morning.\n")
    assert imported("translate", stdin=tmp_path / "in.txt") == []
    files = (str(tmp_path / "in.txt"), "--output", str(tmp_path / "out.txt"))
    assert imported("translate", "--input", *files) == []


def test_a_call_that_cannot_be_wrong_is_read_without_typer(imported: Imported) -> None:
    assert imported("translate", "Good morning.", modules=SLOW) == []
    assert imported("look", "en-de", "Good morning.", "--json", modules=SLOW) == []


@pytest.mark.long("starts a process")
def test_neither_do_those_that_answer_label_and_fill_in(
    imported: Imported, encoder_folder: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("The man sees the dog.\n")
    folder = str(encoder_folder("Bert", "ForQuestionAnswering"))
    assert imported("answer", "Who?", "-m", folder, "-c", str(tmp_path / "text.txt")) == []
    folder = str(encoder_folder("Bert", "ForTokenClassification"))
    assert imported("label", "The man sees the dog.", "-m", folder) == []
    folder = str(encoder_folder("Bart", "ForConditionalGeneration"))
    assert imported("summarize", "The man sees the dog.", "-m", folder) == []


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("emotions", "I love it.\tlove"),
        ("en-de", "Good morning.\tGuten Morgen."),
        ("minilm", "A dog runs.\tA dog is running."),
    ],
)
def test_neither_does_an_evaluation(
    imported: Imported, model: str, line: str, tmp_path: Path
) -> None:
    (tmp_path / "test.tsv").write_text(f"{line}\n" * 3)
    assert imported("evaluate", model, str(tmp_path / "test.tsv")) == []


def test_neither_does_bulk_work(imported: Imported, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Good morning.\n")
    assert (
        imported("translate", "-i", str(tmp_path / "in.txt"), "-o", str(tmp_path / "out.jsonl"))
        == []
    )


SERVERS = {
    "serve": (
        "from regard.http.guard import Access\n"
        "from regard.serving.app import create_app\n"
        "from regard.serving.limits import Limits\n"
        "from regard.serving.metrics import Metrics\n"
        "from regard.serving.served import Served\n"
        "metrics = Metrics()\n"
        "app = create_app(Served(['en-de'], Limits(), metrics), metrics, Access())\n"
        "asked = [('/translate', {'q': 'Good morning.', 'source': 'en', 'target': 'de'})]\n"
    ),
    "studio": (
        "from regard.tasks import catalog\n"
        "from regard.studio.app import create_app\n"
        "app = create_app(catalog.taken_by('studio'), {})\n"
        "texts = {'en-de': 'Good morning.', 'shakespeare': 'ROMEO:', 'emotions': 'I love it.'}\n"
        "asked = [('/api/traces', {'model': m, 'text': t}) for m, t in texts.items()]\n"
        "asked += [('/api/explain', {'text': 'A dog', 'projections': 'random'})]\n"
    ),
}


@pytest.mark.long("starts a server in a process of its own")
@pytest.mark.parametrize("server", SERVERS)
def test_a_server_of_shipped_models_imports_no_large_library(server: str) -> None:
    program = SERVERS[server] + (
        "import sys\n"
        "from starlette.testclient import TestClient\n"
        "with TestClient(app, base_url='http://127.0.0.1') as client:\n"
        "    for path, body in asked:\n"
        "        answer = client.post(path, json=body)\n"
        "        assert answer.status_code == 200, answer.text\n"
        "        if path != '/api/traces':\n"
        "            continue\n"
        "        trace, tap = answer.json()['id'], answer.json()['taps'][-1]['name']\n"
        "        for view in ('summary', 'thumbnails', 'tile', 'cell', 'looks', 'lens'):\n"
        "            query = {'tap': tap, 'head': 0, 'query': 1, 'step': 0}\n"
        "            query |= {'key': 0} if view == 'cell' else {}\n"
        "            client.get(f'/api/traces/{trace}/{view}', params=query)\n"
        f"print([name for name in {HEAVY} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "shakespeare", "test.tsv"),
        ("train", "classification", "test.tsv", "--output", "model"),
    ],
    ids=" ".join,
)
def test_what_still_needs_torch_says_so_in_one_sentence_where_it_is_missing(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "test.tsv").write_text("I love it.\tlove\n")
    done = run_in_base("from regard.__main__ import main\nmain()\n", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"regard: {MissingPackageError('this needs', 'torch')}\n"
