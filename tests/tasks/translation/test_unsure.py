"""Doors of a calibrated translator: words with their probabilities, texts in another language."""

import json
import math
from pathlib import Path

import pytest

from regard import RegardError
from regard.engine.calibration import Calibration
from regard.tasks.translation.passages import Passage
from regard.tasks.translation.result import Translation, WrittenWord, of_passage
from regard.tasks.translation.spans import Span
from regard.tasks.translation.task import Translator

FOREIGN = "un chien voit une maison rouge"
BOUNDS = Calibration(unsure_below=0.5, rarest=4.0, words="the a dog house sees red old tree")


@pytest.fixture
def calibrated(translator: Translator) -> Translator:
    return translator.decoding_by(calibration=BOUNDS)


@pytest.mark.parametrize("num_beams", [1, 3])
@pytest.mark.parametrize("engine", ["torch", "native"])
def test_a_words_probability_is_the_product_of_its_tokens(
    calibrated: Translator, engine: str, num_beams: int
) -> None:
    texts = ["the old dog sees a tree.", "a red house."]
    results = calibrated.run_by(engine).run(texts, num_beams=num_beams, alternatives=num_beams)
    for text, result in zip(texts, results, strict=True):
        trace = calibrated.trace(text, target=result.text)
        assert trace.generation is not None
        steps = [step.probability for step in trace.generation.steps]
        places = [word.indices for word in calibrated.tokenizers.target.words(result.ids[:-1])]
        expected = [math.prod(steps[k] for k in indices) for indices in places]
        assert [word.probability for word in result.words] == pytest.approx(expected, rel=1e-4)
        assert [word.text for word in result.words] == result.text.split()
        assert [word.unsure for word in result.words] == [chance < 0.5 for chance in expected]
        for other in result.alternatives:
            assert " ".join(word.text for word in other.words) == other.text


def test_words_are_in_the_json_where_they_are_asked_for(calibrated: Translator) -> None:
    result = calibrated.run(["a red house."])[0]
    assert "words" not in result.json()
    words = json.loads(json.dumps(result.json(["words"])))["words"]
    assert words[0].keys() == {"text", "probability", "unsure"}


def test_sentences_of_a_text_keep_their_words(calibrated: Translator) -> None:
    alone = [calibrated.run([text])[0] for text in ("A red house.", "The dog sees a tree.")]
    joined = calibrated.run(["A red house.\n\nThe dog sees a tree."])[0]
    assert [word.text for word in joined.words] == [w.text for one in alone for w in one.words]
    for word, its in zip(joined.words, [w for one in alone for w in one.words], strict=True):
        assert word.probability == pytest.approx(its.probability, rel=1e-4)


def test_a_word_that_stands_for_another_is_shown_as_that(calibrated: Translator) -> None:
    passage = Passage("see a.txt now", (Span(0, 4), Span(4, 9, "word"), Span(9, 13)))
    [stand_in] = passage.stand_ins.values()
    words = [WrittenWord(text, 0.5, unsure=False) for text in ("siehe", stand_in, "jetzt")]
    text = " ".join(word.text for word in words)
    whole = Translation(text, -1.0, finished=True, words=words)
    fragments = [[Translation("x", -1.0, finished=True)] for _ in passage.fragments]
    [result] = of_passage(passage, [[whole], *fragments])
    assert [word.text for word in result.words] == ["siehe", "a.txt", "jetzt"]


def test_another_language_is_refused_unless_forced(calibrated: Translator) -> None:
    with pytest.warns(UserWarning, match="1 of 1 texts .* seem to be in another language"):
        assert calibrated.run([FOREIGN])[0].language_doubt
    calibrated = calibrated.decoding_by(strict_language=True)
    for door in (calibrated.run, lambda texts: list(calibrated.parts(texts[0]))):
        with pytest.raises(RegardError, match=r"'un chien.* is in another language"):
            door([FOREIGN])
    with pytest.raises(RegardError, match="is in another language"):
        calibrated.trace(FOREIGN)
    assert calibrated.run([FOREIGN], force=True)[0].tokens
    assert calibrated.trace(FOREIGN, force=True).text == FOREIGN
    assert calibrated.run(["un chien", "the old dog sees a red house"])


def test_a_calibration_is_saved_and_loaded_with_the_model(
    calibrated: Translator, tmp_path: Path
) -> None:
    calibrated.save(tmp_path)
    assert Translator.load(tmp_path).calibration == BOUNDS
