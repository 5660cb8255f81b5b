"""A checkpoint of several languages is asked for two of them as its family is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional

from regard import RegardError
from regard.tasks.translation.task import Translator
from regard.training.sequence_scores import mean_loss

TEXTS = ["A man is looking at the dog.", "12 dogs ☃☃ end"]
DE, EN, FR = 67, 68, 72
Maker = Callable[..., Any]


def assert_theirs(ours: Translator, theirs: Any, ids: Callable, **options: Any) -> None:
    results = ours.decoding_by(whole=True).run(TEXTS, num_beams=3, max_new_tokens=7)
    for text, result in zip(TEXTS, results, strict=True):
        expected = theirs.generate(
            ids(text), num_beams=3, do_sample=False, max_new_tokens=7, **options
        )
        if result.finished:
            expected = expected[:-1]  # the end, which our tokens leave out
        assert result.tokens == ours.tokenizers.target.tokens(expected)


def test_mbart_50_reads_the_source_first_and_writes_the_target_first(
    foreign: Maker, tmp_path: Path
) -> None:
    theirs = foreign("mbart50", tmp_path / "mbart50")
    ours = Translator.load(theirs.folder).between("fr", "de_DE")
    assert (ours.before, ours.after) == ((FR,), (2,))
    assert ours.run(TEXTS[:1])[0].tokens[0] == "de_DE"
    assert not ours(TEXTS[0]).startswith("de_DE")
    assert_theirs(ours, theirs, lambda text: [FR, *theirs.ids(text)[1:]], forced_bos_token_id=DE)


@pytest.mark.parametrize(
    ("family", "source", "target"),
    [("m2m100", "__fr__", "__de__"), ("nllb", "fra_Latn", "deu_Latn")],
)
def test_m2m100_and_nllb_read_the_source_first_and_write_the_target_first(
    foreign: Maker, tmp_path: Path, family: str, source: str, target: str
) -> None:
    theirs = foreign(family, tmp_path / family)
    whole = Translator.load(theirs.folder)
    ours = whole.between(source.strip("_")[:3], target)
    french, german = (
        whole.tokenizers.source.backend.token_to_id(name) for name in (source, target)
    )
    assert (ours.before, ours.after) == ((french,), (2,))
    for text in TEXTS:
        assert [*whole.before, *whole.encode(text), *whole.after] == theirs.ids(text)
    assert not ours(TEXTS[0]).startswith(target)
    assert_theirs(
        ours, theirs, lambda text: [french, *theirs.ids(text)[1:]], forced_bos_token_id=german
    )


def test_the_first_mbart_reads_the_source_last_and_starts_from_the_target(
    foreign: Maker, tmp_path: Path
) -> None:
    theirs = foreign("mbart", tmp_path / "mbart")
    whole = Translator.load(theirs.folder)
    ours = whole.between("fr_XX", "DE")
    assert (ours.before, ours.after) == ((), (2, FR))
    assert (ours.model.config.start_id, whole.model.config.start_id) == (DE, 2)
    assert_theirs(
        ours, theirs, lambda text: [*theirs.ids(text)[:-1], FR], decoder_start_token_id=DE
    )
    # What the decoder reads is what a trace and an alignment are of.
    assert ours.trace(TEXTS[0], num_beams=1).axes["target"].tokens[0] == "de_DE"
    (result,) = ours.run([TEXTS[0]], alignment="output")
    assert result.source_words == TEXTS[0].split()


def test_t5_reads_the_task_before_the_text(foreign: Maker, tmp_path: Path) -> None:
    tasks = {
        "summarization": {"prefix": "the dog ", "num_beams": 4},
        "translation_en_to_de": {"prefix": "two hats ", "max_length": 6, "num_beams": 2},
        "translation_en_to_fr": {"prefix": "end ", "max_length": 5},
    }
    theirs = foreign("t5", tmp_path / "t5", task_specific_params=tasks)
    whole = Translator.load(theirs.folder)
    ours = whole.between(target="DE")
    assert (ours.prefix, ours.generation.num_beams) == ("two hats ", 2)
    # The pieces of "two hats " are those of "two  hats ", of which SentencePiece makes one space.
    before = theirs.ids("two  hats ")[:-1]
    assert_theirs(ours, theirs, lambda text: [*before, *theirs.ids(text)])
    assert len(ours.run(TEXTS[:1])[0].tokens) <= 5
    with pytest.raises(
        RegardError,
        match=r"t5 translates into several languages \(en → de, en → fr\): choose one with",
    ):
        whole.run(TEXTS)
    with pytest.raises(RegardError, match="one of en → de, en → fr; got any → ro"):
        whole.between(target="ro")
    with pytest.raises(RegardError, match="got en → any"):
        whole.between("en")
    whole.prefix = ""  # the text itself may say it
    assert len(whole.run(TEXTS)) == 2
    only = {"task_specific_params": {"translation_en_to_de": tasks["translation_en_to_de"]}}
    config = json.loads((theirs.folder / "config.json").read_text())
    (theirs.folder / "config.json").write_text(json.dumps(config | only))
    assert Translator.load(theirs.folder).prefix == "two hats "


def test_marian_reads_the_target_as_a_word_of_the_text(foreign: Maker, tmp_path: Path) -> None:
    theirs = foreign("marian", tmp_path / "marian")
    vocab = json.loads((theirs.folder / "vocab.json").read_text())
    last = next(piece for piece, id_ in vocab.items() if id_ == 62)
    vocab = {piece: id_ for piece, id_ in vocab.items() if piece != last} | {">>deu<<": 62}
    (theirs.folder / "vocab.json").write_text(json.dumps(vocab))
    ours = Translator.load(theirs.folder).between(target="deu")
    assert ours.encode("the man")[0] == 62
    assert ours("the man") == Translator.load(theirs.folder)(">>deu<< the man")
    with pytest.raises(RegardError, match=r"the source's language by itself; got 'en'\. Leave"):
        ours.between("en", "deu")
    with pytest.raises(RegardError, match=r"one of deu; got 'de'\. Did you mean 'deu'\?"):
        ours.between(target="de")


def test_mbart_without_a_target_says_which_there_are(foreign: Maker, tmp_path: Path) -> None:
    whole = Translator.load(foreign("mbart50", tmp_path / "mbart50").folder)
    with pytest.raises(RegardError, match=r"\(af_ZA, ar_AR, .*zh_CN\): choose one with translator"):
        whole.run(TEXTS)
    assert len(whole.run(TEXTS, forced_bos_token_id=DE, max_new_tokens=3)) == 2
    with pytest.raises(RegardError, match=r"a language must be one of af_ZA, .*; got 'klingon'"):
        whole.between("klingon")
    assert whole.between(target="de").between("fr").generation.forced_bos_token_id == DE


def test_a_model_of_one_pair_has_nothing_to_choose(foreign: Maker, tmp_path: Path) -> None:
    ours = Translator.load(foreign("bart", tmp_path / "bart").folder)
    with pytest.raises(RegardError, match="bart translates one fixed pair of languages"):
        ours.between("en", "de")


PAIRS = [("A man is looking at the dog.", "12 dogs ☃☃ end"), ("12 dogs ☃☃ end", "the <sep> man")]


@pytest.mark.parametrize(
    ("family", "between", "reads", "start", "begin", "text", "end"),
    [
        # What the encoder reads of a text's ids, what the decoder starts from, and what it writes:
        # the beginning, where the target's own ids are among those of a text, the end.
        ("marian", (), lambda ids: ids, 63, [], slice(-1), 0),
        ("t5", (), lambda ids: ids, 0, [], slice(-1), 1),
        ("bart", (), lambda ids: ids, 2, [0], slice(1, -1), 2),
        ("mbart50", ("fr", "de"), lambda ids: [FR, *ids[1:]], 2, [DE], slice(1, -1), 2),
        ("m2m100", ("fr", "de"), lambda ids: [89, *ids[1:]], 2, [81], slice(1, -1), 2),
        ("mbart", ("fr", "de"), lambda ids: [*ids[:-1], FR], DE, [], slice(-2), 2),
    ],
)
def test_the_loss_is_of_what_the_checkpoint_reads_and_writes(
    foreign: Maker,
    tmp_path: Path,
    family: str,
    between: tuple[str, ...],
    reads: Callable[[list[int]], list[int]],
    start: int,
    begin: list[int],
    text: slice,
    end: int,
) -> None:
    theirs = foreign(family, tmp_path / family)
    ours = Translator.load(theirs.folder)
    ours = ours.between(*between) if between else ours
    loss, tokens = 0.0, 0
    for source, target in PAIRS:
        labels = [*begin, *theirs.ids(target)[text], end]
        read = torch.tensor([reads(theirs.ids(source))])
        with torch.no_grad():
            before = torch.tensor([[start, *labels[:-1]]])
            logits = theirs.model(read, decoder_input_ids=before).logits
        loss += functional.cross_entropy(logits[0], torch.tensor(labels), reduction="sum").item()
        tokens += len(labels)
    assert mean_loss(ours, PAIRS) == pytest.approx(loss / tokens, rel=1e-5)
