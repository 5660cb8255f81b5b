"""`regard studio`: serves this machine alone, until it is interrupted."""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from regard.errors import UnavailableError
from regard.http import sockets as base
from regard.studio.browser import has_display
from regard.tasks.catalog import taken_by


@pytest.fixture
def server():
    """The command as a process on a free port, and its address."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    program = "from regard.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "studio", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        line = process.stdout.readline()
        yield process, re.match(r"(http://127\.0\.0\.1:\d+)/ ", line)[1]
    finally:
        process.kill()
        process.communicate()


def test_it_serves_the_shipped_models_and_ends_cleanly_when_interrupted(server):
    process, address = server
    with urllib.request.urlopen(f"{address}/api/models", timeout=30) as answer:
        assert [model["name"] for model in json.load(answer)] == list(taken_by("studio"))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


def test_only_this_machine_can_connect():
    with base.bind(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_a_second_one_on_the_same_port_is_one_sentence(regard):
    with base.bind(0) as listener:
        port = listener.getsockname()[1]
        outcome = regard("studio", "--port", port)
    assert outcome.code == 2
    assert outcome.err == (
        f"regard: port {port} is in use, perhaps by another regard; stop that one or choose"
        f" another --port, such as {port + 1}.\n"
    )


def test_a_port_that_may_not_be_had_is_one_sentence(monkeypatch):
    def refuse(self, address):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(
        base.UnavailableError, match=r"port 80 cannot be opened \(Permission denied\)"
    ):
        base.bind(80)


def test_where_its_usual_port_is_in_use_it_takes_another(monkeypatch):
    with base.bind(0) as taken:
        monkeypatch.setattr(base, "PORT", taken.getsockname()[1])
        with base.bind() as other:
            assert other.getsockname()[1] not in (0, base.PORT)


@pytest.mark.parametrize("named", [[], ["{folder}"]])
def test_the_page_offers_what_was_named(regard, served, tmp_path, named):
    import shutil

    from regard.checkpoints.shipped import FOLDER

    folder = tmp_path / "mine"
    shutil.copytree(FOLDER / "en-hi", folder)
    named = [name.format(folder=folder) for name in named]
    assert regard("studio", *named, "--port", 0, "--no-open").code == 0
    models = served["app"].state.library.models()
    assert [model.name for model in models] == [*(["mine"] if named else []), *taken_by("studio")]
    assert served["browse"] is False


def test_a_folder_that_is_no_model_is_said_at_once(regard, tmp_path):
    outcome = regard("studio", tmp_path, "--port", 0)
    assert (outcome.code, outcome.err) == (
        2, f"regard: {tmp_path} is not a model folder: it has no config.json.\n",
    )  # fmt: skip


def test_what_the_server_cannot_be_made_of_ends_it_with_a_sentence(regard, monkeypatch):
    def refused(*models, **options):
        raise UnavailableError("this copy of regard has no page.")

    monkeypatch.setattr("regard.studio.app.create_app", refused)
    # `regard serve` of another test may have left a handler, whose stderr is closed.
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "handlers", [])
    outcome = regard("studio", "--port", 0, "--no-open")
    assert (outcome.code, outcome.err) == (2, "regard: this copy of regard has no page.\n")


def test_a_browser_is_opened_only_where_it_could_be_seen(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_display()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_display()
