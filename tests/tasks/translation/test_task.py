"""Text in, text out: whole, in order, and the same in any company."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.data import pad
from regard.generation import GenerationConfig
from regard.tasks.translation.passages import joined
from regard.tasks.translation.task import Translation, Translator
from regard.text import TokenizerPair

TEXTS = [
    "the old dog sees a tree.",
    "a red house.",
    "",
    "the child likes the small house and the old tree and a dog.",
    "dog.",
    "a child and a dog.",
    "the red red tree sees the house.",
]
Untrained = Callable[..., Translator]


def assert_equal(ours: Translation, theirs: Translation) -> None:
    assert (ours.text, ours.tokens, ours.finished) == (theirs.text, theirs.tokens, theirs.finished)
    assert ours.score == pytest.approx(theirs.score, abs=1e-5)
    assert [each.text for each in ours.alternatives] == [each.text for each in theirs.alternatives]
    assert (ours.source_words, ours.target_words) == (theirs.source_words, theirs.target_words)
    if ours.alignment is not None and theirs.alignment is not None:
        np.testing.assert_allclose(ours.alignment, theirs.alignment, atol=1e-5)


@pytest.mark.parametrize("num_beams", [1, 3])
def test_a_text_is_translated_the_same_alone_and_in_any_batch(
    translator: Translator, num_beams: int
) -> None:
    options = dict(
        num_beams=num_beams, alternatives=num_beams, alignment="output", max_new_tokens=30
    )
    alone = [translator.run([text], **options)[0] for text in TEXTS]  # type: ignore[arg-type]
    order = list(range(len(TEXTS)))
    for batch_size in (3, len(TEXTS)):
        random.Random(batch_size).shuffle(order)
        shuffled = [TEXTS[k] for k in order]
        results = translator.run(shuffled, batch_size=batch_size, **options)  # type: ignore[arg-type]
        for place, k in enumerate(order):
            assert_equal(results[place], alone[k])
    assert len({result.text for result in alone}) > 4


def test_sampling_does_not_depend_on_the_batches(translator: Translator) -> None:
    options = dict(do_sample=True, seed=5, max_new_tokens=20)
    ones = translator.run(TEXTS, batch_size=1, **options)  # type: ignore[arg-type]
    threes = translator.run(TEXTS, batch_size=3, **options)  # type: ignore[arg-type]
    assert [result.text for result in ones] == [result.text for result in threes]


def test_one_beam_is_greedy(translator: Translator) -> None:
    model, tokenizers = translator.model, translator.tokenizers
    for text in TEXTS[:2]:
        source, _ = pad(
            [tokenizers.source.encode(text)], pad_id=model.config.pad_id, eos_id=model.config.eos_id
        )
        tokens: list[int] = []
        with torch.no_grad():
            while model.config.eos_id not in tokens and len(tokens) < 30:
                target = torch.tensor([[*tokens, 0]])  # the last one is what is asked for
                tokens.append(int(model(source, target)[0, -1].argmax()))
        result = translator.run([text], num_beams=1, max_new_tokens=30)[0]
        assert result.finished
        assert result.text == tokenizers.target.decode(tokens)
        assert result.tokens == tokenizers.target.tokens(tokens[:-1])


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 0.6])
def test_the_score_is_that_of_teacher_forcing(
    translator: Translator, length_penalty: float
) -> None:
    model, tokenizers = translator.model, translator.tokenizers
    ids = {"pad_id": model.config.pad_id, "eos_id": model.config.eos_id}
    results = translator.run(
        TEXTS, num_beams=3, alternatives=3, length_penalty=length_penalty, max_new_tokens=30
    )
    vocabulary = {tokenizers.target.backend.id_to_token(i): i for i in range(376)}
    checked = 0
    for text, result in zip(TEXTS, results, strict=True):
        for alternative in result.alternatives if text else []:
            if not alternative.finished:
                continue
            source, _ = pad([tokenizers.source.encode(text)], **ids)
            target, _ = pad([[vocabulary[token] for token in alternative.tokens]], **ids)
            with torch.no_grad():
                log_probs = model(source, target).log_softmax(-1)
            total = log_probs.gather(2, target[:, :, None]).sum().item()
            expected = total / target.shape[1] ** length_penalty
            assert alternative.score == pytest.approx(expected, abs=1e-4)
            checked += 1
    assert checked >= 15


def test_a_call_gives_what_it_is_given(translator: Translator) -> None:
    one = translator("a red house.")
    assert isinstance(one, str)
    assert translator(["a red house.", "dog."], num_beams=1)[0] == translator(
        "a red house.", num_beams=1
    )


@pytest.mark.parametrize("text", ["", "  ", "\n", "\u200b"])
def test_an_empty_text_has_an_empty_translation(translator: Translator, text: str) -> None:
    (result,) = translator.run([text], alignment="output")
    assert (result.text, result.tokens, result.source_words) == ("", [], [])
    assert result.alignment is None
    assert result.finished
    assert translator.run([]) == []


def test_progress_counts_every_text_once(translator: Translator) -> None:
    counted: list[int] = []
    translator.run(TEXTS, batch_size=2, max_new_tokens=3, progress=counted.append)
    assert sum(counted) == len(TEXTS)


def test_the_alignment_of_one_layer_is_part_of_the_mean(translator: Translator) -> None:
    layers = translator.model.config.decoder_layers

    def aligned(layer: int | None) -> Any:
        asked = {"num_beams": 1, "alignment": "output", "alignment_layer": layer}
        return translator.run([TEXTS[0]], **asked)[0].alignment

    each = [aligned(layer) for layer in range(layers)]
    np.testing.assert_allclose(np.mean(each, axis=0), aligned(None), atol=1e-6)
    np.testing.assert_array_equal(each[-1], aligned(-1))
    assert np.abs(each[0] - each[-1]).max() > 1e-4
    assert " of layer 0, at the" in translator.alignment_caption("output", 0)
    with pytest.raises(
        RegardError, match=f"the decoder has layers 0 to {layers - 1}; got {layers}"
    ):
        aligned(layers)


def test_the_alignment_has_a_row_for_each_word(translator: Translator) -> None:
    (result,) = translator.run([TEXTS[0]], alignment="input")
    assert result.source_words == ["the", "old", "dog", "sees", "a", "tree."]
    assert " ".join(result.target_words) == result.text
    assert result.alignment is not None
    assert result.alignment.shape == (len(result.target_words), len(result.source_words))
    assert (result.alignment >= 0).all()
    assert (result.alignment.sum(1) <= 1 + 1e-5).all()
    assert translator.alignment_caption("input").endswith("at the decoder's input step")


def long_text(sentences: int) -> list[str]:
    subjects = ("the old dog", "a child", "the small tree", "the red dog")
    return [f"{subjects[k % 4]} sees {'the ' * (k % 3)}house." for k in range(sentences)]


def test_the_n_best_of_a_long_text_join_those_of_its_parts(
    tokenizers: TokenizerPair, untrained: Untrained
) -> None:
    translator = untrained(tokenizers, max_positions=24)
    text = " ".join(long_text(5))
    options: dict[str, Any] = dict(num_beams=3, alternatives=3, max_new_tokens=5)
    (result,) = translator.run([text], **options)
    parts = [
        translator.run([tokenizers.source.decode(part.ids)], **options)[0].alternatives
        for part in translator.parts(text)
    ]
    assert len(parts) > 2
    for rank, found in enumerate(result.alternatives):
        its = [part[rank] for part in parts]
        pieces = zip(translator.passages(text), [each.text for each in its], strict=True)
        assert found.text == joined(text, pieces)
        assert found.tokens == [token for each in its for token in each.tokens]
        assert found.score == pytest.approx(sum(each.score for each in its), abs=1e-4)
    assert len(result.alternatives) == 3
    assert result.text == result.alternatives[0].text


def test_a_long_text_is_translated_in_parts_and_nothing_is_left_out(
    tokenizers: TokenizerPair, untrained: Untrained
) -> None:
    translator = untrained(tokenizers, max_positions=24)
    sentences = long_text(7)
    text = " ".join(sentences)
    limit = translator.model.config.max_positions - 1
    assert len(tokenizers.source.encode(text)) > 2 * limit
    seen: list[list[int]] = []
    decoded = translator._decoded

    def note(sources: list[list[int]], *settings: Any) -> Any:
        seen.extend(sources)
        return decoded(sources, *settings)

    translator._decoded = note  # type: ignore[method-assign, assignment]
    (result,) = translator.run([text], batch_size=1, max_new_tokens=5, alignment="output")
    assert all(len(part) <= limit for part in seen)
    assert sorted(word for part in seen for word in tokenizers.source.decode(part).split()) == (
        sorted(text.split())
    )
    assert " ".join(result.source_words) == text
    singly = translator.run(sentences, max_new_tokens=5)
    pieces = zip(translator.passages(text), [each.text for each in singly], strict=True)
    assert result.text == joined(text, pieces)
    assert result.alignment is not None
    assert result.alignment.shape == (len(result.target_words), len(result.source_words))


def test_the_sentences_of_a_text_are_those_that_are_translated_alone(
    translator: Translator,
) -> None:
    text = "  A red house.  The old dog sees a tree!\r\n\r\n- a dog.\n"
    (result,) = translator.run([text], max_new_tokens=20, num_beams=2, alternatives=2)
    alone = translator.run(
        [each.source for each in result.sentences], max_new_tokens=20, num_beams=2
    )
    assert [each.source for each in result.sentences] == [
        "A red house.", "The old dog sees a tree!", "a dog.",
    ]  # fmt: skip
    for sentence, single in zip(result.sentences, alone, strict=True):
        assert (sentence.translation, sentence.finished) == (single.text, single.finished)
        assert sentence.score == pytest.approx(single.score, abs=1e-5)
    a, b, c = (single.text for single in alone)
    assert result.text == f"  {a}  {b}\r\n\r\n- {c}\n"
    assert len(result.alternatives[1].sentences) == 3
    assert "sentences" not in result.json()
    assert result.json(["sentences"])["sentences"][2]["source"] == "a dog."


def test_what_is_not_translated_stays_and_is_in_the_alignment(translator: Translator) -> None:
    text = "the dog sees https://x.org/a?b=1 and {name} *here* &amp; 3.5 kg."
    (result,) = translator.run([text], alignment="output", max_new_tokens=20)
    for span in ("https://x.org/a?b=1", "{name}", "&amp;", "3.5 kg"):
        assert result.text.count(span) == 1
    assert result.text.count("*") == 2
    assert not any("Boston" in word for word in (*result.source_words, *result.target_words))
    assert result.alignment is not None
    assert result.alignment.shape == (len(result.target_words), len(result.source_words))
    assert translator("```\nthe dog.\n```\n") == "```\nthe dog.\n```\n"
    assert translator.run(["42"])[0].sentences == []


def test_a_text_is_one_sentence_where_it_is_to_be_whole(translator: Translator) -> None:
    text = "the dog sees a tree. a red house."
    whole, left = translator.with_options(whole=True, sentences=True)
    assert left == {}
    assert [part.ids for part in whole.parts(text)] == [translator.encode(text)]
    assert len(list(translator.parts(text))) == 2
    assert len(whole.run([text], max_new_tokens=20)[0].sentences) == 1


def test_a_target_that_a_text_names_is_that_of_all_its_sentences(translator: Translator) -> None:
    its = [part.ids for part in translator.parts("<2de> a dog. a tree.")]
    assert its == [translator.encode("<2de> a dog."), translator.encode("<2de> a tree.")]


def test_a_long_sentence_is_translated_in_parts_and_says_so(
    tokenizers: TokenizerPair, untrained: Untrained
) -> None:
    translator = untrained(tokenizers, max_positions=512)
    clause = "the old dog sees a tree and " * 5 + "the child likes the house"
    (result,) = translator.run([f"a dog. {clause}; {clause}, {clause}."], max_new_tokens=5)
    assert [each.long for each in result.sentences] == [False, True, True, True]
    assert " ".join(each.source for each in result.sentences).count("tree") == 15
    (between,) = translator.run([f"{clause * 2}."], max_new_tokens=5)  # no comma in it
    assert [each.long for each in between.sentences] == [True, True]
    assert " ".join(each.source for each in between.sentences) == f"{clause * 2}."
    (one,) = translator.run([f"{clause * 2}.".replace(" ", "-")], max_new_tokens=5)  # nowhere
    assert [each.long for each in one.sentences] == [True]


def test_one_sentence_longer_than_the_positions_is_refused(
    tokenizers: TokenizerPair, untrained: Untrained
) -> None:
    sentence = "the " * 30 + "house."
    with pytest.raises(
        RegardError, match=r"may have 23 tokens with untrained; got one of \d+ \('the the"
    ):
        untrained(tokenizers, max_positions=24).run(["a dog.", sentence])


@pytest.mark.parametrize("step", ["output", "input"])
def test_a_translation_of_all_positions_can_be_aligned(
    tokenizers: TokenizerPair, untrained: Untrained, step: str
) -> None:
    translator = untrained(tokenizers, max_positions=24)
    fits = tokenizers.source.encode("the old dog sees the house")
    assert len(fits) < 24
    asked = {"alignment": step, "cut_repetition": False}
    (result,) = translator.run(["the old dog sees the house"], **asked)  # type: ignore[arg-type]
    assert not result.finished
    assert len(result.tokens) == 23  # and the start: 24 positions
    assert result.alignment is not None


def test_an_alignment_at_no_step_is_refused(translator: Translator) -> None:
    with pytest.raises(RegardError, match="alignment must be one of output, input; got 'both'"):
        translator.run(["a dog."], alignment="both")


def test_an_unknown_option_is_refused_with_the_nearest(translator: Translator) -> None:
    with pytest.raises(RegardError, match=r"got 'num_beam'\. Did you mean 'num_beams'\?"):
        translator.run(["a dog."], num_beam=3)


def test_only_a_text_with_a_token_that_the_model_lacks_is_refused(
    tokenizers: TokenizerPair, untrained: Untrained
) -> None:
    with_all = untrained(tokenizers)
    lacking = tokenizers.source.decode([375])
    small = untrained(tokenizers, vocab_size=375, target_vocab_size=375)
    assert with_all.encode(lacking)[-1] == 375
    with pytest.raises(RegardError, match=r"must not have the token .* \(id 375\): the model"):
        small.encode(lacking)
    assert small.encode("a") == with_all.encode("a")


def test_what_is_saved_comes_back(
    tokenizers: TokenizerPair, untrained: Untrained, tmp_path: Path
) -> None:
    before = untrained(tokenizers)
    before.generation = before.generation.updated(num_beams=4, max_new_tokens=7)
    before.save(tmp_path / "model")
    assert {file.name for file in (tmp_path / "model").iterdir()} == {
        "config.json", "generation_config.json", "model.safetensors", "special_tokens_map.json",
        "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip
    after = regard.load(tmp_path / "model")
    assert after.generation == before.generation
    assert after.generation.num_beams == 4
    assert after(TEXTS) == before(TEXTS)


def test_separate_tokenizers_are_saved_as_two(
    tokenizers: TokenizerPair, untrained: Untrained, tmp_path: Path
) -> None:
    target = TokenizerPair.load(_saved(tokenizers, tmp_path / "copy")).source
    pair = TokenizerPair(tokenizers.source, target)
    before = untrained(pair, target_vocab_size=376)
    before.save(tmp_path / "model")
    after = Translator.load(tmp_path / "model")
    assert not after.tokenizers.joint
    assert after(TEXTS, max_new_tokens=5) == before(TEXTS, max_new_tokens=5)


def _saved(tokenizers: TokenizerPair, folder: Path) -> Path:
    tokenizers.save(folder)
    return folder


def test_settings_that_are_no_json_are_named(
    tokenizers: TokenizerPair, untrained: Untrained, tmp_path: Path
) -> None:
    untrained(tokenizers).save(tmp_path)
    (tmp_path / "generation_config.json").write_text("{")
    with pytest.raises(RegardError, match=r"generation_config\.json is not valid JSON"):
        Translator.load(tmp_path)
    (tmp_path / "generation_config.json").unlink()
    assert Translator.load(tmp_path).generation.num_beams == GenerationConfig().num_beams


def test_the_saved_settings_are_those_of_the_ecosystem(run_folder: Path) -> None:
    settings = json.loads((run_folder / "model" / "generation_config.json").read_text())
    assert settings["num_beams"] == 5
    assert settings["eos_token_id"] != settings["pad_token_id"]


UNKNOWN = "नमस्ते दुनिया"


def test_a_text_of_unknown_characters_is_refused_and_beside_others_empty(
    translator: Translator,
) -> None:
    with pytest.raises(
        RegardError, match=r"cannot read this text: its vocabulary lacks 100%"
    ) as it:
        translator([UNKNOWN, "ß"])
    assert [each.index for each in (it.value, *it.value.others)] == [0, 1]
    with pytest.warns(UserWarning, match="2 of 4 texts are in another language"):
        answers = translator(["the dog sees.", UNKNOWN, "the old house.", "ß"])
    assert [bool(answer) for answer in answers] == [True, False, True, False]
    with pytest.raises(RegardError, match="cannot read this text"):
        translator.trace(UNKNOWN)


def test_a_text_with_some_unknown_characters_is_translated(translator: Translator) -> None:
    assert translator.run(["the dog sees ध."])[0].tokens


def test_an_evaluation_translates_whatever_there_is(translator: Translator) -> None:
    assert len(translator.run([UNKNOWN, "the dog."], force=True)) == 2
