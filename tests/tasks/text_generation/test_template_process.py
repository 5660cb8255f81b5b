"""Chat templates that loop or fill the memory are stopped, and the next one is rendered."""

import multiprocessing
import os
import subprocess

import pytest

from regard.errors import BadArgumentError, DamagedFileError, UnavailableError, UnsupportedError
from regard.tasks.text_generation import template_process
from regard.tasks.text_generation.template_process import Renderer


@pytest.fixture(scope="module")
def renderer():
    renderer = Renderer()
    yield renderer
    renderer.close()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A slow machine takes seconds to start the process, or to fill its memory."""
    monkeypatch.setattr(template_process, "SECONDS", 60)


def test_a_template_sees_the_values(renderer):
    assert renderer.render("{{ a }} {{ b|length }} é", {"a": "ü", "b": [1, 2]}) == "ü 2 é"


LARGE = {
    "a long text": "{{ 'a' * 10**9 }}",
    "a wide field": "{{ '%1000000000d' % 1 }}",
    "a text that doubles": "{% set n = namespace(x='ab') %}{% for i in range(60) %}"
    "{% set n.x = n.x + n.x %}{% endfor %}{{ n.x }}",
    "a long output": "{% for i in range(90000) %}{{ 'a' * 500 }}{% endfor %}",
}


@pytest.mark.parametrize("template", LARGE.values(), ids=LARGE)
def test_a_template_that_fills_the_memory_is_stopped(renderer, template):
    with pytest.raises(UnsupportedError, match=r"the chat template needs more than 512 MiB"):
        renderer.render(template, {})
    assert renderer.render("{{ a }}", {"a": 1}) == "1"


ENDLESS = {
    "nested loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}"
    "{% endfor %}",
    "a large power": "{{ 9 ** (9 ** 9) }}",
}


@pytest.mark.parametrize("template", ENDLESS.values(), ids=ENDLESS)
def test_a_template_without_end_is_stopped(renderer, template, monkeypatch):
    with monkeypatch.context() as hurried:
        hurried.setattr(template_process, "SECONDS", 0.5)
        with pytest.raises(UnsupportedError, match=r"not end within 0.5 seconds, and was stopped"):
            renderer.render(template, {})
    assert renderer.render("{{ a }}", {"a": 1}) == "1"


@pytest.mark.parametrize(
    ("template", "error", "message"),
    [
        ("{{ raise_exception('no') }}", BadArgumentError, "refuses these messages: no"),
        ("{{ 1 / 0 }}", BadArgumentError, "fails on these messages"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", BadArgumentError, "fails on these"),
        ("{% for %}", DamagedFileError, "not valid Jinja .line 1"),
        ("{{ ''.__class__.mro() }}", UnsupportedError, "tries to access what no template needs"),
    ],
)
def test_what_a_template_does_wrong_is_one_sentence(renderer, template, error, message):
    with pytest.raises(error, match=message):
        renderer.render(template, {})


def test_a_process_that_was_killed_is_started_again(renderer):
    renderer.render("a", {})
    renderer._process.kill()
    renderer._process.wait()
    assert renderer.render("{{ a }}", {"a": 1}) == "1"


def test_the_process_knows_no_key_of_the_environment(renderer, monkeypatch):
    for name in ("REGARD_API_KEY", "HF_TOKEN", "DATABASE_PASSWORD"):
        monkeypatch.setenv(name, "hidden")
    monkeypatch.setenv("SHOWN", "shown")
    renderer.close()
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        subprocess,
        "Popen",
        lambda *a, **options: started.append(options["env"]) or popen(*a, **options),
    )
    assert renderer.render("{{ a }}", {"a": "b"}) == "b"
    assert "hidden" not in started[0].values()
    assert started[0]["SHOWN"] == "shown"


def test_where_no_process_can_be_started_the_error_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(template_process.sys, "executable", str(tmp_path / "none"))
    with pytest.raises(UnavailableError, match="cannot be started"):
        Renderer().render("a", {})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_has_a_process_of_its_own(renderer):
    renderer.render("a", {})

    def child(queue):
        queue.put((renderer.render("{{ a }}", {"a": 2}), renderer._owner))
        renderer.close()

    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    text, owner = queue.get()
    process.join()
    assert text == "2"
    assert owner != os.getpid()
    assert renderer.render("{{ a }}", {"a": 1}) == "1"
