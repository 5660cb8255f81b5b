"""What the server answers: its own interface, LibreTranslate's and OpenAI's."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
import torch

import regard
from regard.checkpoints import shipped
from regard.engine.result import shape
from regard.errors import BadArgumentError
from regard.http.guard import Access
from regard.options import Bounds
from regard.tasks import catalog

from .conftest import serving

TEXTS = ["The house is small.", "Where is the station?", "I would like a cup of tea."]


@pytest.fixture(scope="module")
def client(server: Any) -> Any:
    with openai.OpenAI(base_url=f"{server.address}/v1", api_key="none", max_retries=0) as found:
        yield found


def test_translations_are_the_translators(server: Any) -> None:
    expected = regard.load("en-de").run(TEXTS, num_beams=3, alternatives=2)
    status, found, _ = server.ask("/run/translate", dict(text=TEXTS, num_beams=3, alternatives=2))
    assert status == 200
    assert [each["translation"] for each in found["results"]] == [each.text for each in expected]
    assert [
        [other["translation"] for other in each["alternatives"]] for each in found["results"]
    ] == [[other.text for other in each.alternatives] for each in expected]
    assert "alignment" not in found["results"][0]
    assert server.ask("/run/translate", dict(text=""))[1]["results"][0]["translation"] == ""


def test_a_long_text_is_translated_in_parts(server: Any) -> None:
    texts = [" ".join(TEXTS * 40), *TEXTS, ""]
    _, found, _ = server.ask("/run/translate", dict(text=texts, num_beams=1))
    expected = regard.load("en-de").run_by("native")(texts, num_beams=1)
    assert [each["translation"] for each in found["results"]] == expected


def test_a_text_comes_with_its_sentences_and_all_that_stays(server: Any) -> None:
    text = f"# {TEXTS[0]}  {TEXTS[1]}\n\n```\nx = 1\n```\n- Write to me@example.org!\n"
    _, found, _ = server.ask("/run/translate", dict(text=[text, "`x`"], sentences=True))
    [expected] = regard.load("en-de").run_by("native").run([text])
    its, code = found["results"]
    assert its["translation"] == expected.text
    assert its["translation"].startswith("# ")
    assert its["translation"].count("\n\n```\nx = 1\n```\n- ") == 1
    assert "me@example.org" in its["translation"]
    sources = [each["source"] for each in its["sentences"]]
    assert sources == [*TEXTS[:2], "Write to me@example.org!"]
    assert all(each["translation"] in its["translation"] for each in its["sentences"])
    assert (code["translation"], code["sentences"]) == ("`x`", [])
    _, found, _ = server.ask("/run/translate", dict(text=text, whole=True))
    assert "sentences" not in found["results"][0]
    assert found["results"][0]["translation"] != expected.text


def test_alignments_are_the_translators(server: Any) -> None:
    [expected] = regard.load("en-de").run(TEXTS[:1], alignment="output")
    _, found, _ = server.ask("/run/translate", dict(text=TEXTS[0], alignment="output"))
    [result] = found["results"]
    assert result["source_words"] == expected.source_words
    assert result["target_words"] == expected.target_words
    assert np.allclose(result["alignment"], expected.alignment, atol=1e-5)


def test_a_trace_is_a_page_to_download(server: Any) -> None:
    _, found, _ = server.ask("/run/translate", dict(text=TEXTS[0], trace=True, num_beams=2))
    status, page, headers = server.ask(found["trace"])
    assert status == 200
    assert headers["Content-Disposition"] == 'attachment; filename="regard.html"'
    assert "The house is small." in page
    assert server.ask("/traces/none")[0] == 404
    refused = server.ask("/run/translate", dict(text=TEXTS, trace=True))
    assert refused[:2] == (400, {"detail": "a trace is of one text; got 3. Send one at a time."})


@pytest.mark.parametrize("options", [{"seed": 5}, {"do_sample": False}])
def test_a_continuation_comes_with_the_trace_of_its_own_tokens(
    server: Any, options: dict[str, Any]
) -> None:
    asked = dict(text="ROMEO:", max_new_tokens=9, trace=True) | options
    _, found, _ = server.ask("/run/generate", asked)
    [result] = found["results"]
    assert len(result["continuation"]) == 9
    status, page, _ = server.ask(found["trace"])
    assert status == 200
    tokens = page.split('"tokens":{"tokens":[', 1)[1].split("]", 1)[0]
    written = ("ROMEO:" + result["continuation"]).translate({ord("\n"): "↵", ord(" "): "▁"})
    assert tokens == ",".join(f'"{character}"' for character in written)
    refused = server.ask("/run/generate", dict(messages=[], trace=True))
    assert refused[0] == 400
    assert refused[1]["detail"].startswith("a trace is of a text, not of a chat.")


def test_texts_are_classified_and_encoded_as_the_tasks_do(server: Any) -> None:
    texts = ["I am so happy today!", "This is terrible.", "Thank you."]
    expected = regard.load("emotions").run(texts)
    _, found, _ = server.ask("/run/classify", dict(text=texts, top_k=2))
    for got, wanted in zip(found["results"], expected, strict=True):
        assert [each["label"] for each in got["labels"]] == [
            each.label for each in wanted.labels[:2]
        ]
        assert got["chosen"] == wanted.chosen
        assert got["labels"][0]["score"] == pytest.approx(wanted.best.score, rel=1e-4)
    _, found, _ = server.ask("/run/encode", dict(text=texts))
    vectors = regard.load("sentences")(texts)
    assert np.allclose([each["embedding"] for each in found["results"]], vectors, atol=1e-5)


def test_a_continuation_has_its_settings(server: Any) -> None:
    writer = regard.load("shakespeare").run_by("native")
    wanted = dict(max_new_tokens=30, temperature=0.7, seed=4, do_sample=True)
    [expected] = writer.run(["ROMEO:"], **wanted)
    _, found, _ = server.ask("/run/generate", dict(text="ROMEO:", model="shakespeare") | wanted)
    assert found["results"][0]["continuation"] == expected.text
    _, found, _ = server.ask(
        "/run/generate", dict(text="ROMEO:", model="shakespeare", stop="e", seed=4)
    )
    assert found["results"][0]["continuation"].count("e") == 1
    assert server.ask("/run/generate", {})[0] == 400


def test_libretranslate_answers_json_and_forms(server: Any) -> None:
    translator = regard.load("en-de")
    assert server.ask("/languages")[1] == [
        {"code": "de", "name": "German", "targets": []},
        {"code": "en", "name": "English", "targets": ["de"]},
    ]
    pair = dict(source="en", target="de", format="text")
    assert server.ask("/translate", dict(q=TEXTS[0]) | pair)[1] == {
        "translatedText": translator(TEXTS[0])
    }
    assert server.ask("/translate", dict(q=TEXTS) | pair)[1] == {
        "translatedText": translator(TEXTS)
    }
    _, found, _ = server.ask("/translate", dict(q=TEXTS[0], alternatives=2) | pair)
    assert len(set(found["alternatives"])) == 2
    form = urllib.request.Request(
        f"{server.address}/translate",
        b"q=Where+is+the+station%3F&source=auto&target=de",
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    with urllib.request.urlopen(form, timeout=20) as answer:
        assert json.load(answer)["translatedText"] == translator(TEXTS[1])


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (dict(q="x", source="fr", target="de"), "en → de can be translated here; the request"),
        (dict(q="x", source="en"), "target: field required."),
        (dict(q="x", source="en", target="de", format="rtf"), "format: input should be 'text' or"),
        ([], "the body must be a JSON object."),
    ],
)
def test_libretranslate_is_refused_in_its_form(server: Any, body: Any, sentence: str) -> None:
    status, found, _ = server.ask("/translate", body)
    assert status == 400
    assert found["error"].startswith(sentence)


def test_what_is_not_asked_for_rightly_is_one_sentence(server: Any) -> None:
    status, found, _ = server.ask("/v1/embeddings", dict(model="sentences", input=[]))
    assert status == 400
    assert found["error"]["message"].startswith("input: list should have at least 1 item")
    request = urllib.request.Request(
        f"{server.address}/run/translate", b"no JSON", {"Content-Type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)
    assert json.load(refused.value)["detail"].startswith("the body is not JSON;")


@pytest.mark.parametrize("path", ["/run/translate", "/v1/completions", "/translate"])
def test_a_body_with_a_key_twice_is_one_sentence(server: Any, path: str) -> None:
    request = urllib.request.Request(
        f"{server.address}{path}",
        b'{"text": "x", "model": "en-de", "text": "y"}',
        {"Content-Type": "application/json"},
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)
    assert refused.value.code == 400
    assert "the body cannot be used: it has the key 'text' twice." in refused.value.read().decode()


def test_models_are_listed(client: Any) -> None:
    names = [each.id for each in client.models.list()]
    assert names[:4] == ["en-de", "shakespeare", "emotions", "sentences"]
    assert client.models.retrieve("en-de").owned_by == "regard"


def test_a_completion_is_the_writers(client: Any) -> None:
    writer = regard.load("shakespeare").run_by("native")
    greedy = writer.run(["ROMEO:", "KING"], max_new_tokens=20, do_sample=False)
    found = client.completions.create(
        model="shakespeare", prompt=["ROMEO:", "KING"], max_tokens=20, temperature=0
    )
    assert [each.text for each in found.choices] == [each.text for each in greedy]
    assert found.choices[0].finish_reason == "length"
    assert found.usage.completion_tokens == 40
    options: Any = dict(model="shakespeare", prompt="ROMEO:", max_tokens=20, seed=3)
    several = client.completions.create(n=3, echo=True, **options).choices
    assert [each.index for each in several] == [0, 1, 2]
    assert all(each.text.startswith("ROMEO:") for each in several)
    assert len({each.text for each in several}) == 3


def test_a_streamed_completion_is_the_whole_one(client: Any) -> None:
    options: Any = dict(model="shakespeare", prompt="ROMEO:", max_tokens=40, seed=3)
    whole = client.completions.create(**options)
    pieces = list(client.completions.create(stream=True, **options))
    assert len(pieces) > 10
    assert "".join(each.choices[0].text for each in pieces) == whole.choices[0].text
    assert [each.choices[0].finish_reason for each in pieces][-1] == "length"
    usage = dict(stream_options={"include_usage": True})
    *_, last = client.completions.create(stream=True, **usage, **options)
    assert last.usage == whole.usage


def test_a_stop_string_ends_the_text_before_it(client: Any) -> None:
    options: Any = dict(model="shakespeare", prompt="ROMEO:", max_tokens=60, seed=3)
    free = client.completions.create(**options).choices[0].text
    stop = free[20:24]
    expected = free[: free.index(stop)]
    whole = client.completions.create(stop=[stop, "never"], **options).choices[0]
    assert (whole.text, whole.finish_reason) == (expected, "stop")
    pieces = client.completions.create(stop=stop, stream=True, **options)
    assert "".join(each.choices[0].text for each in pieces) == expected


def test_a_chat_is_answered_whole_and_as_a_stream(client: Any, chat_model: Path) -> None:
    messages: Any = [{"role": "user", "content": "the dog"}]
    options: Any = dict(model=chat_model.name, max_completion_tokens=9, temperature=0)
    expected = regard.load(chat_model).chat(messages, max_new_tokens=9, do_sample=False)
    whole = client.chat.completions.create(messages=messages, **options).choices[0].message
    assert (whole.role, whole.content) == ("assistant", expected)
    parts: Any = [{"role": "user", "content": [{"type": "text", "text": "the dog"}]}]
    stream = client.chat.completions.create(messages=parts, stream=True, **options)
    assert "".join(each.choices[0].delta.content or "" for each in stream) == expected


def test_embeddings_are_the_embedders(client: Any) -> None:
    expected = regard.load("sentences")(TEXTS)
    found = client.embeddings.create(model="sentences", input=TEXTS)  # in base64
    assert np.allclose([each.embedding for each in found.data], expected, atol=1e-5)
    floats = client.embeddings.create(model="sentences", input=TEXTS[0], encoding_format="float")
    assert np.allclose(floats.data[0].embedding, expected[0], atol=1e-5)


def theirs(folder: Path, text: str, continuation: str, top: int) -> Any:
    """Return transformers' log-softmax after a text: of each token that follows, and the `top`
    largest."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    encode = regard.load(folder).tokenizer.encode
    before, ids = encode(text), encode(continuation)
    with torch.no_grad():
        logits = model(torch.tensor([[*before, *ids]])).logits[0, len(before) - 1 : -1]
    log_probs = torch.log_softmax(logits, -1)
    return log_probs[range(len(ids)), ids].tolist(), log_probs.topk(top).values.tolist()


