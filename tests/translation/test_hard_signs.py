"""Signs that a model has not learned, capitals and titles, in the shipped translators."""

import re
import string
from pathlib import Path

import pytest

import regard
from regard.translation.capitals import case_of
from regard.translation.passages import passages
from regard.translation.placing import words_of

LANGUAGES = Path(__file__).parents[1] / "fixtures" / "languages"


@pytest.mark.parametrize("model", ["en-de", "en-hi"])
def test_a_sign_stays_and_no_word_stands_for_it(model: str) -> None:
    signs = string.punctuation + ("§©®™°±×÷€£¥¢₹–—…•·«»„“”‘’‹›¿¡→←↑↓↔⇒✓✔✗★☆♥☎½¼¾²³µΩ∞≈≠≤≥√∑π¶†‡№")
    frames = (
        "{} The weather is nice today.", "My brother {} my sister are at home.",
        "The book costs {}7 now.", "The weather is nice today {}",
    )  # fmt: skip
    bare = [" ".join(frame.format("").split()) for frame in frames]
    texts = [frame.format(sign) for sign in signs for frame in frames]
    answers = regard.load(model)([*bare, *texts], force=True, num_beams=1)
    words = [len(words_of(answer)) for answer in answers[: len(frames)]]
    for number, (text, answer) in enumerate(zip(texts, answers[len(frames) :], strict=True)):
        sign, frame = signs[number // len(frames)], number % len(frames)
        if sign in "()" and frame > 1:
            continue  # a bracket without its partner is read by the model, which may add a word
        assert sign in answer, (text, answer)
        added = 1 + (frame == 2)  # the adverb that stands before a number; a letter for a sign
        assert len(words_of(answer)) <= words[frame] + added, (text, answer)


def test_capitals_and_titles_are_translated_and_written_as_they_came() -> None:
    translator = regard.load("en-de")
    assert translator(["PLEASE CLOSE THE DOOR.", "The Station Is Closed Today"]) == [
        "BITTE SCHLIESSEN SIE DIE TÜR.", "Der Bahnhof Ist Heute Geschlossen",
    ]  # fmt: skip
    [result] = translator.run(["WHERE IS THE STATION?"], alignment="output")
    assert result.source_words == ["WHERE", "IS", "THE", "STATION?"]
    assert result.target_words == ["WO", "IST", "DER", "BAHNHOF?"]


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("CLOSE THE DOOR.", "upper"), ("ЗАКРОЙ ДВЕРЬ", "upper"), ("ΚΛΕΙΣΕ ΤΗΝ ΠΟΡΤΑ", "upper"),
        ("The Lord of the Rings", "title"), ("NATO", ""), ("The USA and NATO met.", ""),
        ("Xi Jinping met Narendra Modi in Kazan.", ""), ("दरवाज़ा बंद करो", ""),
        ("Defaults to OpenID Connect.", ""),
    ],
)  # fmt: skip
def test_the_case_of_a_sentence(text: str, case: str) -> None:
    assert case_of(text, "en") == case


def test_an_abbreviation_before_a_number_ends_no_sentence() -> None:
    assert [each.source for each in passages("See no. 4711 today. Thanks.", "en")] == [
        "See no. 4711 today.", "Thanks.",
    ]  # fmt: skip


def test_tags_are_nested_in_a_translation() -> None:
    text = '<a href="#"><em><b>View the range of</b></em> <em><i>drawers here!</i></em></a>'
    answer = regard.load("en-de")(text)
    opened = list[str]()
    for closing, name in re.findall(r"<(/?)(\w+)", answer):
        if closing:
            assert opened.pop() == name
        else:
            opened.append(name)
    assert not opened
    assert sorted(re.findall("<[^>]+>", answer)) == sorted(re.findall("<[^>]+>", text))


def lines_of(name: str) -> list[str]:
    lines = (LANGUAGES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 60
    return lines


@pytest.mark.parametrize("model", ["en-de", "en-hi"])
@pytest.mark.parametrize("name", ["english", "short_english"])
def test_short_lines_of_its_own_language_are_not_refused_and_hardly_doubted(
    model: str, name: str
) -> None:
    calibration, lines = regard.load(model).calibration, lines_of(name)
    assert not any(map(calibration.is_foreign, lines))
    assert sum(map(calibration.doubts, lines)) <= 2


@pytest.mark.parametrize("model", ["en-de", "en-hi"])
def test_lines_of_forty_letters_in_thirteen_other_languages_are_doubted(model: str) -> None:
    lines = lines_of("others")
    assert all(sum(map(str.isalpha, line)) >= 40 for line in lines)
    assert sum(map(regard.load(model).calibration.doubts, lines)) >= 59  # 98 %


def test_a_text_in_another_language_is_translated_with_a_doubt_and_strictly_refused() -> None:
    translator, text = regard.load("en-de"), "Je ne sais pas pourquoi il est parti si tôt."
    with pytest.warns(UserWarning, match=r"1 of 2 texts \(50.0%\) seem"):
        first, second = translator.run(["Good morning.", text])
    assert (first.language_doubt, second.language_doubt) == (False, True)
    with pytest.raises(regard.RegardError, match="is in another language"):
        translator(text, strict_language=True)
    with pytest.warns(UserWarning, match="1 of 2 texts are in another language"):
        assert translator(["Good morning.", "यह एक वाक्य है।"]) == ["Guten Morgen.", ""]
