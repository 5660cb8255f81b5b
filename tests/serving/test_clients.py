"""Requests as other programs' clients send them: bodies and headers from their own sources."""

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import numpy as np
import pytest

import regard
from regard.errors import BadArgumentError
from regard.http.guard import Access
from regard.http.sockets import checked_origin

from .conftest import serving

HELLO, CYRILLIC = "Good morning.", "Привет, как дела сегодня?"
BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW"


def send(
    server: Any, path: str, body: Any = None, kind: str = "application/json", method: str = ""
) -> tuple[int, Any]:
    """Status and content of an answer to bytes, or to a value as JSON."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    request = urllib.request.Request(server.address + path, data, {"Content-Type": kind})
    request.method = method or request.get_method()
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or "null")


def form(**fields: str) -> bytes:
    """The body of a browser's FormData."""
    parts = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    return ("".join(parts) + f"--{BOUNDARY}--\r\n").encode()


@pytest.fixture(scope="module")
def hello() -> Any:
    return regard.load("en-de")(HELLO)


PAIR = {"source": "en", "target": "de"}


@pytest.mark.parametrize(
    "body",
    [
        {"q": HELLO, "source": "auto", "target": "de", "format": "text", "api_key": ""},  # its page
        {
            "q": HELLO,
            "source": "en",
            "target": "de",
            "format": "html",
            "api_key": "x",
            "secret": "",
        },
        {"q": HELLO, "source": None, "target": "de", "format": None, "alternatives": None},
        {"q": HELLO, "source": "EN", "target": "de-AT"},
        {"q": HELLO, "source": "en_US", "target": "DE", "format": "html"},
    ],
)
def test_a_request_for_a_translation_may_say_what_it_does_not_ask_for(
    server: Any, hello: str, body: dict[str, Any]
) -> None:
    status, found = send(server, "/translate", body)
    assert (status, found["translatedText"]) == (200, hello)


def test_no_text_has_no_translation(server: Any) -> None:
    assert send(server, "/translate", {"q": [], **PAIR}) == (200, {"translatedText": []})


def test_languages_need_no_key(server: Any) -> None:
    with serving(["sentences"], access=Access("secret", loopback=False)) as guarded:
        assert guarded.ask("/languages")[:2] == (200, [])
        assert guarded.ask("/frontend/settings")[1]["keyRequired"] is True


def test_a_list_of_markup_keeps_its_tags_as_mastodon_asks(server: Any) -> None:
    texts = ["<p>The house is small.</p>", "<p>Good <b>morning</b>.</p>"]
    body = {"q": texts, "source": "en", "target": "de", "format": "html", "api_key": None}
    status, found = send(server, "/translate", body)
    assert status == 200
    assert found["translatedText"][0] == "<p>Das Haus ist klein.</p>"
    assert found["translatedText"][1].count("<b>") == found["translatedText"][1].count("</b>") == 1


def test_a_form_may_come_in_parts_in_lines_or_in_the_address(server: Any, hello: str) -> None:
    fields = {"q": HELLO, "source": "en", "target": "de"}
    lines = urllib.parse.urlencode(fields)
    parts = f"multipart/form-data; boundary={BOUNDARY}"
    expected = (200, {"translatedText": hello})
    assert send(server, "/translate", form(**fields), parts) == expected
    assert send(server, "/translate", form(**fields), f'{parts[:30]}"{BOUNDARY}"') == expected
    line_kind = "application/x-www-form-urlencoded; charset=UTF-8"
    assert send(server, "/translate", lines.encode(), line_kind) == expected
    assert send(server, f"/translate?{lines}", b"") == expected


@pytest.mark.parametrize(
    "body", [b"", b"--no", form(q="x")[:-9], form(**{f"f{k}": "x" for k in range(20)})]
)
def test_a_form_that_is_malformed_is_refused_in_a_sentence(server: Any, body: bytes) -> None:
    status, found = send(server, "/translate", body, f"multipart/form-data; boundary={BOUNDARY}")
    assert status == 400
    assert found["error"].startswith("the form is malformed, ")


