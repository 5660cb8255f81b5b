"""Pipelines, whose answers have the keys and the nesting that transformers gives, or gave in v4."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard import RegardError
from regard.api.pipelines import TASKS

transformers = pytest.importorskip("transformers")

CONTEXT = "Anna lives in the red house near the river in Vienna."


def close(ours: Any, theirs: Any) -> bool:
    """Equal, keys and nesting included, where numbers are equal to 1e-4."""
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(close(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    if isinstance(theirs, float):
        return isinstance(ours, float) and abs(ours - theirs) < 1e-4
    return type(ours) is type(theirs) and ours == theirs


def same_as_theirs(task: str, folder: Path, *calls: tuple[Any, dict[str, Any]]) -> None:
    """Asserts that both answer each call alike; returns nothing that a test could forget."""
    ours, theirs = regard.pipeline(task, folder), transformers.pipeline(task, str(folder))
    for given, options in calls:
        expected = theirs(given, **options)
        assert close(ours(given, **options), expected), (given, options)


@pytest.mark.parametrize("task", ["text-classification", "sentiment-analysis"])
def test_labels(task: str, encoder_folder: Callable[..., Path]) -> None:
    folder = encoder_folder("Bert", "ForSequenceClassification", num_labels=5)
    same_as_theirs(
        task,
        folder,
        ("the red house", {}),
        (["the red house", "a dog in Vienna, near the river"], {}),
        ("the red house", {"top_k": None}),
        (["the red house", "a dog"], {"top_k": 3}),
    )


def test_labels_of_pairs(encoder_folder: Callable[..., Path]) -> None:
    folder = encoder_folder("Bert", "ForSequenceClassification", num_labels=3)
    pair = {"text": "the red house", "text_pair": "who lives in it?"}
    ours, theirs = (
        regard.pipeline("text-classification", folder),
        transformers.pipeline("text-classification", str(folder)),
    )
    assert close(ours(pair), theirs(pair))
    assert close(ours([pair, pair]), theirs([pair, pair]))
    assert ours(pair) != ours(pair | {"text_pair": "a dog"})


def test_masked_words(encoder_folder: Callable[..., Path]) -> None:
    same_as_theirs(
        "fill-mask",
        encoder_folder("Bert", "ForMaskedLM"),
        ("the [MASK] house", {}),
        ("the [MASK] house and the [MASK] dog", {"top_k": 2}),
        (["the [MASK] house", "a [MASK]"], {"top_k": 3}),
    )


def test_features(encoder_folder: Callable[..., Path]) -> None:
    folder = encoder_folder("Bert", "Model")
    same_as_theirs(
        "feature-extraction", folder, ("the red house", {}), (["the red house", "a dog"], {})
    )


def test_images(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    torch.manual_seed(5)
    config = transformers.ViTConfig(
        image_size=14, patch_size=7, hidden_size=12, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=17, num_labels=7,
    )  # fmt: skip
    transformers.ViTForImageClassification(config).save_pretrained(tmp_path)
    transformers.ViTImageProcessor(size={"height": 14, "width": 14}).save_pretrained(tmp_path)
    picture = image.radial_gradient("L").convert("RGB")
    same_as_theirs(
        "image-classification", tmp_path, (picture, {}), ([picture, picture], {"top_k": 2})
    )


@pytest.fixture(scope="module")
def writer_folder(tmp_path_factory: pytest.TempPathFactory, byte_level: Any) -> Path:
    folder = tmp_path_factory.mktemp("gpt2")
    torch.manual_seed(7)
    config = transformers.GPT2Config(
        vocab_size=283, n_embd=12, n_layer=1, n_head=2, n_positions=64, bos_token_id=0,
        eos_token_id=0,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.3 * torch.randn_like(weight)
    model.save_pretrained(folder)
    end = "<|endoftext|>"
    template = "{% for m in messages %}{{ m.role }}: {{ m.content }} {% endfor %}"
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_level, eos_token=end, pad_token=end, chat_template=template
    ).save_pretrained(folder)
    return folder


def test_texts_that_go_on(writer_folder: Path) -> None:
    greedy = {"max_new_tokens": 7, "do_sample": False}
    chat = [{"role": "user", "content": "the dog"}]
    same_as_theirs(
        "text-generation",
        writer_folder,
        ("the small dog", greedy),
        (["the small dog", "a red"], greedy),
        ("the small dog", greedy | {"return_full_text": False}),
        ("the small dog", greedy | {"num_beams": 3, "num_return_sequences": 2}),
        (chat, greedy),
    )


TEXTS = ["A man is looking at the dog.", "the <sep> man"]


@pytest.mark.parametrize(
    ("task", "key"),
    [
        ("translation_en_to_de", "translation_text"),
        ("summarization", "summary_text"),
        ("text2text-generation", "generated_text"),
    ],
)
def test_text_to_text_has_the_keys_of_version_4(
    task: str, key: str, foreign: Callable[..., Any], tmp_path: Path
) -> None:
    theirs = foreign("bart", tmp_path)
    ours = regard.pipeline(task, tmp_path)
    limit = {"max_new_tokens": 9, "num_beams": 3, "no_repeat_ngram_size": 1}
    tokenizer = transformers.BartTokenizer.from_pretrained(tmp_path)
    ids = [theirs.generate(theirs.ids(text), **limit) for text in TEXTS]
    expected = [{key: tokenizer.decode(each, skip_special_tokens=True)} for each in ids]
    assert len({each[key] for each in expected}) == 2
    assert ours(TEXTS, **limit) == expected
    assert ours(TEXTS[0], **limit) == expected[:1]
    both = ours(TEXTS, num_return_sequences=2, **limit)
    assert [len(each) for each in both] == [2, 2]
    assert both[1][0] == expected[1]
    assert both[1][1] != expected[1]


def test_a_task_reads_its_own_prefix_and_no_other(
    foreign: Callable[..., Any], tmp_path: Path
) -> None:
    tasks = {
        "summarization": {"prefix": "dog "},
        "translation_en_to_de": {"prefix": "man "},
        "translation_en_to_fr": {"prefix": "hats "},
    }
    foreign("t5", tmp_path, task_specific_params=tasks)
    prefix = {task: regard.pipeline(task, tmp_path).runner.prefix for task in tasks}
    assert prefix == {task: settings["prefix"] for task, settings in tasks.items()}
    assert regard.pipeline("text2text-generation", tmp_path).runner.prefix == ""
    with pytest.raises(RegardError, match=r"languages must name one of en → de, en → fr"):
        regard.pipeline("translation_en_to_it", tmp_path)


def test_the_shipped_translators_need_no_name() -> None:
    german = regard.pipeline("translation_en_to_de")
    text = regard.load("en-de")("Where is the station?")
    assert german("Where is the station?") == [{"translation_text": text}]
    assert regard.pipeline("translation_en_to_hi").runner.name == "en-hi"


def test_answers(encoder_folder: Callable[..., Path]) -> None:
    ask = regard.pipeline("question-answering", encoder_folder("Bert", "ForQuestionAnswering"))
    question = "Where is the red house?"
    answer = ask(question=question, context=CONTEXT)
    assert list(answer) == ["score", "start", "end", "answer"]
    assert CONTEXT[answer["start"] : answer["end"]] == answer["answer"]
    assert ask({"question": question, "context": CONTEXT}) == answer
    assert ask([{"question": question, "context": CONTEXT}]) == answer  # so it was
    assert ask(question, CONTEXT) == answer
    assert close(ask(question=[question, "who?"], context=[CONTEXT] * 2)[0], answer)
    several = ask(question=question, context=CONTEXT, top_k=3)
    assert len(several) == 3
    assert several[0] == answer
    with pytest.raises(RegardError, match="a question and its context were expected"):
        ask(question=question)


def test_what_regard_load_gave_is_taken_too(encoder_folder: Callable[..., Path]) -> None:
    filler = regard.load(encoder_folder("Bert", "ForMaskedLM"))
    assert regard.pipeline("fill-mask", filler, device=-1).runner is filler
    with pytest.raises(
        RegardError, match="model must be a Classifier for text-classification; got MaskFiller"
    ):
        regard.pipeline("text-classification", filler)


def test_an_unknown_task_or_no_model_is_refused() -> None:
    with pytest.raises(RegardError, match=r"got 'sumarization'\. Did you mean 'summarization'\?"):
        regard.pipeline("sumarization")
    for task in TASKS:
        with pytest.raises(
            RegardError, match=f"a folder or hub:org/name of a model for {task}; got None"
        ):
            regard.pipeline(task)