@pytest.mark.long("imports transformers")
def test_log_probabilities_of_a_completion_are_transformers(client: Any) -> None:
    folder = shipped.FOLDER / "shakespeare"
    options: Any = dict(model="shakespeare", prompt="ROMEO:", max_tokens=12, seed=3, logprobs=3)
    choice = client.completions.create(**options).choices[0]
    its = choice.logprobs
    log_probs, likeliest = theirs(folder, "ROMEO:", choice.text, 3)
    assert its.token_logprobs == pytest.approx(log_probs, abs=1e-4)
    assert "".join(its.tokens) == choice.text
    assert its.text_offset == list(range(12))  # its tokens are characters
    for top, expected, token, own in zip(
        its.top_logprobs, likeliest, its.tokens, log_probs, strict=True
    ):
        assert top[token] == pytest.approx(own, abs=1e-4)
        assert sorted(top.values())[::-1][:3] == pytest.approx(expected, abs=1e-4)
    plain = client.completions.create(**options | {"logprobs": 0, "temperature": 0}).choices[0]
    assert (len(plain.logprobs.tokens), plain.logprobs.top_logprobs) == (12, None)
    pieces = list(client.completions.create(stream=True, **options))
    streamed = [piece.choices[0].logprobs for piece in pieces if piece.choices[0].logprobs]
    assert [value for each in streamed for value in each.token_logprobs] == its.token_logprobs
    assert [value for each in streamed for value in each.top_logprobs] == its.top_logprobs


