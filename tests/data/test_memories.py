"""Sentence pairs of translation memories: by language, without codes, in their own encoding."""

import gzip
from pathlib import Path

import pytest

from regard import RegardError
from regard.data import read_pairs

# As the specification of TMX 1.4b has it: a header with srclang, variants with xml:lang.
TMX = """<?xml version="1.0" encoding="{encoding}"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US"><note>x</note></header><body>
<tu><prop type="a">y</prop>
  <tuv xml:lang="DE"><seg>Der <bpt i="1">&lt;b&gt;</bpt>große<ept i="1">x</ept> Hund &amp; ich</seg>
  </tuv>
  <tuv xml:lang="en-US"><seg>The <hi>big</hi>
dog &amp; I</seg></tuv>
</tu>
<tu><tuv xml:lang="en-US"><seg>only</seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>yes</seg></tuv>
    <tuv xml:lang="DE"><seg>ja</seg></tuv><tuv xml:lang="DE"><seg>jawohl</seg></tuv></tu>
</body></tmx>
"""
PAIRS = [
    ("The big dog & I", "Der große Hund & ich", 4),
    ("yes", "ja", 11),
    ("yes", "jawohl", 11),
]
XLIFF = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en" target-language="de-DE"><body>
<trans-unit id="1"><source>The <g id="1">dog</g></source><target>Der <x id="2"/>Hund</target>
<alt-trans><source>no</source><target>nein</target></alt-trans></trans-unit>
<trans-unit id="2"><source>untranslated</source></trans-unit>
</body></file></xliff>"""
XLIFF_2 = """<xliff version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="1">
<segment><source>The dog</source><target>Der Hund</target></segment></unit></file></xliff>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_tmx_is_read_by_language_without_codes(tmp_path: Path, encoding: str, pack) -> None:
    name = "a.tmx" if pack is bytes else "a.tmx.gz"
    content = TMX.format(encoding=encoding.removesuffix("-sig").upper())
    (tmp_path / name).write_bytes(pack(content.encode(encoding)))
    assert list(read_pairs(tmp_path / name)) == PAIRS
    turned = [(target, source) for source, target, _ in PAIRS[:2]]
    read = read_pairs(tmp_path / name, languages=("de", "en"))
    assert [(pair.source, pair.target) for pair in read] == turned


@pytest.mark.parametrize("content", [XLIFF, XLIFF_2])
def test_xliff_has_a_source_and_a_target(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.xlf").write_text(content)
    [pair] = read_pairs(tmp_path / "a.xlf")
    assert (pair.source, pair.target) == ("The dog", "Der Hund")


@pytest.mark.parametrize(
    ("content", "languages", "problem"),
    [
        (TMX.format(encoding="UTF-8"), ("en", "fr"), r"has de, en-us; got 'fr'\. Name two"),
        (TMX.format(encoding="UTF-8").replace('"DE"', '"fr"', 1), None, "has fr, en-us, de"),
        ("<tmx><body></body></tmx>", None, "has no language"),
        ("<tmx><body><tu>", None, r"line 1: expected XML, but"),
        (  # Python's documentation of xml: a billion laughs
            '<!DOCTYPE t [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><tmx>&b;</tmx>',
            None,
            "declares the entity 'a'",
        ),
    ],
)
def test_what_is_no_memory_of_two_languages_is_refused(
    tmp_path: Path, content: str, languages: tuple[str, str] | None, problem: str
) -> None:
    (tmp_path / "a.tmx").write_text(content)
    with pytest.raises(RegardError, match=problem):
        list(read_pairs(tmp_path / "a.tmx", languages=languages))


def test_columns_are_turned_as_the_languages_say(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("de\ten\nHund\tdog\n")
    [pair] = read_pairs(tmp_path / "a.tsv")
    assert (pair.source, pair.target) == ("Hund", "dog")
    [pair] = read_pairs(tmp_path / "a.tsv", languages=("en", "de"))
    assert (pair.source, pair.target) == ("dog", "Hund")


@pytest.mark.parametrize("state", ["new", "needs-translation", "needs-review-translation"])
def test_a_translation_that_is_called_unfinished_is_left_out(state: str, tmp_path: Path) -> None:
    # The states are those of XLIFF 1.2, 2.3, and of XLIFF 2.0, 4.3.1.
    unit = '<trans-unit id="2"><source>big</source><target state="{}">{}</target></trans-unit>'
    units = unit.format(state, "big") + unit.format("final", "fertig")
    (tmp_path / "a.xlf").write_text(XLIFF.replace("</body>", f"{units}</body>"))
    said: list[str] = []
    read = read_pairs(tmp_path / "a.xlf", say=said.append)
    assert [pair.target for pair in read] == ["Der Hund", "fertig"]
    assert "it calls 1 of its translations unfinished; left out" in said[0]
    text = XLIFF_2.replace("<segment>", '<segment state="initial">')
    (tmp_path / "b.xlf").write_text(
        text.replace("</unit>", "<segment><source>a</source><target>b</target></segment></unit>")
    )
    assert [pair.target for pair in read_pairs(tmp_path / "b.xlf", say=said.append)] == ["b"]
