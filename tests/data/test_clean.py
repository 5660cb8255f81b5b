"""What goes, what stays, and that the report says which and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard.data import Cleaner, CleaningRules, Pair, read_pairs
from regard.data.clean import fault, is_garbled, length_ratio
from regard.errors import RegardError

RULES = CleaningRules()


def cleaned(*sentences: tuple[str, str], rules: CleaningRules = RULES) -> tuple[list[Pair], str]:
    cleaner = Cleaner(rules)
    pairs = [Pair(source, target, line) for line, (source, target) in enumerate(sentences, 1)]
    return list(cleaner.clean(pairs)), str(cleaner.report)


def test_the_report_counts_every_reason_in_one_line() -> None:
    kept, report = cleaned(
        ("A dog.", "Ein Hund."),
        ("A dog.", "Ein Hund."),
        ("A  dog.", " Ein Hund."),
        ("", "Leer."),
        ("A cat.", "Eine Katze."),
    )
    assert [pair.line for pair in kept] == [1, 5]
    assert report == (
        "5 read, 2 kept; 2 duplicate (first at line 2), 1 empty side (first at line 4)"
    )
    assert cleaned(("a", "b"))[1] == "1 read, 1 kept; none left out"


def test_lines_that_the_reader_skipped_are_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_bytes(b"a\tb\nno tab\n\xe4\tc\nd\te\n")
    cleaner = Cleaner()
    pairs = cleaner.clean(read_pairs(tmp_path / "p.tsv", on_bad_line=cleaner.skip))
    assert [pair.source for pair in pairs] == ["a", "d"]
    assert (cleaner.report.read, cleaner.report.kept) == (4, 2)
    assert cleaner.report.dropped == {"no tab": 1, "bad encoding": 1}
    assert cleaner.report.first_line == {"no tab": 2, "bad encoding": 3}


def test_read_is_kept_plus_dropped_over_many_pairs() -> None:
    cleaner = Cleaner()
    pairs = [Pair(f"word {i % 9001}", f"Wort {i % 9001}", i + 1) for i in range(20_011)]
    assert sum(1 for _ in cleaner.clean(pairs)) == 9001
    assert cleaner.report.dropped == {"duplicate": 20_011 - 9001}
    assert cleaner.report.first_line == {"duplicate": 9002}


def test_another_translation_of_a_sentence_is_no_duplicate() -> None:
    kept, _ = cleaned(("Go!", "Geh!"), ("Go!", "Los!"), ("Leave!", "Geh!"), ("Geh!", "Go!"))
    assert len(kept) == 4


def test_what_stays_is_tidied_and_only_that() -> None:
    kept, _ = cleaned((" u\u0308ber \t 10\u00a0km", "क़रीब १० कि.मी.  से"))
    assert kept == [Pair("über 10 km", "क\u093cरीब १० कि.मी. से", 1)]


def test_texts_of_unlike_length_go_but_short_ones_may_differ() -> None:
    long = "This sentence goes on about something for quite a while."
    assert fault(long, "Ja", RULES) == "length ratio"
    assert fault("Ja", long, RULES) == "length ratio"
    assert fault("Hi.", "Guten Tag, Tom!", RULES) is None
    assert fault(long, "Ja", CleaningRules(max_ratio=None)) is None


def test_the_ratio_does_right_by_other_scripts() -> None:
    assert length_ratio("x" * 50, "y" * 20) == 2.0  # (50 + 10) / (20 + 10)
    assert length_ratio("The weather is very nice today.", "今天天气很好。") < 1.5
    assert length_ratio("This is an indoor scene", "यह एक इनडोर दृश्य है") < 1.2


def test_a_text_beyond_the_most_characters_goes() -> None:
    rules = CleaningRules(max_characters=11)
    assert fault("x" * 11, "y" * 11, rules) is None
    assert fault("x" * 11, "y" * 12, rules) == "too long"
    assert fault("x" * 12, "y" * 11, rules) == "too long"


def test_a_source_copied_as_target_goes_unless_short() -> None:
    assert fault("Tabby cat under desk", "Tabby cat under desk", RULES) == "copied source"
    assert fault("Tom Hanks!", "Tom Hanks!", RULES) is None
    anyway = CleaningRules(max_copied_words=None)
    assert fault("Tabby cat under desk", "Tabby cat under desk", anyway) is None


def test_duplicates_stay_where_the_rule_is_off() -> None:
    kept, _ = cleaned(("a", "b"), ("a", "b"), rules=CleaningRules(duplicates=False))
    assert len(kept) == 2


@pytest.mark.parametrize(
    "text",
    [
        "M\ufffdnner",
        "MÃ¤nner",
        "â€œMÃ¤nnerâ€\u009d",
        "It\u0092s",
        "bell \x07",
        "half \ud83d",
        "à¤¯à¤¹",
    ],
)
def test_garbled_text_is_recognized(text: str) -> None:
    assert is_garbled(text)
    assert fault(text, "fine", RULES) == fault("fine", text, RULES) == "bad encoding"


@pytest.mark.parametrize(
    "text",
    ["Männer", "ÄÖÜ äß", "naïve – “so”", "क्\u200dष यह", "می\u200cخواهم", "São 10\u00a0€", "😀"],
)
def test_sound_text_of_any_script_is_not(text: str) -> None:
    assert not is_garbled(text)


def test_nothing_left_is_refused_with_the_report() -> None:
    with pytest.raises(RegardError, match=r"no sentence pair is left .*2 read, 0 kept; 2 empty"):
        cleaned(("a", ""), ("", "b"))


@pytest.mark.parametrize("rules", [{"max_ratio": 0.5}, {"max_characters": 0}])
def test_impossible_rules_are_refused(rules: dict[str, float]) -> None:
    with pytest.raises(RegardError, match="must be at least 1; got"):
        CleaningRules(**rules)  # type: ignore[arg-type]