def test_log_probabilities_of_a_chat_are_transformers(client: Any, chat_model: Path) -> None:
    messages: Any = [{"role": "user", "content": "the dog"}]
    options: Any = dict(model=chat_model.name, max_completion_tokens=9, temperature=0)
    options |= dict(messages=messages, logprobs=True, top_logprobs=2)
    found = client.chat.completions.create(**options).choices[0]
    writer = regard.load(chat_model)
    [expected] = writer.run([messages], max_new_tokens=9, do_sample=False)
    logits = writer.model(torch.tensor([expected.ids])).detach()[0, -10:-1]
    log_probs = torch.log_softmax(logits.float(), -1)
    content = found.logprobs.content
    own = log_probs[range(9), expected.ids[-9:]]
    assert [each.logprob for each in content] == pytest.approx(own.tolist(), abs=1e-4)
    for each, top in zip(content, log_probs.topk(2).values.tolist(), strict=True):
        assert [other.logprob for other in each.top_logprobs] == pytest.approx(top, abs=1e-4)
    written = bytes(byte for each in content for byte in each.bytes)
    assert written.decode(errors="replace") == found.message.content
    stream = client.chat.completions.create(stream=True, **options)
    chosen = [piece.choices[0].logprobs for piece in stream]
    assert [each for part in chosen if part is not None for each in part.content] == content


