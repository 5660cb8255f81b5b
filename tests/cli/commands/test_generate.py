"""`regard generate`: one prompt as a stream, many as they come, and a chat."""

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch

from regard.checkpoints import save_pretrained
from regard.models import Decoder, DecoderConfig
from regard.tasks.text_generation.task import Writer
from regard.text import Tokenizer

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|>{% endfor %}"
    "{% if messages[-1].role == 'assistant' %}{{ raise_exception('no question') }}{% endif %}"
)
SHORT = ("--max-new-tokens", 5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, byte_level: Any) -> Path:
    """A small random model that ends nothing by itself within a few tokens."""
    torch.manual_seed(23)
    config = DecoderConfig(
        283, d_model=20, num_layers=2, num_heads=5, d_ff=28, max_positions=43, bos_id=0, eos_id=2
    )
    model = Decoder(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    made = tmp_path_factory.mktemp("model")
    save_pretrained(model, made)
    backend = tokenizers.Tokenizer.from_str(byte_level.to_str())
    special = dict(pad=None, unk=None, eos="<|im_end|>")
    Tokenizer(backend, **special, settings={"chat_template": TEMPLATE}).save(made)
    return made


@pytest.fixture(scope="module")
def writer(folder: Path) -> Writer:
    return Writer.load(folder)


def user(text: str, *before: dict[str, str]) -> list[dict[str, str]]:
    return [*before, {"role": "user", "content": text}]


def test_one_prompt_is_streamed(regard, folder, writer, monkeypatch):
    streamed = []
    original = Writer.stream
    monkeypatch.setattr(
        Writer, "stream", lambda self, *a, **k: streamed.append(a) or original(self, *a, **k)
    )
    outcome = regard("generate", "the dog", "-m", folder, *SHORT)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == writer("the dog", max_new_tokens=5) + "\n"
    assert streamed == [("the dog",)]
    assert regard("generate", "a", "-m", folder, *SHORT, "--num-beams", 3).out == (
        writer("a", max_new_tokens=5, num_beams=3) + "\n"
    )
    assert len(streamed) == 1


def test_several_prompts_stand_apart(regard, folder, writer, tmp_path):
    one, two = writer(["the dog", "a"], max_new_tokens=5)
    outcome = regard("generate", "the dog", "a", "-m", folder, *SHORT)
    assert outcome.out == f"{one}\n\n{two}\n"
    assert regard("generate", "-m", folder, *SHORT, stdin=b"the dog\na\n").out == outcome.out
    (tmp_path / "prompts.txt").write_text("the dog\na\n")
    files = ("--input", tmp_path / "prompts.txt", "--output", tmp_path / "texts.txt")
    assert regard("generate", "-m", folder, *SHORT, *files, "--threads", 1).out == ""
    assert (tmp_path / "texts.txt").read_text(encoding="utf-8") == outcome.out


def test_json_keeps_the_fields_that_came(regard, folder, writer):
    line = json.dumps({"text": "the", "id": 7}).encode()
    options = ("--num-beams", 3, "--alternatives", 2, "--tokens", "--json")
    found = json.loads(regard("generate", "-m", folder, *SHORT, *options, stdin=line).out)
    [best] = writer.run(["the"], max_new_tokens=5, num_beams=3, alternatives=2)
    assert found.pop("alternatives") == [
        {
            "continuation": each.text,
            "tokens": each.tokens,
            "score": pytest.approx(each.score),
            "finished": each.finished,
        }
        for each in best.alternatives
    ]
    assert found == {
        "text": "the",
        "id": 7,
        "continuation": best.text,
        "tokens": best.tokens,
        "score": pytest.approx(best.score),
        "finished": best.finished,
    }


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (("--temperature", 0.7), dict(do_sample=True, temperature=0.7)),
        (("--top-k", 3), dict(do_sample=True, top_k=3)),
        (("--top-p", 0.5), dict(do_sample=True, top_p=0.5)),
        (("--min-p", 0.1), dict(do_sample=True, min_p=0.1)),
        (("--seed", 3), dict(do_sample=True, seed=3)),
        (("--do-sample",), dict(do_sample=True)),
        (("--no-sample",), dict(do_sample=False)),
        (("--repetition-penalty", 1.5), dict(repetition_penalty=1.5)),
        (("--no-repeat-ngram-size", 2), dict(no_repeat_ngram_size=2)),
        (("--max-new-tokens", 3), dict(max_new_tokens=3)),
        (("--stop", "a", "--stop", "b"), dict(stop_strings=["a", "b"])),
        (("--num-beams", 2, "--json"), dict(num_beams=2)),
        (("--batch-size", 7, "--json"), dict(batch_size=7)),
    ],
)
def test_options_reach_the_writer(regard, folder, monkeypatch, flags, options):
    seen = {}

    def stop(self, prompts, **given):
        seen.update(given)
        raise KeyboardInterrupt

    monkeypatch.setattr(Writer, "run", stop)
    monkeypatch.setattr(Writer, "stream", stop)
    regard("generate", "a", "-m", folder, *flags)
    seen.pop("progress", None)
    if "batch_size" not in options:
        seen.pop("batch_size", None)
    assert seen == {"stop_strings": ()} | options