def test_the_language_of_a_text_is_detected_among_those_served(server: Any) -> None:
    (english,) = send(server, "/detect", {"q": "Where is the station?", "api_key": ""})[1]
    assert english["language"] == "en"
    assert english["confidence"] > 90
    (german,) = send(server, "/detect?q=Wo+ist+denn+der+Bahnhof%3F", b"")[1]
    assert german["confidence"] < 50
    assert send(server, "/detect", {"q": CYRILLIC})[1] == [{"confidence": 0, "language": "en"}]
    asked = {"q": [HELLO, HELLO], "source": "auto", "target": "de"}
    assert (
        send(server, "/translate", asked)[1]["detectedLanguage"]
        == [{"confidence": 100, "language": "en"}] * 2
    )


def test_a_translation_into_the_texts_own_language_is_the_text(server: Any) -> None:
    body = {"q": [HELLO], "source": "de", "target": "de", "alternatives": 1}
    assert send(server, "/translate", body)[1] == {"translatedText": [HELLO], "alternatives": [[]]}


def test_what_its_clients_ask_besides_is_answered_or_refused_in_its_form(server: Any) -> None:
    assert send(server, "/health") == (200, {"status": "ok"})
    settings = send(server, "/frontend/settings")[1]
    assert settings["keyRequired"] is False
    assert settings["language"]["source"] == {"code": "en", "name": "English"}
    for path in ("/suggest", "/translate_file"):
        status, found = send(server, path, {})
        assert status == 403
        assert found["error"].startswith(f"{path} is not available here")


def test_a_text_that_is_refused_leaves_the_others_their_answers(server: Any, hello: str) -> None:
    _, found = send(server, "/translate", {"q": [HELLO, CYRILLIC], **PAIR})
    assert found["translatedText"] == [hello, CYRILLIC]
    _, found = send(server, "/translate", {"q": CYRILLIC, **PAIR})
    assert found["translatedText"] == CYRILLIC
    _, found = send(server, "/run/translate", {"text": [CYRILLIC, HELLO]})
    refused, answered = found["results"]
    assert refused["translation"] == ""
    assert refused["error"].startswith("en-de cannot read this text")
    assert answered["translation"] == hello
    assert "error" not in answered
    long = {"text": ["x" * 300, "ROMEO:"], "model": "shakespeare", "max_new_tokens": 5}
    refused, answered = send(server, "/run/generate", long)[1]["results"]
    assert refused["error"].startswith("a prompt may have 127 tokens")
    assert answered["continuation"]


def test_a_request_of_which_every_text_is_refused_is_refused(server: Any) -> None:
    for text in (CYRILLIC, [CYRILLIC, CYRILLIC]):
        status, found = send(server, "/run/translate", {"text": text})
        assert status == 400
        assert found["detail"].startswith("en-de cannot read this text")


# LangChain's OpenAI, LlamaIndex, the openai package's own null, LiteLLM
NEUTRAL = {
    "frequency_penalty": 0, "presence_penalty": 0, "best_of": 1, "logit_bias": {}, "n": 1,
    "logprobs": None, "suffix": None, "stream": False, "stop": None, "user": "someone",
    "seed": None, "top_p": None, "echo": False, "stream_options": None,
}  # fmt: skip
CHAT = {
    "frequency_penalty": 0.0, "tools": [], "tool_choice": "none", "parallel_tool_calls": True,
    "response_format": {"type": "text"}, "logprobs": False, "top_logprobs": None, "store": False,
    "metadata": {"run": "1"}, "service_tier": "auto", "modalities": ["text"], "functions": None,
    "max_completion_tokens": 4, "reasoning_effort": None, "safety_identifier": "a", "stop": [],
}  # fmt: skip


