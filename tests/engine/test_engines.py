"""Every task by the native engine: the results of torch in fp32, and near them in int8."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import regard
from regard import RegardError
from regard.checkpoints import save_pretrained
from regard.inspection.naming import Naming
from regard.models import VisionConfig, VisionTransformer
from regard.tasks.classification.task import Classifier
from regard.tasks.embedding.task import POOLING, Embedder
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.images.preparation import Preparation, write_preparation
from regard.tasks.images.task import ImageClassifier
from regard.tasks.question_answering.task import Answerer
from regard.tasks.summarization.task import Summarizer
from regard.tasks.text_generation.task import Writer
from regard.text import Tokenizer

TEXTS = [
    "Anna sees the old tree.",
    "Who lives in the red house near the river in Vienna, and who likes the small dog?",
    "a dog",
    "The child likes the old tree.",
]
QUESTIONS = [
    ("Where is the house?", "Anna lives in the red house near the river in Vienna."),
    ("Who sees it?", "The child likes the small dog, which sees Anna's old tree. " * 9),
]
LABELS = {0: "contradiction", 1: "neutral", 2: "entailment"}
READERS = ["Bert", "Roberta", "DistilBert", "GPT2", "Llama", "Bart"]
Folders = Callable[..., Path]


@pytest.fixture(scope="module")
def folders(encoder_folder: Folders) -> Folders:
    """A folder of each family with a head, made once."""
    made: dict[tuple[str, str], Path] = {}

    def folder(family: str, head: str, **changes: Any) -> Path:
        key = (family, head + str(changes))
        if key not in made:
            made[key] = encoder_folder(family, head, **changes)
        return made[key]

    return folder


def both(task: Any, precision: str = "fp32") -> tuple[Any, Any]:
    """The same task by torch and by the native engine."""
    exact, native = task.run_by("torch"), task.run_by("native", precision=precision)
    assert (exact.packed is None, native.packed is None) == (True, False)
    return exact, native


def same_labels(got: Any, expected: Any, error: float = 1e-5) -> None:
    for ours, theirs in zip(got, expected, strict=True):
        scores = {each.label: each.score for each in theirs.labels}
        assert {each.label: each.score for each in ours.labels} == pytest.approx(scores, abs=error)
        assert ours.truncated == theirs.truncated


@pytest.mark.parametrize("family", READERS)
@pytest.mark.parametrize(
    "kind", ["single_label_classification", "multi_label_classification", "regression"]
)
def test_labels_of_texts_and_pairs_are_those_of_torch(
    family: str, kind: str, folders: Folders
) -> None:
    folder = folders(family, "ForSequenceClassification", id2label=LABELS)
    model = Classifier.load(folder)
    torchs, ours = both(Classifier(model.model, model.tokenizer, problem_type=kind))
    texts = [*TEXTS, "the red house near a river " * 20]  # cut
    same_labels(ours.run(texts, batch_size=2), torchs.run(texts))
    same_labels(ours.run(TEXTS[:2], TEXTS[2:]), torchs.run(TEXTS[:2], TEXTS[2:]))
    assert [each.chosen[:1] for each in ours.run(TEXTS)] != [[]] * 4


@pytest.mark.parametrize("several", [False, True])
def test_labels_of_ones_own_are_those_of_torch(several: bool, folders: Folders) -> None:
    folder = folders("Bert", "ForSequenceClassification", id2label=LABELS)
    torchs, ours = both(Classifier.load(folder))
    found = [
        each.zero_shot(TEXTS, ["a dog", "river"], multi_label=several) for each in (torchs, ours)
    ]
    same_labels(*found)


@pytest.mark.parametrize("family", READERS)
def test_answers_are_those_of_torch(family: str, folders: Folders) -> None:
    torchs, ours = both(Answerer.load(folders(family, "ForQuestionAnswering")))
    options: dict[str, Any] = dict(top_k=3, max_seq_len=40, doc_stride=9)
    options |= dict(or_none=True, batch_size=2)
    found, wanted = (each.run(QUESTIONS, **options) for each in (ours, torchs))
    for got, expected in zip(found, wanted, strict=True):
        assert [each.text for each in got] == [each.text for each in expected]
        scores = [each.score for each in expected]
        assert [each.score for each in got] == pytest.approx(scores, abs=1e-5)


@pytest.mark.parametrize("family", ["Bert", "Roberta", "DistilBert"])
def test_fillings_are_those_of_torch(family: str, folders: Folders) -> None:
    torchs, ours = both(MaskFiller.load(folders(family, "ForMaskedLM")))
    texts = [f"Anna lives in the {ours.mask} house.", f"The {ours.mask} likes a {ours.mask}."]
    for got, expected in zip(ours.run(texts), torchs.run(texts), strict=True):
        for mine, theirs in zip(got, expected, strict=True):
            assert [each.sequence for each in mine] == [each.sequence for each in theirs]
            scores = [each.score for each in theirs]
            assert [each.score for each in mine] == pytest.approx(scores, abs=1e-5)


@pytest.mark.parametrize("head", ["Model", "ForMaskedLM"])
def test_vectors_are_those_of_torch_by_every_pooling(head: str, folders: Folders) -> None:
    torchs, ours = both(Embedder.load(folders("Bert", head)))
    for pooling in POOLING:
        for normalize in (False, True):
            options: dict[str, Any] = dict(pooling=pooling, normalize=normalize, batch_size=3)
            found = ours(TEXTS, **options)
            np.testing.assert_allclose(found, torchs(TEXTS, **options), atol=1e-5)
    np.testing.assert_allclose(
        ours.states(TEXTS[0]).states, torchs.states(TEXTS[0]).states, atol=1e-5
    )


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> ImageClassifier:
    folder = tmp_path_factory.mktemp("vit")
    torch.manual_seed(23)
    sizes: dict[str, Any] = dict(d_model=15, num_layers=2, num_heads=3, d_ff=22)
    labels = ("cat", "dog", "tree")
    config = VisionConfig((14, 14), (7, 7), head="classification", labels=labels, **sizes)
    model = VisionTransformer(config)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    save_pretrained(model, folder)
    write_preparation(Preparation(size=(14, 14)), folder)
    return ImageClassifier.load(folder)


def test_labels_of_images_are_those_of_torch(images: ImageClassifier) -> None:
    pillow = pytest.importorskip("PIL.Image")
    draw = np.random.default_rng(29)
    pictures = [pillow.fromarray(draw.integers(0, 256, (31, 23, 3), np.uint8)) for _ in range(5)]
    torchs, ours = both(images)
    same_labels(ours.run(pictures, batch_size=2), torchs.run(pictures))


@pytest.fixture(scope="module")
def writer(byte_level: Any, tmp_path_factory: pytest.TempPathFactory) -> Writer:
    from regard.models import Decoder, DecoderConfig

    torch.manual_seed(11)
    sizes: dict[str, Any] = dict(d_model=32, num_layers=2, num_heads=4, d_ff=28, max_positions=61)
    model = Decoder(DecoderConfig(283, **sizes, tied_output=False)).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    folder = tmp_path_factory.mktemp("tokenizer")
    byte_level.save(str(folder / "tokenizer.json"))
    chat = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
    settings = dict(chat_template=chat, eos_token="<|endoftext|>")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return Writer(model, Tokenizer.load(folder))


PROMPTS = ["the dog", "the small dog sees the", "a", "🎉 the red house sees the small dog " * 2]
STRATEGIES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "beams": dict(num_beams=4, alternatives=2),
    "sampled": dict(do_sample=True, seed=3, alternatives=3),
    "filtered": dict(repetition_penalty=1.7, no_repeat_ngram_size=2),
    "at the end of the positions": dict(max_new_tokens=60),
}


@pytest.mark.parametrize("options", STRATEGIES.values(), ids=STRATEGIES)
def test_texts_are_those_of_torch(options: dict[str, Any], writer: Writer) -> None:
    torchs, ours = both(writer)
    settings = dict(max_new_tokens=13, batch_size=3) | options
    found, wanted = (each.run(PROMPTS, **settings) for each in (ours, torchs))
    for got, expected in zip(found, wanted, strict=True):
        for mine, theirs in zip([got, *got.others], [expected, *expected.others], strict=True):
            assert (mine.text, mine.full) == (theirs.text, theirs.full)
            assert mine.score == pytest.approx(theirs.score, rel=1e-4)
    assert len({each.text for each in found}) == len(PROMPTS)


def test_streams_chats_and_stop_strings_are_those_of_torch(writer: Writer) -> None:
    torchs, ours = both(writer)
    options: dict[str, Any] = dict(max_new_tokens=13, do_sample=True, seed=5)
    pieces = list(torchs.stream(PROMPTS[0], **options))
    assert list(ours.stream(PROMPTS[0], **options)) == pieces
    assert "".join(pieces) == ours(PROMPTS[0], return_full_text=False, **options)
    messages = [{"role": "user", "content": "the dog"}]
    assert ours.chat(messages, max_new_tokens=9) == torchs.chat(messages, max_new_tokens=9)
    stop = next(each for each in "".join(pieces) if each.isascii())
    [stopped], [wanted] = (
        each.run(PROMPTS[:1], stop_strings=stop, **options) for each in (ours, torchs)
    )
    assert (stopped.tokens, stopped.finished) == (wanted.tokens, True)
    assert len(stopped.text) < len("".join(pieces))


def test_a_trace_is_of_the_engines_text(writer: Writer) -> None:
    coarse = writer.run_by("native", precision="int8")
    wrote = coarse.run(PROMPTS[:1], max_new_tokens=9)[0].tokens
    axis = coarse.trace(PROMPTS[0], generate=9).axes["tokens"]
    assert axis.predicts is not None
    ids = [coarse.tokenizer.backend.token_to_id(token) for token in wrote]
    names = Naming.of(coarse.tokenizer).names(ids)
    assert axis.predicts[axis.prompt - 1 :][: len(wrote)] == names


def test_a_writers_trace_says_which_engine_wrote_its_text(writer: Writer) -> None:
    fast = writer.run_by("auto", precision="int8")
    note = "the text was decoded by native int8; the maps are of the model's own weights, by torch"
    assert note in fast.trace(PROMPTS[0], generate=3).notes
    own = writer.run_by("native", precision="int8").trace(PROMPTS[0], generate=3)
    assert isinstance(own["decoder.layers.0.self"].query, np.ndarray)  # of the run that wrote it
    plain = (
        own,
        fast.trace(PROMPTS[0], generate=0),  # nothing was decoded
        fast.trace(PROMPTS[0], target=" dog"),
        writer.trace(PROMPTS[0], generate=3),
    )
    assert not any("decoded by" in line for trace in plain for line in trace.notes)


@pytest.mark.parametrize("num_beams", [1, 3])
def test_rewritten_texts_are_those_of_torch(num_beams: int, folders: Folders) -> None:
    torchs, ours = both(Summarizer.load(folders("Bart", "ForConditionalGeneration")))
    options = dict(num_beams=num_beams, alternatives=num_beams, max_new_tokens=9)
    texts = [*TEXTS, "", "the red house near a river " * 20]  # nothing, and what is cut
    found, wanted = (each.run(texts, **options) for each in (ours, torchs))
    for got, expected in zip(found, wanted, strict=True):
        assert (got.text, got.truncated) == (expected.text, expected.truncated)
        assert len(got.alternatives) == len(expected.alternatives)
        for mine, theirs in zip(got.alternatives, expected.alternatives, strict=True):
            assert mine.tokens == theirs.tokens
            assert mine.score == pytest.approx(theirs.score, rel=1e-4)


def test_int8_gives_the_same_vector_alone_and_in_any_batch(folders: Folders) -> None:
    coarse = Embedder.load(folders("Bert", "Model")).run_by("native", precision="int8")
    for pooling in POOLING:
        together = coarse(TEXTS, pooling=pooling)
        assert (together == [coarse(text, pooling=pooling) for text in TEXTS]).all()


@pytest.mark.parametrize("family", ["Bert", "GPT2", "Bart"])
def test_int8_gives_the_same_result_alone_and_in_any_batch(family: str, folders: Folders) -> None:
    folder = folders(family, "ForSequenceClassification", id2label=LABELS)
    exact, coarse = both(Classifier.load(folder), "int8")
    together = coarse.run(TEXTS)
    assert together == [coarse.run([text])[0] for text in TEXTS]  # bit for bit
    same_labels(together, exact.run(TEXTS), error=0.05)
    assert together != exact.run(TEXTS)


def test_bad_settings_are_refused(images: ImageClassifier, writer: Writer) -> None:
    with pytest.raises(
        RegardError, match="precision must be one of fp32, bf16, int8, int4; got 'int3'"
    ):
        images.run_by("native", precision="int3")
    with pytest.raises(RegardError, match="threads must be at least 1"):
        images.run_by("native", threads=-1)
    fast = writer.run_by("native")
    with pytest.raises(RegardError, match="a prompt may have 60 tokens"):
        fast.run(["the dog " * 40])


SHIPPED = [
    "What a lovely surprise!",
    "I am so sorry for your loss.",
    "ok",
    "Why would you do that?",
]


def test_the_shipped_classifier_has_the_labels_of_torch() -> None:
    torchs, ours = both(regard.load("emotions"))
    same_labels(ours.run(SHIPPED), torchs.run(SHIPPED))
    _, coarse = both(torchs, "int8")
    same_labels(coarse.run(SHIPPED), torchs.run(SHIPPED), error=0.05)


def test_the_shipped_encoder_has_the_vectors_of_torch() -> None:
    torchs, ours = both(regard.load("sentences"))
    np.testing.assert_allclose(ours(SHIPPED), torchs(SHIPPED), atol=1e-5)
    _, coarse = both(torchs, "int8")
    assert (coarse(SHIPPED) * torchs(SHIPPED)).sum(1).min() > 0.99  # cosines


def test_the_shipped_reader_of_digits_has_the_labels_of_torch() -> None:
    pillow = pytest.importorskip("PIL.Image")
    digit = Path(__file__).parents[2] / "docs" / "images" / "digit.png"
    turned = pillow.open(digit).rotate(20)
    torchs, ours = both(regard.load("digits"))
    same_labels(ours.run([digit, turned]), torchs.run([digit, turned]))
    _, coarse = both(torchs, "int8")
    same_labels(coarse.run([digit, turned]), torchs.run([digit, turned]), error=0.05)


@pytest.mark.long("writes long texts by two engines")
def test_the_shipped_writer_writes_the_texts_of_torch() -> None:
    torchs, ours = both(regard.load("shakespeare"))
    for options in (dict(do_sample=False), dict(do_sample=True, seed=1), dict(num_beams=3)):
        settings: dict[str, Any] = options | dict(max_new_tokens=40)
        prompts = ["ROMEO:", "To be, or not"]
        assert ours(prompts, **settings) == torchs(prompts, **settings)
