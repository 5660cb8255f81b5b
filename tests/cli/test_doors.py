"""One task through every door: the command, files, HTTP and Python name the same parts, and
hold the same bounds."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import regard as package
from regard import RegardError
from regard.engine.result import shape
from regard.options import Bounds
from regard.tasks import catalog

EXAMPLES = {
    "translate": ("en-de", "Where is the station?"),
    "generate": ("shakespeare", "ROMEO:"),
    "classify": ("emotions", "Thank you so much!"),
    "encode": ("sentences", "It is late."),
    "label": ("tagger", "It is late."),
    "summarize": ("summaries", "It is late. We show that it is not."),
}


@pytest.fixture(scope="module", autouse=True)
def tagger(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Saves an untrained model of the task that has no shipped one."""
    from regard.checkpoints import save_pretrained
    from regard.models import Encoder, encoder_preset
    from regard.text import train_tokenizer

    folder = tmp_path_factory.mktemp("doors") / "tagger"
    tokenizer = train_tokenizer(["It is late."] * 20, vocab_size=400, encoder=True)
    config = encoder_preset(
        "tiny", tokenizer.vocab_size, head="token_classification", labels=("A", "B")
    )
    save_pretrained(Encoder(config), folder)
    tokenizer.save(folder)
    EXAMPLES["label"] = (str(folder), EXAMPLES["label"][1])
    config = encoder_preset(
        "tiny", tokenizer.vocab_size, head="classification", labels=("contradiction", "entailment")
    )
    save_pretrained(Encoder(config), folder.with_name("entailment"))
    tokenizer.save(folder.with_name("entailment"))


@pytest.fixture(scope="module")
def client(tagger: None) -> Iterator[TestClient]:
    from regard.http.guard import Access
    from regard.serving.app import create_app
    from regard.serving.limits import Limits
    from regard.serving.metrics import Metrics
    from regard.serving.served import Served

    metrics = Metrics()
    models = [*(model for model, _ in EXAMPLES.values()), entailment()]
    served = Served(models, Limits(), metrics)
    with TestClient(
        create_app(served, metrics, Access(None, True)), base_url="http://localhost"
    ) as client:
        yield client
    served.close()


def entailment() -> str:
    """The folder of an untrained model of entailment."""
    return str(Path(EXAMPLES["label"][0]).with_name("entailment"))