def test_log_probabilities_end_with_the_text(client: Any) -> None:
    options: Any = dict(model="shakespeare", prompt="ROMEO:", max_tokens=60, seed=3)
    free = client.completions.create(**options).choices[0].text
    for streamed in (False, True):
        found = client.completions.create(
            stop=[free[20:24]], logprobs=1, stream=streamed, **options
        )
        choices = [piece.choices[0] for piece in found] if streamed else found.choices
        tokens = [token for each in choices if each.logprobs for token in each.logprobs.tokens]
        assert "".join(tokens) == "".join(each.text for each in choices)


def test_openais_refusals_are_its_exceptions(client: Any, server: Any) -> None:
    with pytest.raises(openai.NotFoundError, match="got 'gpt-4'"):
        client.completions.create(model="gpt-4", prompt="x")
    with pytest.raises(openai.BadRequestError, match="needs a checkpoint whose tokenizer has"):
        client.chat.completions.create(
            model="shakespeare", messages=[{"role": "user", "content": "x"}]
        )
    with pytest.raises(openai.BadRequestError, match=r"not of the prompt: leave out echo"):
        client.completions.create(model="shakespeare", prompt="x", logprobs=2, echo=True)
    with pytest.raises(openai.BadRequestError, match=r"top_logprobs needs logprobs"):
        client.chat.completions.create(
            model="shakespeare", messages=[{"role": "user", "content": "x"}], top_logprobs=2
        )
    with pytest.raises(openai.BadRequestError, match="a prompt may have 127 tokens"):
        client.completions.create(model="shakespeare", prompt="x" * 200)
    with pytest.raises(openai.BadRequestError, match="one sequence can be streamed"):
        client.completions.create(model="shakespeare", prompt="x", n=2, stream=True)


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("/run/translate", dict(text="x", model="no"), 400, "a model that can translate must be"),
        ("/run/translate", dict(text="x", model="../x"), 400, "a model that can translate must"),
        ("/run/translate", dict(text="\ud800"), 400, "the text"),
        (
            "/run/translate",
            dict(text="x", beams=3),
            422,
            "a field must be one of model, timeout, t",
        ),
        (
            "/run/translate",
            dict(text="x", source="en"),
            422,
            "a field must be one of model, timeout",
        ),
        ("/run/encode", dict(text="x", n_best=3), 422, "a field must be one of model, timeout, t"),
        ("/run/translate", dict(text="x", num_beams=65), 400, "num_beams and alternatives may"),
        (
            "/run/translate",
            dict(text="x", source_language="fr"),
            400,
            "en-de translates en → de; got fr → any. Leave",
        ),
        ("/run/translate", dict(text="x", max_new_tokens=9999), 400, "max_new_tokens may be 1024"),
        ("/run/answer", dict(question="x", context="y"), 400, "no model that can answer is"),
        ("/run/summarize", dict(text="x"), 400, "no model that can summarize is served here; "),
        ("/run/classify", dict(text="x", text_pair=["y", "z"]), 400, "text_pair must be one for e"),
        ("/nowhere", None, 404, "there is nothing at /nowhere; /docs says what there is."),
        ("/run/translate", None, 405, "/run/translate does not answer GET."),
    ],
)
def test_a_mistake_is_a_sentence(
    server: Any, path: str, body: Any, status: int, sentence: str
) -> None:
    found = server.ask(path, body)
    assert found[0] == status
    assert found[1]["detail"].startswith(sentence)