def test_values_that_ask_for_nothing_are_taken(server: Any, chat_model: Any) -> None:
    body = {"model": "shakespeare", "prompt": "ROMEO:", "max_tokens": 4, "temperature": 0}
    plain = send(server, "/v1/completions", body)[1]["choices"]
    assert send(server, "/v1/completions", body | NEUTRAL)[1]["choices"] == plain
    messages = [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    chat = {"model": chat_model.name, "messages": messages} | CHAT
    assert send(server, "/v1/chat/completions", chat)[0] == 200
    both = {"model": "sentences", "input": "Hi", "dimensions": None, "user": None}
    assert send(server, "/v1/embeddings", both)[0] == 200


@pytest.mark.parametrize(
    ("path", "more", "sentence"),
    [
        ("completions", {"frequency_penalty": 0.5}, "frequency_penalty is not available here"),
        ("completions", {"best_of": 3}, "best_of is not available here"),
        ("completions", {"logit_bias": {"50256": -100}}, "logit_bias is not available here"),
        ("completions", {"prompt": [1, 2, 3]}, "texts were expected; got ids of tokens"),
        ("completions", {"max_token": 3}, "a field must be one of model, max_tokens"),
        ("embeddings", {"input": [[9906, 1917]]}, "texts were expected; got ids of tokens"),
        ("embeddings", {"dimensions": 9999}, "dimensions may be "),
    ],
)
def test_a_value_that_asks_for_something_is_refused_by_name(
    server: Any, path: str, more: dict[str, Any], sentence: str
) -> None:
    body = {"prompt": "x"} if path == "completions" else {"input": "x"}
    model = "shakespeare" if path == "completions" else "sentences"
    status, found = send(server, f"/v1/{path}", {"model": model} | body | more)
    assert status == 400
    assert found["error"]["message"].startswith(sentence)


@pytest.mark.parametrize("dimensions", [7, None])
def test_a_vector_is_cut_to_the_dimensions_that_are_asked_for(
    server: Any, dimensions: int | None
) -> None:
    vector = regard.load("sentences")("Hi")
    body = {"model": "sentences", "input": ["Hi"], "dimensions": dimensions or len(vector)}
    found = send(server, "/v1/embeddings", body)[1]["data"][0]["embedding"]
    expected = vector[:dimensions]
    assert np.allclose(found, expected / np.linalg.norm(expected), atol=1e-5)


def test_head_is_answered_as_get_without_a_body(server: Any) -> None:
    for path in ("/healthz", "/readyz", "/languages", "/v1/models", "/metrics"):
        request = urllib.request.Request(server.address + path, method="HEAD")
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.status == 200
            assert int(answer.headers["Content-Length"]) > 0
            assert answer.read() == b""


def test_a_method_that_is_not_answered_has_those_that_are(server: Any) -> None:
    status, found, headers = server.ask("/run/translate")
    assert (status, headers["Allow"]) == (405, "POST")
    assert found["detail"] == "/run/translate does not answer GET."


def test_a_compressed_body_is_refused_in_a_sentence(server: Any) -> None:
    status, found, _ = server.ask("/run/encode", {"text": "x"}, Content_Encoding="gzip")
    assert (status, found["detail"]) == (415, "the body is compressed; send it as it is.")


PREFLIGHT = {
    "Origin": "https://a.example",
    "Access_Control_Request_Method": "POST",
    "Access_Control_Request_Headers": "authorization,x-stainless-os",
}


def preflight(server: Any, **headers: str) -> tuple[int, Any]:
    named = {name.replace("_", "-"): value for name, value in (PREFLIGHT | headers).items()}
    request = urllib.request.Request(f"{server.address}/v1/models", None, named, method="OPTIONS")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers


def test_a_page_that_has_the_key_may_call(server: Any) -> None:
    with serving(["sentences"], access=Access("secret", loopback=False)) as guarded:
        status, headers = preflight(guarded)
        assert status == 204
        assert headers["Access-Control-Allow-Origin"] == "https://a.example"
        assert headers["Access-Control-Allow-Headers"] == "authorization,x-stainless-os"
        key = {"Origin": "https://a.example", "Authorization": "Bearer secret"}
        status, _, headers = guarded.ask("/v1/models", **key)
        assert (status, headers["Access-Control-Allow-Origin"]) == (200, "https://a.example")
        assert guarded.ask("/v1/models", Origin="https://a.example")[0] == 401


def test_without_a_key_only_a_page_that_was_named_may_call(server: Any) -> None:
    assert preflight(server)[0] == 403
    with serving(["sentences"], access=Access(origins=("https://a.example",))) as opened:
        assert preflight(opened)[0] == 204
        assert preflight(opened, Origin="https://b.example")[0] == 403
        assert opened.ask("/v1/models", Origin="https://a.example")[0] == 200
        rebound = opened.ask("/v1/models", Origin="https://a.example", Host="evil.example")
        assert rebound[0] == 403
    with serving(["sentences"], access=Access(loopback=False, origins=("*",))) as everyone:
        assert everyone.ask("/v1/models", Origin="https://b.example")[0] == 200


def test_an_origin_is_a_scheme_and_a_host() -> None:
    assert checked_origin("https://Example.org:8443/") == "https://example.org:8443"
    for origin in ("example.org", "https://a.example/path", ""):
        with pytest.raises(BadArgumentError, match="an origin is a scheme and a host"):
            checked_origin(origin)
