"""Masked words, against transformers' own pipeline."""

import pytest

from regard import RegardError
from regard.tasks.fill_mask.task import MaskFiller

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module", params=["Bert", "Roberta", "DistilBert"])
def folder(request, encoder_folder):
    return encoder_folder(request.param, "ForMaskedLM")


@pytest.fixture(scope="module")
def filler(encoder_folder):
    return MaskFiller.load(encoder_folder("Bert", "ForMaskedLM"))


def same(found, expected):
    for mine, wanted in zip(found, expected, strict=True):
        assert mine.score == pytest.approx(wanted["score"], abs=1e-5)
        assert (mine.token, mine.token_str) == (wanted["token"], wanted["token_str"])
        assert mine.sequence == wanted["sequence"]


def test_fillings_are_the_pipelines(folder):
    pipeline = transformers.pipeline("fill-mask", model=str(folder))
    ours = MaskFiller.load(folder)
    one = f"Anna lives in the {ours.mask} house."
    two = f"The {ours.mask} likes a {ours.mask}, which sees it."
    found = ours.run([two, one], top_k=7)
    (first,) = found[1]
    same(first, pipeline(one, top_k=7))
    assert len(found[0]) == 2
    for mine, wanted in zip(found[0], pipeline(two, top_k=7), strict=True):
        same(mine, wanted)


def test_the_plain_answer_has_every_mask_filled(filler):
    text = "The [MASK] likes a [MASK]."
    first, second = (guesses[0].token_str for guesses in filler.run([text])[0])
    words = f"the {first} likes a {second}."
    assert filler(text) == words.replace(" ##", "")
    assert filler([text, text]) == [filler(text)] * 2


def test_company_changes_nothing(filler):
    texts = ["the [MASK]", "Anna lives in the red [MASK] near the river in Vienna."]
    alone = [filler.run([text])[0][0][0].score for text in texts]
    assert [each[0][0].score for each in filler.run(texts)] == pytest.approx(alone, abs=1e-6)


def test_no_more_guesses_than_tokens(filler):
    (((*guesses,),),) = filler.run(["a [MASK]"], top_k=1000)
    assert len(guesses) == 90
    assert sum(each.score for each in guesses) == pytest.approx(1, abs=1e-5)


def test_a_text_without_a_mask_is_refused(filler):
    with pytest.raises(RegardError, match=r"must contain a \[MASK\] to fill; got 'a dog'"):
        filler("a dog")


def test_a_text_that_is_too_long_is_refused_not_cut(filler):
    with pytest.raises(RegardError, match=r"may have 67 tokens with .* got one of 1.*Shorten it"):
        filler("[MASK] " + "house " * 99)


def test_a_tokenizer_without_a_mask_is_refused(filler):
    from regard.text import Tokenizer

    nameless = Tokenizer(filler.tokenizer.backend, pad="[PAD]", eos=None, unk="[UNK]")
    with pytest.raises(RegardError, match="special token for 'mask'"):
        MaskFiller(filler.model, nameless)
