"""Anyone's encoder–decoder gives here what it gives in transformers, token for token."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.checkpoints import save_pretrained
from regard.generation import Hypothesis
from regard.models import Decoder, decoder_preset
from regard.tasks.summarization.task import Summarizer
from regard.tasks.translation.task import Translator
from regard.text import TokenizerPair, normalize

TEXTS = ["A man is looking at the dog.", "two  hats ", "12 dogs ☃☃ end", "the <sep> man"]
DE = 67
# What each family has in config.json, beside what the model is.
TOLD: dict[str, dict[str, Any]] = {
    "marian": {"bad_words_ids": [[63]], "forced_eos_token_id": 0, "max_length": 12},
    "pegasus": {"length_penalty": 0.6, "max_length": 11, "forced_eos_token_id": 1},
    "bart": {"forced_bos_token_id": 0, "no_repeat_ngram_size": 3, "max_length": 12},
    "mbart": {"decoder_start_token_id": DE, "max_length": 11},
    "mbart50": {"forced_bos_token_id": DE, "max_length": 11},
    "t5": {"max_length": 9, "repetition_penalty": 1.3},
}
Maker = Callable[..., Any]


@pytest.mark.parametrize("family", TOLD)
def test_beams_of_every_family_are_theirs_alone_and_in_a_batch(
    family: str, foreign: Maker, tmp_path: Path
) -> None:
    theirs = foreign(family, tmp_path / family, **TOLD[family])
    ours = Translator.load(theirs.folder).decoding_by(whole=True)
    assert ours.name == family
    tokenizer = ours.tokenizers.target
    alone = [ours.run([text], num_beams=4)[0] for text in TEXTS]
    together = ours.run(TEXTS, num_beams=4)
    for text, one, other in zip(TEXTS, alone, together, strict=True):
        # A byte-level tokenizer sees the spaces that a translator tidies away.
        ids = theirs.ids(normalize(text) if family == "bart" else text)
        expected = theirs.generate(ids, num_beams=4, do_sample=False, **TOLD[family])
        ends = bool(expected) and expected[-1] == ours.model.config.eos_id
        assert one.tokens == tokenizer.tokens(expected[:-1] if ends else expected)
        assert one.text == tokenizer.decode(expected)
        assert one.finished == ends or "forced_eos_token_id" in TOLD[family]
        assert (other.text, other.tokens) == (one.text, one.tokens)
        assert other.score == pytest.approx(one.score, abs=1e-4)
    assert len({tuple(one.tokens) for one in alone}) > 2


def test_a_callers_limit_goes_before_the_checkpoints_minimum(
    foreign: Maker, tmp_path: Path
) -> None:
    theirs = foreign("bart", tmp_path / "bart", min_length=9, max_length=12)
    ours = Summarizer.load(theirs.folder)
    assert ours.generation.min_new_tokens == 8
    assert len(ours.run(TEXTS[:1], max_new_tokens=4)[0].tokens) == 4
    with pytest.raises(RegardError, match="min_new_tokens must be at most max_new_tokens = 4"):
        ours.run(TEXTS[:1], max_new_tokens=4, min_new_tokens=5)


def test_what_is_loaded_is_saved_with_its_ways(foreign: Maker, tmp_path: Path) -> None:
    theirs = foreign("bart", tmp_path / "bart", prefix=" ", **TOLD["bart"])
    before = Summarizer.load(theirs.folder)
    assert (before.before, before.after, before.prefix) == ((0,), (2,), " ")
    before.save(tmp_path / "copy")
    after = Summarizer.load(tmp_path / "copy")
    assert (after.before, after.after, after.prefix) == ((0,), (2,), " ")
    assert after.generation == before.generation
    assert after(TEXTS) == before(TEXTS)


def test_a_start_that_only_generation_knows_is_the_models(foreign: Maker, tmp_path: Path) -> None:
    theirs = foreign("bart", tmp_path / "bart", max_length=9)
    model = Translator.load(theirs.folder).model
    (theirs.folder / "generation_config.json").write_text('{"decoder_start_token_id": 0}')
    ours = Translator.load(theirs.folder)
    assert (model.config.start_id, ours.model.config.start_id) == (2, 0)
    trace = ours.trace(TEXTS[0])
    assert trace.axes["target"].tokens[0] == "<s>"


def test_a_given_target_begins_as_a_generated_one(foreign: Maker, tmp_path: Path) -> None:
    ours = Translator.load(foreign("bart", tmp_path / "bart", **TOLD["bart"]).folder)
    generation = ours.trace(TEXTS[0], target="man").generation
    assert generation is not None
    assert generation.steps[0].token == ours.trace(TEXTS[0]).generation.steps[0].token == "<s>"
    assert generation.hypotheses[0].text == "man"


def test_the_models_positions_are_the_limit_where_it_has_any(
    foreign: Maker, tmp_path: Path
) -> None:
    bart = Summarizer.load(foreign("bart", tmp_path / "bart").folder)
    assert (bart.positions, bart.room) == (37, 35)
    assert bart.configured({}).max_new_tokens == 36
    t5 = Summarizer.load(foreign("t5", tmp_path / "t5").folder)
    assert t5.room > 10**6
    assert t5.configured({"max_new_tokens": 900}).max_new_tokens == 900


def test_a_model_that_is_no_encoder_decoder_is_refused(
    tokenizers: TokenizerPair, tmp_path: Path
) -> None:
    config = decoder_preset("gpt2", 376, d_model=12, num_layers=1, num_heads=2, d_ff=8)
    save_pretrained(Decoder(config), tmp_path)
    tokenizers.save(tmp_path)
    with pytest.raises(RegardError, match=r"must hold an encoder–decoder, such as .*; it holds a"):
        Summarizer.load(tmp_path)


def test_a_tokenizer_that_makes_no_token_of_a_letter_is_refused(
    foreign: Maker, tmp_path: Path
) -> None:
    Summarizer.load(foreign("bart", tmp_path / "bart").folder).save(tmp_path)
    file = tmp_path / "tokenizer.json"
    normalizer = {"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""}
    file.write_text(json.dumps(json.loads(file.read_text()) | {"normalizer": normalizer}))
    with pytest.raises(RegardError, match=r'^the tokenizer makes no token of "a"'):
        Summarizer.load(tmp_path)


def test_an_id_beyond_the_tokenizers_vocabulary_writes_nothing(
    foreign: Maker, tmp_path: Path
) -> None:
    foreign("t5", tmp_path)
    summarizer = Summarizer.load(tmp_path)
    target = summarizer.tokenizers.target
    ids, end = target.encode("the dog"), target.eos_id
    padding = target.vocab_size  # the first id of a padded vocabulary
    result = [
        summarizer.alternatives([Hypothesis(tuple(tokens), -1.0, (), finished=True)])[0]
        for tokens in ([*ids, end], [*ids, padding, end])
    ]
    assert result[0].tokens == result[1].tokens
    assert [each.text for each in result] == ["the dog"] * 2