def names(value: Any) -> Any:
    """The names in a value of JSON, of the first item of each list."""
    if isinstance(value, dict):
        return {name: names(each) for name, each in value.items()}
    return [names(value[0])] if isinstance(value, list) and value else None


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("translate", {}),
        ("translate", {"num_beams": 3, "alternatives": 2, "tokens": True, "words": True}),
        ("generate", {"max_new_tokens": 3, "do_sample": False}),
        ("classify", {"top_k": 2}),
        ("encode", {}),
        ("label", {"aggregation": "simple"}),
        ("summarize", {"alternatives": 2, "tokens": True}),
    ],
)
def test_every_door_names_the_same_parts(
    verb: str,
    options: dict[str, Any],
    regard: Callable[..., Any],
    client: TestClient,
    tmp_path: Path,
) -> None:
    model, text = EXAMPLES[verb]
    kind = catalog.doing(verb)
    given = catalog.chosen(kind.verb, options)
    task, call = package.load(model, catalog.VERBS[verb]).with_options(**given)
    [result] = task.run_rows([(text,)], **call)
    expected = names(result.json(given))
    assert expected.keys() <= shape(kind.result_class()).keys()

    flags = [
        f"--{'no-sample' if value is False else name.replace('_', '-')}"
        + ("" if isinstance(value, bool) else f"={value}")
        for name, value in options.items()
    ]
    as_json = [] if verb == "encode" else ["--json"]
    flags += ["--model", model] if verb == "label" else []
    shown = json.loads(regard(verb, text, *flags, *as_json).out)
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": text}) + "\n")
    regard(verb, "-i", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", *flags)
    written = json.loads((tmp_path / "out.jsonl").read_text())
    asked = client.post(f"/run/{verb}", json={"text": text, **options}).json()
    [served] = asked["results"]
    for found in (shown, written):
        assert found.pop("text") == text
        assert names(found) == expected
    assert names(served) == expected


@pytest.mark.parametrize("multi_label", [False, True])
def test_labels_of_ones_own_have_the_same_scores_at_every_door(
    multi_label: bool, regard: Callable[..., Any], client: TestClient, tmp_path: Path
) -> None:
    text, labels, template = "It is late.", "night, day,tea", "It is {}."
    [result] = package.load(entailment(), "text-classification").zero_shot(
        [text], ["night", "day", "tea"], template=template, multi_label=multi_label
    )
    expected = {each.label: pytest.approx(each.score, abs=1e-5) for each in result.labels}
    options = {"labels": labels, "template": template, "multi_label": multi_label, "top_k": 3}
    flags = ["--labels", labels, "--template", template, "--top-k", "3", "--model", entailment()]
    flags += ["--multi-label"] * multi_label
    shown = json.loads(regard("classify", text, *flags, "--json").out)
    (tmp_path / "in.txt").write_text(text)
    regard("classify", "-i", tmp_path / "in.txt", "-o", tmp_path / "out.jsonl", *flags)
    written = json.loads((tmp_path / "out.jsonl").read_text())
    answer = client.post(
        "/run/classify", json={"text": text, "model": "entailment", **options}
    ).json()
    for found in (shown, written, answer["results"][0]):
        assert {each["label"]: each["score"] for each in found["labels"]} == expected
    assert (sum(each.score for each in result.labels) == pytest.approx(1)) != multi_label


@pytest.mark.parametrize(
    ("options", "status", "sentence"),
    [
        ({"template": "It is {}."}, 400, "template` is about labels of your own; give `labels`"),
        ({"multi_label": True}, 400, "multi_label` is about labels of your own"),
        ({"labels": "a,,b"}, 400, "labels must be words to choose among"),
        ({"labels": "a", "template": "It."}, 400, "template must have {} for the label"),
        ({"labels": ",".join("a" * 1025)}, 400, "with 1025 results each"),
        ({"labels": "a", "text_pair": "It is."}, 400, "labels are of single texts"),
    ],
)
def test_labels_of_ones_own_are_refused_in_a_sentence(
    options: dict[str, Any], status: int, sentence: str, client: TestClient
) -> None:
    answer = client.post(
        "/run/classify", json={"text": "It is late.", "model": "entailment", **options}
    )
    assert (answer.status_code, sentence in answer.json()["detail"]) == (status, True)


def test_a_text_in_another_language_is_strictly_refused_at_every_door(
    regard: Callable[..., Any], client: TestClient, tmp_path: Path
) -> None:
    text = "Où est la gare la plus proche ?"
    sentence = f"{text!r} is in another language than en-de reads. Give a text in that one,"
    assert regard("translate", text).code == 0
    outcome = regard("translate", text, "--strict-language")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"regard: line 1: {sentence} another model, or --force.\n"
    (tmp_path / "in.txt").write_text(f"It is late.\n{text}\n")
    files = ("-i", tmp_path / "in.txt", "-o", tmp_path / "out.jsonl")
    assert regard("translate", *files, "--strict-language").code == 2
    [bad] = (tmp_path / "out.jsonl.bad.jsonl").read_text().splitlines()
    assert json.loads(bad)["reason"].startswith(sentence)
    answer = client.post("/run/translate", json={"text": text, "strict_language": True})
    assert answer.status_code in (400, 422)
    assert sentence in answer.text
    assert client.post("/run/translate", json={"text": text}).json()["results"][0]["language_doubt"]

    assert regard("translate", text, "--force").code == 0
    files = ("-i", tmp_path / "in.txt", "-o", tmp_path / "o.txt")
    assert regard("translate", *files, "--force").code == 0
    assert client.post("/run/translate", json={"text": text, "force": True}).status_code == 200


def test_a_glossary_holds_at_every_door(
    regard: Callable[..., Any], client: TestClient, tmp_path: Path
) -> None:
    text, terms = "Where is the station?", tmp_path / "terms.tsv"
    terms.write_text("station\tHaltestelle\n")
    assert "Haltestelle" in regard("translate", text, "--glossary", terms).out
    (tmp_path / "in.txt").write_text(f"{text}\n")
    files = ("-i", tmp_path / "in.txt", "-o", tmp_path / "out.txt")
    regard("translate", *files, "--glossary", terms)
    assert "Haltestelle" in (tmp_path / "out.txt").read_text()
    body = {"text": text, "glossary": {"station": "Haltestelle"}}
    [answer] = client.post("/run/translate", json=body).json()["results"]
    assert "Haltestelle" in answer["translation"]
    assert client.post("/run/translate", json=body | {"glossary": str(terms)}).status_code == 422
    terms.write_text("station\t\n")
    outcome = regard("translate", text, "--glossary", terms)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "line 1 of" in outcome.err


def outside(bounds: Bounds) -> Iterator[float]:
    """Numbers just outside."""
    yield from (edge - 1 for edge in [bounds.min] if edge is not None)
    yield from (edge + 1 for edge in [bounds.max] if edge is not None)
    yield from (edge for edge in (bounds.above, bounds.below) if edge is not None)


def bounded(verb: str) -> dict[str, Bounds]:
    """The bounds of a command's settings, by name."""
    settings = catalog.doing(verb).options_class().settings()
    return {
        name: setting.metadata["bounds"]
        for name, setting in settings.items()
        if setting.metadata["bounds"]
    }


@pytest.mark.parametrize("verb", [verb for verb in catalog.VERBS if bounded(verb)])
def test_every_bound_of_a_task_is_held_with_one_sentence(
    verb: str, regard: Callable[..., Any], tmp_path: Path
) -> None:
    kind, doors = (
        catalog.doing(verb),
        ([verb, "a"], [verb, "-i", tmp_path / "a", "-o", tmp_path / "b"]),
    )
    for name, bounds in bounded(verb).items():
        flag, sentence = f"--{name.replace('_', '-')}", f"must be {bounds}; got "
        for edge in (bounds.min, bounds.max):
            if edge is not None:
                assert kind.options_class()(**{name: edge})
        for number in outside(bounds):
            with pytest.raises(RegardError, match=re.escape(f"{name} {sentence}")):
                catalog.chosen(kind.verb, {name: number})
        for command in doors:
            outcome = regard(*command, "--model", "none", f"{flag}={next(outside(bounds))}")
            assert outcome.code == 2
            assert outcome.err.startswith(f"regard: {flag} {sentence}"), outcome.err


def test_an_option_of_other_tasks_says_whose_it_is() -> None:
    with pytest.raises(RegardError, match=r"`pooling` belongs to encode; translate does not"):
        catalog.chosen("translate", {"pooling": "max"})