def test_a_chat_gives_the_answer_alone(regard, folder, writer):
    system = {"role": "system", "content": "red"}
    answer = writer.chat(user("the dog", system), max_new_tokens=5)
    result = ("-m", folder, *SHORT, "--chat", "--system", "red")
    outcome = regard("generate", "the dog", *result)
    assert outcome.out == answer + "\n"
    assert outcome.err == "regard: the text was cut at --max-new-tokens; raise it.\n"
    outcome = regard("generate", "the dog", *result, "--json")
    assert json.loads(outcome.out)["continuation"] == answer
    assert "the text of line 1 was cut at --max-new-tokens" in outcome.err


def test_an_interactive_chat_remembers_what_was_said(regard, folder, writer, monkeypatch):
    lines = iter(["the", "  ", "a"])
    monkeypatch.setattr("builtins.input", lambda prompt: _next(lines))
    outcome = regard("generate", "-m", folder, *SHORT, "--interactive", "--no-sample", stdin=None)
    first = writer.chat(user("the"), max_new_tokens=5)
    answered = user("a", *user("the"), {"role": "assistant", "content": first})
    assert outcome.code == 0
    assert outcome.out == f"{first}\n{writer.chat(answered, max_new_tokens=5)}\n\n"


def _next(lines):
    for line in lines:
        return line
    raise EOFError


def interrupted_after(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Writer.stream

    def stream(self, *arguments, **options):
        pieces = original(self, *arguments, **options)
        step = type(pieces).__next__
        left = [count]

        def interrupted(writing):
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return step(writing)

        cls = type("Interrupted", (type(pieces),), {"__next__": interrupted})
        pieces.__class__ = cls
        return pieces

    monkeypatch.setattr(Writer, "stream", stream)


def test_ctrl_c_keeps_what_was_written(regard, folder, writer, monkeypatch):
    pieces = list(writer.stream("the dog", max_new_tokens=5))
    assert len(pieces) > 1
    interrupted_after(1, monkeypatch)
    outcome = regard("generate", "the dog", "-m", folder, *SHORT)
    assert (outcome.code, outcome.out) == (130, f"the dog{pieces[0]}\n")
    assert outcome.err == "regard: interrupted.\n"


def test_ctrl_c_in_a_chat_ends_the_answer_only(regard, folder, writer, monkeypatch):
    lines = iter(["the", "a"])
    monkeypatch.setattr("builtins.input", lambda prompt: _next(lines))
    first = next(writer.stream(user("the"), max_new_tokens=5))
    answered = user("a", *user("the"), {"role": "assistant", "content": first})
    second = next(writer.stream(answered, max_new_tokens=5))
    interrupted_after(1, monkeypatch)
    outcome = regard("generate", "-m", folder, *SHORT, "--interactive", stdin=None)
    assert (outcome.code, outcome.out) == (0, f"{first}\n{second}\n\n")


def test_a_text_cut_by_the_models_positions_says_so(regard, folder):
    outcome = regard("generate", "the dog " * 12, "-m", folder)
    assert outcome.err == "regard: the text was cut at the model's maximum length.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "-m", "nowhere"], "there is no folder nowhere; give a model folder"),
        (["a", "-m", "MODEL", "--system", "x"], "--system belongs to a chat; add --chat or"),
        (["a", "-m", "MODEL", "--interactive"], "--interactive reads its messages from you"),
        (["dog " * 99, "-m", "MODEL"], "a prompt may have 42 tokens with"),
        (["a", "-m", "MODEL", "--top-p", "2"], "--top-p must be above 0 and at most 1; got 2.0."),
        (["a", "-m", "MODEL", "--no-sample", "--top-k", "2"], "--top-k affects only sampling"),
        (["a", "-m", "MODEL", "--alternatives", "2"], "--alternatives must be at"),
        (["a", "-m", "MODEL", "--stop", ""], "a stop string must have at least one character"),
        (["a", "-m", "en-de"], "en-de is a translator from English to German: use it with"),
    ],
)
def test_mistakes_are_one_line(regard, folder, arguments, message):
    outcome = regard("generate", *(str(folder) if a == "MODEL" else a for a in arguments))
    assert outcome.code == 2
    assert outcome.err.startswith(f"regard: {message}"), outcome.err
    assert outcome.err.count("\n") == 1
