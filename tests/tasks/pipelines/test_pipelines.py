"""Pipelines, whose answers have the keys and the nesting that transformers gives, or gave in v4."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard import RegardError
from regard.tasks.pipelines.arguments import ARGUMENTS

transformers = pytest.importorskip("transformers")
image = pytest.importorskip("PIL.Image")

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


def test_images(image_folder: Path) -> None:
    picture = image.radial_gradient("L").convert("RGB")
    same_as_theirs(
        "image-classification", image_folder, (picture, {}), ([picture, picture], {"top_k": 2})
    )


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
    for task in ARGUMENTS:
        with pytest.raises(
            RegardError, match=f"a folder or hub:org/name of a model for {task}; got None"
        ):
            regard.pipeline(task)


LIMITS: list[dict[str, Any]] = [
    {"max_length": 9},
    {"max_length": 2},
    {"max_length": 30, "min_length": 25},
    {"max_length": 30, "min_length": 25, "num_beams": 3, "no_repeat_ngram_size": 1},
    {"max_new_tokens": 7, "min_length": 5},
    {"max_length": 12, "min_new_tokens": 8, "num_beams": 2},
]


@pytest.mark.parametrize("family", ["bart", "t5", "marian", "pegasus"])
def test_lengths_count_what_an_encoder_decoder_starts_from(
    family: str, foreign: Callable[..., Any], tmp_path: Path
) -> None:
    theirs = foreign(family, tmp_path)
    ours = regard.pipeline("text2text-generation", tmp_path)
    start = theirs.model.config.decoder_start_token_id
    for text in TEXTS:
        for limits in LIMITS:
            [found] = ours(text, return_tensors=True, **limits)
            ids = found["generated_token_ids"]
            assert ids.dtype == torch.int64
            assert ids.tolist() == [start, *theirs.generate(theirs.ids(text), **limits)], limits


def test_max_new_tokens_goes_before_max_length_with_one_warning(
    foreign: Callable[..., Any], writer_folder: Path, tmp_path: Path
) -> None:
    foreign("bart", tmp_path)
    for task, folder in (("summarization", tmp_path), ("text-generation", writer_folder)):
        pipe = regard.pipeline(task, folder)
        with pytest.warns(UserWarning, match="max_new_tokens goes before max_length") as warned:
            both = pipe("the dog", max_length=20, max_new_tokens=3)
        assert len(warned) == 1
        assert warned[0].filename == __file__
        assert both == pipe("the dog", max_new_tokens=3)


def test_a_minimum_above_the_files_limit_is_kept_as_long_as_that_lets_it(
    foreign: Callable[..., Any], tmp_path: Path
) -> None:
    theirs = foreign("bart", tmp_path, max_length=11)
    ours = regard.pipeline("summarization", tmp_path)
    [found] = ours(TEXTS[1], min_length=20, return_tensors=True)
    with pytest.warns(UserWarning, match="Unfeasible length constraints"):
        expected = theirs.generate(theirs.ids(TEXTS[1]), min_length=20, max_length=11)
    assert found["summary_token_ids"].tolist()[1:] == expected
    with pytest.raises(RegardError, match="min_length must be at most max_length; got 9 and 5"):
        ours(TEXTS[1], min_length=9, max_length=5)
    with pytest.raises(RegardError, match="max_length must be a number of tokens; got 'long'"):
        ours(TEXTS[1], max_length="long")


def test_a_language_models_arguments_are_theirs(writer_folder: Path) -> None:
    greedy: dict[str, Any] = {"do_sample": False, "pad_token_id": 0}
    chat = [{"role": "user", "content": "the dog"}]
    prefilled = [*chat, {"role": "assistant", "content": "sees the"}]
    long = "the small dog sees the red house " * 6
    cut, config = {"truncation": True, "max_length": 9}, transformers.GenerationConfig
    same_as_theirs(
        "text-generation",
        writer_folder,
        ("the small dog", greedy | {"max_length": 20}),
        (["the small dog", "a red"], greedy | {"max_length": 20}),
        ("the small dog", greedy | {"max_length": 20, "min_length": 18}),
        ("the small dog", greedy | {"max_length": 20, "return_full_text": False}),
        ("the small dog", greedy | {"max_length": 20, "return_tensors": True}),
        ("the small dog", greedy | {"max_length": 20, "prefix": "a red house "}),
        ("the small dog", greedy | {"max_new_tokens": 5, "prefix": "a red house "}),
        (long, greedy | {"max_new_tokens": 9, "handle_long_generation": "hole"}),
        (long, greedy | {"max_length": 63, "tokenizer_encode_kwargs": cut}),
        ("the small dog", greedy | {"max_new_tokens": 30, "stop_sequence": "_"}),
        ("the dog", greedy | {"max_new_tokens": 30, "clean_up_tokenization_spaces": True}),
        (chat, greedy | {"max_length": 40}),
        (prefilled, greedy | {"max_new_tokens": 9}),
        (prefilled, greedy | {"max_new_tokens": 9, "continue_final_message": False}),
        ([prefilled, chat], greedy | {"max_new_tokens": 9}),
        ("the dog", greedy | {"generation_config": config(max_new_tokens=4)}),
    )  # fmt: skip
    with pytest.raises(RegardError, match=r"max_length counts the prompt, which has \d+ tokens"):
        regard.pipeline("text-generation", writer_folder)("the small dog", max_length=2)


def test_spaces_are_taken_away_as_theirs(writer_folder: Path) -> None:
    from regard.tasks.pipelines.writing import _cleaned

    tokenizer = transformers.AutoTokenizer.from_pretrained(writer_folder)
    for text in ("so . it is n't , I 'm sure ! you 've 're 's ? 'tis . . x", " .", "a  . b"):
        expected = tokenizer.clean_up_tokenization(text)
        assert _cleaned(text, True) == expected


def test_labels_by_every_argument(encoder_folder: Callable[..., Path]) -> None:
    folder = encoder_folder("Bert", "ForSequenceClassification", num_labels=5)
    long = "the red house near the river in Vienna " * 30
    texts = ["the red house", "a dog in Vienna, near the river"]
    same_as_theirs(
        "text-classification",
        folder,
        ("the red house", {"top_k": 1}),
        (texts, {"top_k": 1}),
        ("the red house", {"function_to_apply": "sigmoid", "top_k": None}),
        ("the red house", {"function_to_apply": "none", "top_k": None}),
        ("the red house", {"function_to_apply": "softmax", "top_k": 2}),
        (texts, {"padding": True, "truncation": True, "max_length": 5, "top_k": None}),
        (long, {"truncation": True, "max_length": 50, "top_k": None}),
    )
    every = {"top_k": None}
    ours = regard.pipeline("text-classification", folder, **every)
    theirs = transformers.pipeline("text-classification", str(folder), **every)
    assert close(ours("the red house"), theirs("the red house"))
    assert close(ours(texts), theirs(texts))
    pipe = regard.pipeline("text-classification", folder)
    [found] = pipe("the red house", return_all_scores=True)
    assert [each["label"] for each in found] == [f"LABEL_{k}" for k in range(5)]
    with pytest.raises(RegardError, match="text 1 has more tokens than are read"):
        pipe(["a dog", long], truncation=False)


def test_masks_labels_and_states_by_every_argument(
    encoder_folder: Callable[..., Path], image_folder: Path
) -> None:
    long = "the [MASK] house " + "near the river " * 60
    same_as_theirs(
        "fill-mask",
        encoder_folder("Bert", "ForMaskedLM"),
        (["the [MASK] house"], {}),
        ("the [MASK] house", {"targets": ["the", "house", "a"]}),
        ("the [MASK] and [MASK]", {"targets": "the"}),
        (long, {"tokenizer_kwargs": {"truncation": True, "max_length": 67}}),
    )
    folder = encoder_folder("Bert", "Model")
    same_as_theirs(
        "feature-extraction",
        folder,
        ("the red house", {"tokenize_kwargs": {"truncation": True, "max_length": 3}}),
    )
    ours = regard.pipeline("feature-extraction", folder)("the red house", return_tensors=True)
    theirs = transformers.pipeline("feature-extraction", str(folder))
    expected = theirs("the red house", return_tensors=True)
    assert torch.allclose(ours, expected, atol=1e-5)
    picture = image.radial_gradient("L").convert("RGB")
    calls = ({"function_to_apply": name, "top_k": 7} for name in ("sigmoid", "none", "softmax"))
    same_as_theirs("image-classification", image_folder, *((picture, call) for call in calls))
    with pytest.raises(RegardError, match="nothing is fetched; got https"):
        regard.pipeline("image-classification", image_folder)("https://a/b.png")


def test_labels_of_ones_own_by_every_argument(folders: dict[str, Path]) -> None:
    task, text = "zero-shot-classification", "the red house near the river"
    ours, theirs = (
        make(task, str(folders[task])) for make in (regard.pipeline, transformers.pipeline)
    )
    for labels, options in (
        ("dog, house", {}),
        (["dog", "house", "river"], {"multi_label": True}),
        (["dog"], {"hypothesis_template": "the {} dog"}),
    ):
        assert close(ours(text, labels, **options), theirs(text, labels, **options))
        assert close(ours([text], labels, **options), theirs([text], labels, **options))
        assert ours(sequences=text, candidate_labels=labels, **options) == ours(
            text, labels, **options
        )
    labels = ["dog", "house"]
    assert ours(text, labels, multi_class=True) == ours(text, labels, multi_label=True)
    with pytest.raises(RegardError, match="labels must be words to choose among"):
        ours(text)


class Rows:
    """A data set by its length and items, which says what was read of it."""

    def __init__(self, items: list[Any]) -> None:
        self.items, self.read = items, 0

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Any:
        self.read += 1
        return self.items[place]


@pytest.mark.parametrize("task", ["text-classification", "fill-mask", "feature-extraction"])
def test_generators_and_data_sets_have_lazy_answers_as_theirs(
    task: str, folders: dict[str, Path]
) -> None:
    from transformers.pipelines.pt_utils import KeyDataset

    mask = "[MASK]" if task == "fill-mask" else "small"
    texts = [f"the {mask} {word}" for word in ("dog", "red house", "river in Vienna")]
    ours, theirs = (
        make(task, str(folders[task])) for make in (regard.pipeline, transformers.pipeline)
    )
    expected = list(theirs(text for text in texts))
    assert close(list(ours(text for text in texts)), expected)
    assert close(list(ours(KeyDataset([{"text": text} for text in texts], "text"))), expected)
    assert close(list(ours((text for text in texts), batch_size=2)), expected)
    rows = Rows(texts)
    answers = ours(rows)
    assert rows.read == 0
    assert close(next(answers), expected[0])
    assert rows.read == 1
    assert close(list(answers), expected[1:])


def test_written_texts_of_a_generator_are_lists_of_one(folders: dict[str, Path]) -> None:
    summarize = regard.pipeline("summarization", folders["summarization"], max_length=9)
    assert list(summarize(text for text in TEXTS)) == [[each] for each in summarize(TEXTS)]
    endless = ("the dog" for _ in iter(int, 1))
    assert next(summarize(endless)) == summarize("the dog")


def test_truncation_cuts_where_the_tokenizer_says(
    foreign: Callable[..., Any], tmp_path: Path
) -> None:
    theirs = foreign("t5", tmp_path)  # whose positions have no end
    long = "A man is looking at the dog . " * 30
    settings = tmp_path / "tokenizer_config.json"
    content = json.loads(settings.read_text()) if settings.exists() else {}
    settings.write_text(json.dumps(content | {"model_max_length": 23}))
    ours = regard.pipeline("text2text-generation", tmp_path)
    ids = ours.runner.source(ours.runner.read(long))
    cut = [*ids[:22], ids[-1]]  # the end of a text stays
    search = {"max_length": 20, "num_beams": 3, "no_repeat_ngram_size": 1}
    for options, read in (({"truncation": True}, cut), ({}, ids)):
        [found] = ours(long, return_tensors=True, **search, **options)
        assert found["generated_token_ids"].tolist()[1:] == theirs.generate(read, **search)
    assert theirs.generate(cut, **search) != theirs.generate(ids, **search)


def test_a_long_text_is_translated_in_parts_or_cut() -> None:
    german = regard.pipeline("translation_en_to_de")
    text = " ".join(f"I have {number} small dogs." for number in range(10, 99))
    whole, cut = (german(text, truncation=each)[0]["translation_text"] for each in (False, True))
    assert 0 < len(cut) < len(whole)


def test_answers_by_every_argument(folders: dict[str, Path]) -> None:
    ask = regard.pipeline("question-answering", folders["question-answering"])
    asked = {"question": "Where is the red house?", "context": CONTEXT}
    assert ask(asked, topk=3) == ask(asked, top_k=3)
    assert ask(X=asked) == ask(data=[asked]) == ask(asked)
    assert list(ask(each for each in [asked, asked])) == [ask(asked)] * 2
    [none] = [
        each for each in ask(asked, top_k=99, handle_impossible_answer=True) if not each["answer"]
    ]
    assert (none["start"], none["end"]) == (0, 0)
    pieces = {each["answer"] for each in ask(asked, top_k=99, align_to_words=False)}
    words = {each["answer"] for each in ask(asked, top_k=99)}
    assert pieces - words  # an answer that ends inside a word
    asked["question"] = "the red house"
    assert ask(asked, max_question_len=1) == ask(asked | {"question": "the"}) != ask(asked)
    with pytest.raises(RegardError, match="one for each question; got 1 for 2"):
        ask(question=["who?", "where?"], context=[CONTEXT])


def test_a_model_alone_says_what_it_is_for(folders: dict[str, Path]) -> None:
    pipe = regard.pipeline(model=folders["fill-mask"])
    assert (pipe.task, len(pipe("the [MASK] house"))) == ("fill-mask", 5)
    assert regard.pipeline(model=pipe.runner).runner is pipe.runner
    with pytest.raises(RegardError, match="a task or a model was expected"):
        regard.pipeline()
    with pytest.raises(
        RegardError,
        match=r"for summarization; got None\. To summarize, give summaries, or",
    ):
        regard.pipeline("summarization")


def test_a_dtype_is_what_computes_also_where_the_native_engine_would() -> None:
    exact = regard.pipeline("translation_en_to_de", torch_dtype="float64")
    assert exact.runner.computed_by == "torch"
    assert exact.runner.model.output_weight.dtype == torch.float64
    assert exact("Where is the station?") == [{"translation_text": "Wo ist der Bahnhof?"}]


def test_the_shipped_summarizer_takes_a_sentence_of_a_text_or_of_each_of_a_list() -> None:
    summarize = regard.pipeline("summarization", "summaries")
    sentences = ["The council met on Monday.", "It will build a bridge.", "Some are against it."]
    text = " ".join(sentences)
    [entry] = summarize(text)
    assert entry.keys() == {"summary_text"}
    assert entry["summary_text"] in sentences
    assert summarize([text, text]) == [entry, entry]
