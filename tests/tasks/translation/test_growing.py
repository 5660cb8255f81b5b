"""A trained translator learns another script, and several targets at once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import regard
from regard import RegardError
from regard.tasks.translation.growing import grow_pair, with_subwords, with_tags
from regard.tasks.translation.task import Translator
from regard.tasks.translation.train import train_translation
from regard.tasks.translation.train_options import TrainingOptions
from regard.text import TokenizerPair, train_tokenizer

Pairs = list[tuple[str, str]]
HINDI = {
    "the": "वह", "old": "पुराना", "red": "लाल", "house": "घर", "dog": "कुत्ता", "sees": "देखता",
    "likes": "चाहता", "a": "एक", "small": "छोटा", "tree": "पेड़", "and": "और", "child": "बच्चा",
}  # fmt: skip


def in_hindi(pairs: Pairs) -> Pairs:
    return [
        (source, " ".join(HINDI[word] for word in source.rstrip(".").split()) + "।")
        for source, _ in pairs
    ]


@pytest.fixture
def hindi_file(made_up: Callable[[int], Pairs], write: Any, tmp_path: Path) -> str:
    return str(write(tmp_path / "hi.tsv", in_hindi(made_up(90))))


def options(output: Path, **changes: Any) -> TrainingOptions:
    given = dict(
        output=str(output), max_tokens=128, max_steps=2, dev_sentences=2, max_length=60,
        precision="fp32", evaluate_every=1, source_language="en",
    )  # fmt: skip
    return TrainingOptions(**(given | changes))  # type: ignore[arg-type]


def grown(base: Translator, pairs: Pairs, count: int | None = None) -> Translator:
    said: list[str] = []
    tokenizers, new = grow_pair(base, lambda: pairs, count, say=said.append)
    assert bool(said) == any(new)
    return with_subwords(base, tokenizers, new, seed=3)


def test_old_texts_have_the_encoder_states_that_they_had(
    translator: Translator, made_up: Callable[[int], Pairs]
) -> None:
    pairs = made_up(40)
    after = grown(translator, in_hindi(pairs), 60)
    assert after.model.config.vocab_size > translator.model.config.vocab_size
    for source, _ in pairs:
        ids = translator.batch([translator.encode(source)])
        assert torch.equal(ids, after.batch([after.encode(source)]))
        with torch.inference_mode():
            ours, theirs = after.model.encode(ids)[0], translator.model.encode(ids)[0]
        assert torch.equal(ours, theirs)
    assert after.tokenizers.joint
    assert after.model.output_weight is after.model.encoder.embed.tokens.weight


def test_new_rows_are_drawn_like_the_others_and_the_same_each_time(
    translator: Translator, made_up: Callable[[int], Pairs]
) -> None:
    pairs = in_hindi(made_up(40))
    first, second = grown(translator, pairs, 60), grown(translator, pairs, 60)
    assert torch.equal(first.model.output_weight, second.model.output_weight)
    old = translator.model.output_weight
    new = first.model.output_weight[len(old) :]
    assert len(new) > 9
    assert new.std().item() == pytest.approx(old.std().item(), rel=0.3)
    apart = (new.mean(0) - old.mean(0)).norm()  # of a mean over as many rows of the same deviation
    assert apart < 1.5 * (old.var(0).sum() / len(new)).sqrt()


def test_texts_that_it_can_write_change_nothing(
    translator: Translator, made_up: Callable[[int], Pairs]
) -> None:
    tokenizers, new = grow_pair(translator, lambda: made_up(9), None, say=pytest.fail)
    assert tokenizers.source is translator.tokenizers.source
    assert new == ([], [])


def test_separate_vocabularies_grow_apart(
    untrained: Callable[..., Translator], made_up: Callable[[int], Pairs]
) -> None:
    sides = [train_tokenizer([pair[side] for pair in made_up(90)], vocab_size=368)
             for side in (0, 1)]  # fmt: skip
    base = untrained(TokenizerPair(*sides), target_vocab_size=sides[1].vocab_size)
    after = grown(base, in_hindi(made_up(90)), 60)
    assert after.tokenizers.source is base.tokenizers.source
    assert after.model.config.vocab_size == base.model.config.vocab_size
    ids = after.tokenizers.target.encode("लाल घर")
    assert len(ids) < len(base.tokenizers.target.encode("लाल घर")) / 3


def test_two_vocabularies_for_one_table_are_refused(
    untrained: Callable[..., Translator], tokenizers: TokenizerPair, made_up: Any
) -> None:
    other = train_tokenizer(["a b c"] * 9, vocab_size=376)
    base = untrained(TokenizerPair(tokenizers.source, other))
    pairs = in_hindi(made_up(9))
    assert grow_pair(base, lambda: pairs, None, say=pytest.fail)[1] == ([], [])
    with pytest.raises(RegardError, match="the tokenizer of untrained cannot get new subwords"):
        grow_pair(base, lambda: pairs, 60, say=pytest.fail)


@pytest.mark.long("trains")
def test_a_run_learns_another_script_and_resumes(
    run_folder: Path, hindi_file: str, tmp_path: Path
) -> None:
    said: list[str] = []
    changes = {"base_model": str(run_folder), "new_subwords": 60, "target_language": "hi"}
    train_translation(hindi_file, options(tmp_path / "run", **changes), say=said.append)
    assert "of the tokens of either side were bytes, lone letters or unknown: " in "\n".join(said)
    train_translation(hindi_file, options(tmp_path / "two", **changes, max_steps=1))
    train_translation(hindi_file, options(tmp_path / "two", **changes))
    weights = "checkpoints/step-00000002/weights.safetensors"
    ours, theirs = (load_file(tmp_path / name / weights) for name in ("run", "two"))
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    after = regard.load(tmp_path / "run", "translation")
    assert 'language: ["en", "hi"]' in (tmp_path / "run" / "model" / "README.md").read_text("utf-8")
    assert len(after.tokenizers.target.encode("कुत्ता")) < 6


@pytest.fixture
def several(made_up: Callable[[int], Pairs], write: Any, tmp_path: Path) -> list[str]:
    german = write(tmp_path / "de.tsv", made_up(120))
    hindi = write(tmp_path / "hi.tsv", in_hindi(made_up(60)))
    return [f"de={german}", f"hi={hindi}"]


@pytest.mark.long("trains")
def test_one_model_learns_several_targets_and_opens_in_transformers(
    several: list[str], tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    run = tmp_path / "run"
    train_translation(several, options(run, vocab_size=416, names=0.0, temperature=2.0))
    figures = json.loads((run / "log.jsonl").read_text().splitlines()[-1])["figures"]
    assert {"bleu", "bleu_de", "bleu_hi", "loss_hi", "chrf_de"} < figures.keys()
    assert figures["loss"] == pytest.approx((figures["loss_de"] + figures["loss_hi"]) / 2)
    both = regard.load(run, "translation")
    with pytest.raises(RegardError, match=r"several languages \(en → de, en → hi\)"):
        both("the dog")
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(run / "model", dtype=torch.float32)
    tokenizer = transformers.AutoTokenizer.from_pretrained(run / "model")
    text = "the old dog sees a tree."
    for language in ("de", "hi"):
        ours = both.between("en", language)
        assert ours.prefix == f"<2{language}> "
        encoded = tokenizer(f"<2{language}> {text}", return_tensors="pt")
        assert encoded.input_ids.tolist() == ours.batch([ours.encode(text)]).tolist()
        assert encoded.input_ids[0, 1:-1].tolist() == both.tokenizers.source.encode(text)
        generated = theirs.generate(**encoded, max_new_tokens=7, num_beams=1)
        written = tokenizer.decode(generated[0], skip_special_tokens=True)
        assert written == ours(text, max_new_tokens=7, num_beams=1)
    assert "# en → de, hi" in (run / "model" / "README.md").read_text("utf-8")
    words = both.between(target="hi").trace(text, target="घर")
    assert words.axes["source"].tokens[0] == "<2hi>"


@pytest.mark.long("trains")
def test_several_targets_start_from_a_trained_model_and_one_of_them_continues(
    run_folder: Path, several: list[str], tmp_path: Path
) -> None:
    train_translation(
        several, options(tmp_path / "run", base_model=str(run_folder), new_subwords=60)
    )
    both = regard.load(tmp_path / "run", "translation")
    one = {"base_model": str(tmp_path / "run"), "target_language": "hi", "max_steps": 1}
    hindi = several[1].removeprefix("hi=")
    train_translation(hindi, options(tmp_path / "one", **one))
    after = regard.load(tmp_path / "one", "translation")
    assert after.prefix == "<2hi> "
    assert after.encode("the dog") == both.between("en", "hi").encode("the dog")


def test_tags_are_tokens_of_the_source_alone(tokenizers: TokenizerPair) -> None:
    apart = TokenizerPair(tokenizers.source, train_tokenizer(["ein hund"] * 9, vocab_size=376))
    tagged, new = with_tags(apart, ([], []), ["de", "hi"])
    size = tokenizers.source.vocab_size
    assert new == ([size, size + 1], [])
    assert tagged.target is apart.target
    assert with_tags(apart, ([5], []), []) == (apart, ([5], []))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target_language": "de"}, "target_language is that of a model of one target; got 'de'"),
        ({"dev": "dev.tsv"}, "dev and test need the target language of each file"),
    ],
)
def test_what_does_not_fit_several_targets_is_refused(
    changes: dict[str, Any], message: str, several: list[str], tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=message):
        train_translation(several, options(tmp_path / "run", **changes))
    assert not (tmp_path / "run").exists()


def test_a_temperature_for_one_file_is_refused(hindi_file: str, tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="temperature weighs several files"):
        train_translation(hindi_file, options(tmp_path / "run", temperature=5.0))


def test_languages_of_another_kind_are_refused(
    several: list[str], foreign: Any, tmp_path: Path
) -> None:
    base = foreign("mbart50", tmp_path / "base").folder
    with pytest.raises(RegardError, match="has its own tokens for languages"):
        train_translation(several, options(tmp_path / "run", base_model=str(base)))