def beyond(bounds: Bounds) -> list[float]:
    """Numbers just outside."""
    return [
        *([] if bounds.min is None else [bounds.min - 1]),
        *([] if bounds.max is None else [bounds.max + 1]),
        *(each for each in (bounds.above, bounds.below) if each is not None),
    ]


OPTIONS = [
    (verb, name, setting.metadata["bounds"], value)
    for verb in catalog.VERBS
    for name, setting in catalog.doing(verb).options_class().settings().items()
    if setting.metadata["bounds"]
    for value in beyond(setting.metadata["bounds"])
]


@pytest.mark.parametrize(("task", "name", "bounds", "value"), OPTIONS)
def test_an_option_out_of_range_has_the_sentence_of_python(
    server: Any, task: str, name: str, bounds: Bounds, value: float
) -> None:
    texts = {each.name: "x" for each in catalog.doing(task).inputs if not each.optional}
    status, found, _ = server.ask(f"/run/{task}", texts | {name: value})
    with pytest.raises(BadArgumentError) as refused:
        bounds.check(name, value)
    assert (status, found["detail"]) == (422, str(refused.value))


def test_every_option_of_a_task_is_a_field_of_its_requests(server: Any) -> None:
    _, schema, _ = server.ask("/openapi.json")
    for verb in catalog.VERBS:
        fields = schema["components"]["schemas"][f"{verb.capitalize()}Request"]["properties"]
        assert {*catalog.doing(verb).options_class().settings()} <= {*fields}
        assert {each.name for each in catalog.doing(verb).inputs} <= {*fields}
    assert len(OPTIONS) >= 40


@pytest.mark.parametrize("verb", catalog.VERBS)
def test_results_are_described_by_the_fields_of_their_class(server: Any, verb: str) -> None:
    _, schema, _ = server.ask("/openapi.json")
    described = schema["components"]["schemas"][f"{verb.capitalize()}Result"]["properties"]
    assert {*described} == {*shape(catalog.doing(verb).result_class()), "error"}


