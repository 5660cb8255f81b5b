"""What each command says of a model that is not there, or that it cannot use."""

import pytest

VECTORS = "words-en is a set of vectors of English words: use it with regard words near,"
TRANSLATOR = "en-de is a translator from English to German: use it with regard translate, evaluate"

COMMANDS = {
    "translate a -m {}": "word-vectors",
    "evaluate {} pairs.tsv": "word-vectors",
    "look {} a --terminal": "word-vectors",
    "explain a --model {}": "word-vectors",
    "meaning bank --text bank.txt --model {}": "word-vectors",
    "doctor {}": "word-vectors",
    "studio {} --port 0 --no-open": "word-vectors",
    "info {} --taps": "word-vectors",
    "summarize a -m {}": "translation",
    "generate a -m {}": "translation",
    "classify a -m {}": "translation",
    "classify a.png --images -m {}": "translation",
    "answer a --text b -m {}": "translation",
    "encode a -m {}": "translation",
    "words near king -m {}": "translation",
    "words compare king queen -m {}": "translation",
    "words draw king queen man -m {}": "translation",
    "explain a --vectors {}": "translation",
    "meaning bank --text bank.txt --model static --vectors {}": "translation",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.tsv").write_text("a dog.\tein Hund.\n")
    (tmp_path / "bank.txt").write_text("a bank\n" * 3)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_shipped_model_that_cannot_do_it_says_what_it_is(command, regard, files):
    name, result = ("words-en", VECTORS) if COMMANDS[command] == "word-vectors" else (
        "en-de", TRANSLATOR,
    )  # fmt: skip
    outcome = regard(*command.format(name).split())
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith(f"regard: {result}")


@pytest.mark.parametrize("command", [*COMMANDS, "info {}"])
def test_a_name_that_is_no_folder_is_refused_and_never_sent(command, regard, files, no_network):
    outcome = regard(*command.format("runs/mine").split())
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert (
        "there is no folder runs/mine; give a model folder" in outcome.err
        or ("word vectors are words-en, or a file or folder of them; there is no 'runs/mine'")
        in outcome.err
    )
    assert no_network == []
