"""A text in its passages: nothing between them, and nothing that stays, is ever lost."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regard.tasks.translation import passages as module
from regard.tasks.translation.passages import Passage, joined, passages
from regard.tasks.translation.placing import Edit, edited
from regard.tasks.translation.spans import Span, spans

# Texts of the signs that mean something, among words, so that they meet in every order.
SIGNS = st.sampled_from(
    ["**", "*", "_", "~~", "`", "```\n", "\n", "\r\n", "  ", "\t", "- ", "# ", "> ", "1. ", "|",
     "[", "](x.org)", "![", "<b>", "</b>", "<br>", "<pre>", "<!--", "-->", "&amp;", "&nbsp;", "é",
     "M&uuml;ller", "{name}", "%s", "%(x)d", "$VAR", "{{ x }}", "https://x.org/a_b?c=1", "me@x.org",
     "/usr/bin/x", "C:\\a\\b.txt", "3.5 kg", "1,250.50 €", "12:30", "😀", "👩🏽\u200d🚀", "\\*",
     "@x", "--yes", ".", "!", "?", ",", ";", "।", "…", "“", "”", "(", ")", "The house", "is small",
     "and", "Dr.", "यह घर है", "\x00", "\u2028"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=200),
    st.lists(SIGNS, max_size=30).map("".join),
    st.lists(SIGNS, max_size=30).map(" ".join),
)

EACH = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def split(text: str) -> list[str]:
    return [passage.source for passage in passages(text, "en")]


def only(text: str) -> Passage:
    [passage] = passages(text, "en")
    return passage


@pytest.mark.long("many texts at random")
@EACH
@given(TEXTS)
def test_a_text_whose_passages_are_not_changed_is_the_same_text(text: str) -> None:
    its = list(passages(text, "en"))
    assert joined(text, [(passage, passage.source) for passage in its]) == text
    assert all(a.end <= b.begin for a, b in pairwise(its))
    for passage in its:
        assert passage.source == passage.source.strip()
        assert any(map(str.isalpha, passage.source))
        for half in passage.halves() or ():
            assert passage.begin <= half.begin < half.end <= passage.end


@EACH
@given(TEXTS)
def test_spans_cover_a_line_without_a_gap(text: str) -> None:
    line = spans(text, 0, len(text))
    assert "".join(text[span.begin : span.end] for span in line) == text
    assert all(a.end == b.begin for a, b in pairwise(line))


@EACH
@given(TEXTS, st.sampled_from(["Das Haus.", "", "Boston", "Boston 5 Boston", "a b c d e f g h"]))
def test_whatever_a_model_answers_all_that_stays_is_there(text: str, answer: str) -> None:
    for passage in passages(text, "en"):
        translation, _ = passage.translated([answer] * len(passage.units))
        rest = translation
        for span in passage.spans:
            if span.kind != "text":
                kept = text[span.begin : span.end]
                assert kept in rest
                rest = rest.replace(kept, "\n", 1)
        assert translation.count("\n") >= passage.source.count("\n") or " " not in answer


@EACH
@given(TEXTS)
def test_a_model_that_copies_gives_each_passage_back(text: str) -> None:
    for passage in passages(text, "en"):
        whole, used = passage.translated(passage.units)
        assert used in (slice(0, 1), slice(1, None))
        assert sorted(filter(str.isalnum, whole)) == sorted(filter(str.isalnum, passage.source))


@pytest.mark.long("many texts at random")
@EACH
@given(st.from_regex(module._SENTENCE, fullmatch=True), st.sampled_from(["en", "de", "fr"]))
def test_a_text_of_plain_words_is_the_sentence_that_it_would_be_found_to_be(
    text: str, language: str
) -> None:
    whole = [*passages(text, language)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_SENTENCE", re.compile("(?!)"))
        assert [*passages(text, language)] == whole


def test_sentences_are_told_apart_and_white_space_stays_between_them() -> None:
    text = "  Dr. Smith came.  He sat down! \r\n\r\nA new paragraph? Yes.\n"
    assert split(text) == ["Dr. Smith came.", "He sat down!", "A new paragraph?", "Yes."]
    assert split("यह घर है। वह पेड़ है।") == ["यह घर है।", "वह पेड़ है।"]
    assert [each.source for each in passages("Am 3. Mai kam er. Ja.", "de")] == [
        "Am 3. Mai kam er.", "Ja.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Im 19. Jahrhundert lebte er. Er starb.", 2),
        ("Im 16., 17. und 18. Jahrhundert.", 1),
        ("Der 2. Weltkrieg begann.", 1),
        ("Seine 2. Frau kam.", 1),
        ("Er ist 19. Sie ist 20.", 2),
        ("Er kam um 8. Danach ging er.", 2),
    ],
)
def test_a_german_ordinal_ends_no_sentence(text: str, count: int) -> None:
    assert len(list(passages(text, "de"))) == count


def test_a_sentence_that_lost_its_full_stop_does_not_run_into_the_next() -> None:
    text = 'One house. "Two cats!" A dog?\nThree trees.'
    its = list(passages(text, "en"))
    answers = ["Ein Haus", "Zwei Katzen", "Ein Hund", "Drei"]
    expected = "Ein Haus. Zwei Katzen! Ein Hund\nDrei"
    assert joined(text, zip(its, answers, strict=True)) == expected
    assert joined(text, zip(its, ["Aus.", "“Zwei!”", "", ""], strict=True)) == "Aus. “Zwei!” \n"


def test_a_part_of_a_sentence_ends_as_the_part_does() -> None:
    first, second = only("A dog sees the cat, and the cat sees a tree.").halves() or ()
    assert first.translated(["Ein Hund."])[0] == "Ein Hund,"
    assert second.translated(["Und die Katze."])[0] == "Und die Katze."
    first, second = only("A dog sees the cat").halves(anywhere=True) or ()
    assert (first.source, second.source) == ("A dog sees", "the cat")
    assert first.translated(["Ein Hund."])[0] == "Ein Hund"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("## The house", "The house"),
        ("- [ ] The house", "The house"),
        ("> > The house", "The house"),
        ("12. The house", "The house"),
        ("**The house.**", "The house."),
        ("😀 The house. 😀", "The house."),
        ("[The house](https://x.org/a(b) 'c')", "The house"),
        ("<p>The house</p>", "The house"),
        ("*The* house", "*The* house"),
        ("`x.y` The house", "`x.y` The house"),
    ],
)
def test_what_is_around_a_sentence_stays_outside(line: str, sentence: str) -> None:
    assert split(line) == [sentence]


@pytest.mark.parametrize(
    "text",
    ["", " \n\t\n", "42", "3.5 kg", "https://x.org", "{name}", "…", "😀", "| --- | --- |", "---",
     "[x]: https://x.org", "```python\nThe house.\n```", "<pre>\nThe house.\n</pre>",
     "<!-- The\nhouse. -->", "~~~\nThe house."],
)  # fmt: skip
def test_what_has_nothing_to_translate_has_no_passage(text: str) -> None:
    assert split(text) == []


@pytest.mark.parametrize(
    "span",
    ["https://x.org/a_(b)?c=d&e=1#f", "www.x.org", "me+you@mail.x.org", "{name}", "{0:.2f}", "{}",
     "{{ x }}", "{% if x %}", "%s", "%1$s", "%(x)d", "%-5.2f", "$VAR", "${HOME}", "`a b`",
     "``a`b``", "/usr/bin/x", "./a/b.txt", "~/x", "C:\\Users\\x.txt", "a/b/c", "config.json",
     "example.org", "--max-tokens=3", "max_new_tokens", "run()", "@name", "#tag", "<file>",
     "AT&amp;T", "M&uuml;ller", "3.5", "1,250.50 €", "$5", "20 °C", "50%", "12:30",
     "2024-05-01", "1/2", "5 km/h", "10 MB", "-4.5 %", "&lt;"],
)  # fmt: skip
@pytest.mark.parametrize("around", ["I see {} in the house.", "See {}, or (if not) {}."])
def test_a_span_is_not_seen_by_the_model(span: str, around: str) -> None:
    passage = only(around.replace("{}", span))
    assert all(span not in unit for unit in passage.units) or span == "&lt;"
    stays = [passage.text[each.begin : each.end] for each in passage.spans if each.kind != "text"]
    assert stays == [span] * around.count("{}")


@pytest.mark.parametrize(
    "text",
    ["I have 3 dogs and 12 cats.", "He and/or she came in 1990.", "2 * 3 * 4 is a sum of a few.",
     "In the 1990s he said: \"No\".", "It's the dogs' house - or not.", "A sum of a < b, c > d.",
     "100 % sure", "He paid 5 dollars."],
)  # fmt: skip
def test_what_only_looks_like_markup_is_text(text: str) -> None:
    kinds = {span.kind for span in only(text).spans}
    assert kinds <= ({"text", "number"} if "%" in text else {"text"})


def test_a_name_stands_for_a_span_and_gives_way_to_it() -> None:
    passage = only("Write to me@x.org, or open https://x.org in Boston.")
    assert passage.units[0] == "Write to Linda, or open Berlin in Boston."
    whole = "In Boston öffnen Sie Berlin, oder schreiben Sie Linda."
    assert passage.translated([whole, *passage.units[1:]]) == (
        "In Boston öffnen Sie https://x.org, oder schreiben Sie me@x.org.", slice(0, 1),
    )  # fmt: skip
    assert passage.restored(["Linda,"], "") == ["me@x.org,"]


def test_fragments_are_taken_where_the_whole_loses_a_span() -> None:
    passage = only("Open {file}, please.")
    assert passage.units == ["Open Boston, please.", "Open", "please."]
    for whole in ("Bitte öffnen.", "Boston, Boston."):
        translation = passage.translated([whole, "Öffne.", "bitte."])
        assert translation == ("Öffne {file}, bitte.", slice(1, None))


def test_emphasis_is_where_its_own_translation_is_else_about_as_far_along() -> None:
    passage = only("See the [user guide](x.org) for *more* details.")
    units = dict(zip(passage.units, range(9), strict=False))
    assert units.keys() >= {"See the user guide for more details.", "user guide", "more"}
    whole = "Mehr Details stehen im Benutzerhandbuch."
    answers = ["" for _ in passage.units]
    answers[0] = whole
    answers[units["user guide"]], answers[units["more"]] = "Benutzerhandbuch.", "mehr"
    assert passage.translated(answers)[0] == ("*Mehr* Details stehen im [Benutzerhandbuch](x.org).")
    answers[units["more"]] = "weitere"
    assert passage.translated(answers)[0].count("*") == 2


def test_a_wrapped_sentence_is_one_and_has_its_line_end_again() -> None:
    text = (
        "This is a line of a letter that goes on and on and\n  does not end before the next one.\n"
    )
    passage = only(text)
    assert passage.translated(["a b c d e f g h i j k l m n o p q r"])[0].count("\n  ") == 1
    assert split("the apples\nthe pears\n") == ["the apples", "the pears"]


def test_a_long_sentence_is_parted_at_the_best_place_near_its_middle() -> None:
    first, second = "The house is small, old, and red", "the dog that sees it is big, and a child."
    halves = only(f"{first}; {second}").halves()
    assert halves
    assert [half.source for half in halves] == [f"{first};", second]
    assert all(half.is_long for half in halves)
    assert only("The house is small").halves() is None


@pytest.mark.long("lines of 100,000 characters")
@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "*a " * 33_333, "<b>x " * 20_000, "[a" * 50_000, "a@" * 50_000,
     "😀 " * 33_333, "http://a" * 12_500, "a_" * 50_000, "\n" * 100_000, "`" * 100_000,
     "a.b" * 33_333, "&a" * 50_000],
)  # fmt: skip
def test_a_long_line_is_split_in_time_that_grows_with_its_length(text: str) -> None:
    began = time.process_time()
    its = list(passages(text, "en"))
    assert joined(text, [(passage, passage.source) for passage in its]) == text
    assert time.process_time() - began < 10


def test_edits_that_cross_are_not_made() -> None:
    word = Span(0, 1, "word")
    first, next_, crossing = (
        Edit(*slice_, word) for slice_ in ((0, 2, "x"), (2, 3, "y"), (1, 3, "z"))
    )
    assert edited("abcd", [next_, first]) == "xyd"
    assert edited("abcd", [first, crossing]) is None
