"""`regard roles`: tables and JSON, of random tokens and of a text."""

import json
from pathlib import Path


def test_tables_name_the_heads_and_json_has_their_numbers(regard, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("My lord, I have remembrances of yours, my lord.\n" * 10)
    shown = regard("roles", "shakespeare", "--file", text)
    assert (shown.code, shown.err) == (0, "")
    random, read = shown.out.split("\n\n")
    assert random.startswith("random tokens, twice: 50 sequences of 100 tokens\n")
    assert read.startswith("text: 4 sequences of 100 tokens\n")
    columns, best = random.splitlines()[1:3]
    assert columns.split() == [
        "head",
        "role",
        "previous",
        "duplicate",
        "induction",
        "first",
        "copying",
        "names",
    ]
    assert best.startswith("decoder.layers.0.self:1  previous  0.75 (0.75 to 0.76)")
    tables = json.loads(regard("roles", "shakespeare", "--json").out)
    [table] = tables
    share = table["heads"][0]["shares"]["previous"]
    assert f"{share['share']:.2f} ({share['low']:.2f} to {share['high']:.2f})" in best


def test_mistakes_are_one_sentence(regard, tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_text("My lord")
    for arguments, sentence in [
        (("en-de",), "en-de is another kind of model."),
        (("shakespeare", "--file", short), "an interval needs two sequences of 100 tokens"),
        (("shakespeare", "--file", tmp_path / "none.txt"), "none.txt"),
        (("nothing",), "nothing"),
    ]:
        refused = regard("roles", *arguments)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
        assert sentence in refused.err
