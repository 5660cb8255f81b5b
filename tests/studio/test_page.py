"""The built page is in the package, and is what web/ would build today."""

import json
from pathlib import Path

import pytest

from regard.studio import page
from regard.studio.schema import schema

WEB = Path(__file__).parents[2] / "web"
needs_web = pytest.mark.skipif(not WEB.is_dir(), reason="web/ is not part of this copy")


@needs_web
def test_the_built_page_is_not_stale():
    built_from = page.STATIC / "built-from.txt"
    assert built_from.read_text().strip() == page.fingerprint(WEB), (
        "the page's sources have changed since it was built: run `npm run build` in web/"
    )


@needs_web
def test_the_page_knows_the_servers_schema():
    assert (WEB / "schema.json").read_text() == schema(), (
        "run `python -m regard.studio.schema > web/schema.json`, then `npm run types` in web/"
    )


def test_the_schema_is_the_same_each_time():
    assert schema() == schema()
    assert json.loads(schema())["paths"]["/api/traces/{id}/tile"]["get"]


def test_the_fingerprint_is_of_sources_and_not_of_tests(tmp_path):
    web = tmp_path / "web"
    (web / "src" / "map").mkdir(parents=True)
    (web / "src" / "map" / "a.ts").write_text("one")
    (web / "index.html").write_text("page")
    before = page.fingerprint(web)
    (web / "src" / "map" / "a.test.ts").write_text("a test")
    (web / "notes.md").write_text("not an input")
    assert page.fingerprint(web) == before
    (web / "src" / "map" / "a.ts").write_text("two")
    changed = page.fingerprint(web)
    assert changed != before
    (web / "src" / "map" / "a.ts").rename(web / "src" / "map" / "b.ts")
    assert page.fingerprint(web) not in (before, changed)


def test_the_page_and_its_parts_are_served(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    for name, kind in (("regard.js", "text/javascript"), ("regard.css", "text/css")):
        assert name in answer.text
        part = client.get(f"/{name}")
        assert part.headers["content-type"].startswith(kind)
        assert part.text == page.read(name)


def test_the_page_asks_nothing_of_other_machines(client):
    for path in ("/", "/regard.css"):
        assert "http://" not in client.get(path).text.replace("http://www.w3.org/", "")
        assert "https://" not in client.get(path).text


def test_a_page_that_was_never_built_is_a_sentence(monkeypatch, tmp_path, client):
    monkeypatch.setattr(page, "STATIC", tmp_path)
    answer = client.get("/")
    assert (answer.status_code, answer.json()["detail"]) == (
        503, "this copy of regard has no built page; run `npm ci && npm run build` in web/.",
    )  # fmt: skip