LONG = "Yes. " * 25_000


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("/run/translate", dict(text=LONG), 413, "a text may have 100,000 characters here; got"),
        ("/run/translate", dict(text=[LONG[:90_000]] * 5), 413, "the texts of a request may have"),
        ("/run/translate", dict(text=["x"] * 1025), 400, "a request may have 1024 texts here; got"),
        (
            "/run/translate",
            dict(text=["x"] * 300, alternatives=4),
            400,
            "a request may have 1024 texts",
        ),
        ("/run/translate", dict(text="a " * 1025, alignment="input"), 413, "the squares of the"),
        (
            "/run/generate",
            dict(text=["x"] * 200, alternatives=1024, seed=1),
            400,
            "num_beams and al",
        ),
        ("/run/generate", dict(text=LONG), 413, "a text may have 100,000 characters here; got"),
        ("/run/generate", dict(text="x", stop=LONG), 413, "a text may have 100,000 characters"),
        (
            "/run/classify",
            dict(text="x", text_pair=LONG),
            413,
            "a text may have 100,000 characters",
        ),
        ("/run/encode", dict(text=["x", LONG]), 413, "a text may have 100,000 characters here"),
        ("/translate", dict(q=LONG, source="en", target="de"), 413, "a text may have 100,000"),
        ("/v1/embeddings", dict(model="sentences", input=LONG), 413, "a text may have 100,000"),
        ("/v1/completions", dict(model="shakespeare", prompt=["x"] * 200, n=48), 400, "a request"),
    ],
)
def test_a_request_that_is_too_large_is_refused_before_any_work(
    server: Any, monkeypatch: pytest.MonkeyPatch, path: str, body: Any, status: int, sentence: str
) -> None:
    def work(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("a text was encoded")

    for name in ("encode", "inputs", "encode_batch"):
        monkeypatch.setattr(f"regard.text.Tokenizer.{name}", work)
    found = server.ask(path, body)
    said = found[1].get("detail", found[1].get("error"))
    assert found[0] == status
    assert (said["message"] if path.startswith("/v1") else said).startswith(sentence)


def test_a_chat_that_is_nested_too_deep_is_refused(server: Any, chat_model: Path) -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    body = dict(model=chat_model.name, messages=[dict(role="user", content="x", more=deep)])
    status, found, _ = server.ask("/v1/chat/completions", body)
    assert status == 400
    assert found["error"]["message"].startswith("a chat may be nested 32 deep")


def test_the_reference_lists_every_route(server: Any) -> None:
    _, schema, _ = server.ask("/openapi.json")
    status, page, headers = server.ask("/docs")
    assert status == 200
    assert "<script" not in page
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    for path in ("/run/translate", "/v1/chat/completions", "/translate", "/metrics"):
        assert path in schema["paths"]
        assert f"<code>{'GET' if path == '/metrics' else 'POST'} {path}</code>" in page
    assert "<code>num_beams</code><td>integer" in page


def test_metrics_count_requests_and_tokens(server: Any) -> None:
    server.ask("/run/translate", dict(text=TEXTS))
    server.ask("/nowhere/at/all")
    _, text, headers = server.ask("/metrics")
    assert headers["Content-Type"].startswith("text/plain")
    assert 'regard_requests_total{route="/run/translate",status="200"}' in text
    assert 'regard_requests_total{route="other",status="404"}' in text
    assert "nowhere" not in text
    counts = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    assert float(counts['regard_tokens_total{model="en-de"}']) > 10
    assert float(counts['regard_waiting{model="en-de"}']) == 0


def test_every_answer_needs_the_key_but_for_health(server: Any) -> None:
    with serving(["sentences"], access=Access("secret", loopback=False)) as guarded:
        encode = ("/run/encode", dict(text="x"))
        assert guarded.ask("/healthz")[0] == guarded.ask("/readyz")[0] == 200
        for path in ("/docs", "/metrics", "/v1/models", "/openapi.json", "/nowhere"):
            assert guarded.ask(path)[0] == 401
        assert guarded.ask(*encode)[0] == 401
        assert guarded.ask(*encode, Authorization="Bearer secre")[0] == 401
        assert guarded.ask(*encode, Authorization="Bearer secret", Host="any.example")[0] == 200
        wanted = dict(q="x", source="en", target="de")
        assert guarded.ask("/translate", wanted)[0] == 403
        status, found, _ = guarded.ask("/translate", wanted | dict(api_key="secret"))
        assert (status, found["error"][:7]) == (400, "no pair")
        status, found, _ = guarded.ask("/v1/models", Authorization="Bearer wrong")
        assert (status, found["error"]["code"]) == (401, "invalid_api_key")


def test_pages_of_others_are_refused(server: Any) -> None:
    assert server.ask("/healthz", Host="evil.example")[0] == 403
    assert server.ask("/healthz", Origin="http://evil.example")[0] == 403
    assert server.ask("/healthz")[0] == 200
