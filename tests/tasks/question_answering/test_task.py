"""Answers, against transformers' model and every span of every window, one by one."""

import json

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.tasks.question_answering.task import Answerer, AnswerSettings

transformers = pytest.importorskip("transformers")

SHORT = ("Where is the house?", "Anna lives in the red house near the river in Vienna.")
LONG = ("Who sees it?", "The child likes the small dog, which sees Anna's old tree. " * 9)


@pytest.fixture(scope="module", params=["Bert", "Roberta", "DistilBert", "GPT2", "Llama", "Bart"])
def folder(request, encoder_folder):
    return encoder_folder(request.param, "ForQuestionAnswering")


@pytest.fixture(scope="module")
def answerer(encoder_folder):
    return Answerer.load(encoder_folder("Bert", "ForQuestionAnswering"))


def brute_force(folder, question, context, *, length, stride, longest):
    """({(start, end): best score}, probability of no answer), by definition."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    read = tokenizer(
        question, context, truncation="only_second", max_length=length, stride=stride,
        return_overflowing_tokens=True, return_offsets_mapping=True,
    )  # fmt: skip
    best, nothing = {}, 1.0
    for k in range(len(read["input_ids"])):
        names = [name for name in tokenizer.model_input_names if name in read]
        with torch.no_grad():
            output = model(**{name: torch.tensor([read[name][k]]) for name in names})
        inside = [position for position, s in enumerate(read.sequence_ids(k)) if s == 1]
        kept = [0, *inside] if read.sequence_ids(k)[0] is None else inside
        first = dict(zip(kept, output.start_logits[0, kept].softmax(0).tolist(), strict=True))
        last = dict(zip(kept, output.end_logits[0, kept].softmax(0).tolist(), strict=True))
        nothing = min(nothing, first.get(0, 0.0) * last.get(0, 0.0))
        for start in inside:
            for end in range(start, min(start + longest, inside[-1] + 1)):
                words = [read[k].word_ids[start], read[k].word_ids[end]]
                until = read.word_to_chars(k, words[1], 1)[1]
                text = context[read.word_to_chars(k, words[0], 1)[0] : until]
                if not text.strip():
                    continue  # a word of GPT-2 begins with the space before it
                place = (until - len(text.lstrip()), until)
                best[place] = max(first[start] * last[end], best.get(place, 0.0))
    return best, nothing


@pytest.mark.parametrize("question", [SHORT, LONG], ids=["one window", "many windows"])
def test_answers_are_the_best_of_all_spans(folder, question):
    ours = Answerer.load(folder)
    (found,) = ours.run([question], top_k=5, max_seq_len=40, doc_stride=11, max_answer_len=4)
    spans, _ = brute_force(folder, *question, length=40, stride=11, longest=4)
    expected = sorted(spans.values(), reverse=True)[:5]
    assert [answer.score for answer in found] == pytest.approx(expected, abs=1e-5)
    for answer in found:
        assert answer.score == pytest.approx(spans[answer.start, answer.end], abs=1e-5)
        assert answer.text == question[1][answer.start : answer.end]
    assert ours(*question, max_seq_len=40, doc_stride=11, max_answer_len=4) == found[0].text


def test_no_answer_is_as_likely_as_the_most_doubtful_window_says(folder):
    options = dict(max_seq_len=40, doc_stride=11)
    (found,) = Answerer.load(folder).run([LONG], top_k=9999, or_none=True, **options)
    _, nothing = brute_force(folder, *LONG, length=40, stride=11, longest=15)
    (empty,) = (answer for answer in found if not answer.text)
    assert (empty.start, empty.end) == (0, 0)
    assert empty.score == pytest.approx(nothing, abs=1e-6)


def test_company_changes_nothing(answerer):
    alone = [answerer.run([question])[0][0] for question in (LONG, SHORT)]
    done = []
    together = answerer.run([LONG, SHORT], batch_size=3, progress=done.append)
    assert sum(done) == 2
    for (found,), expected in zip(together, alone, strict=True):
        assert (found.start, found.end) == (expected.start, expected.end)
        assert found.score == pytest.approx(expected.score, abs=1e-6)
    assert answerer([LONG, SHORT]) == [answer.text for answer in alone]


def test_an_answer_is_no_longer_than_asked_for(answerer):
    (found,) = answerer.run([SHORT], top_k=9999, max_answer_len=1)
    assert all(len(answer.text.split()) == 1 for answer in found)
    assert len(found) == len({(answer.start, answer.end) for answer in found})


@pytest.mark.parametrize(
    ("question", "context", "message"),
    [
        ("", "a text", "a question must contain words; got ''"),
        ("who?", " \n", r"a context must contain words; got ' \\n'"),
        ("who sees the dog " * 30, "the dog", "must leave more than 33 of 67 tokens"),
    ],
)
def test_what_cannot_be_answered_is_refused(answerer, question, context, message):
    with pytest.raises(RegardError, match=message):
        answerer(question, context)


@pytest.mark.parametrize("option", ["top_k", "max_answer_len"])
def test_limits_are_at_least_one(answerer, option):
    with pytest.raises(RegardError, match=f"{option} must be at least 1; got 0"):
        answerer(*SHORT, **{option: 0})


@pytest.mark.parametrize(
    ("question", "context"),
    [("मेरा घर कहाँ है?", "The house is small."), ("Where?", "घर छोटा है।")],
)
def test_another_script_is_refused_unless_forced(question: str, context: str) -> None:
    answerer = regard.load("answers")
    with pytest.raises(
        RegardError, match=r"answers cannot read this (question|context): its vocab"
    ):
        answerer.run([(question, context)])
    assert answerer.run([(question, context)], force=True)[0].answers


def test_a_long_text_is_read_at_the_width_of_the_model(answerer):
    assert np.isfinite(answerer.run([LONG])[0][0].score)  # 384 is more than its 67 positions


def test_a_long_context_is_read_in_linear_time(answerer, lists_read):
    names = lists_read(answerer.tokenizer)
    answerer.run([("who sees the dog", "the red house " * 5)])
    short = len(names)
    answerer.run([("who sees the dog", "the red house " * 500)])
    assert len(names) == 2 * short <= 20


def test_the_question_that_is_refused_is_counted(answerer):
    with pytest.raises(RegardError) as refused:
        answerer.run([SHORT, ("", "a text")])
    assert refused.value.index == 1


def with_settings(folder, tmp_path, settings):
    """A copy of the folder whose config.json has these settings."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    config["task_specific_params"] = {"question-answering": settings}
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


def test_the_models_settings_are_the_defaults(folder, tmp_path):
    plain = Answerer.load(folder)
    (found,) = plain.run([LONG], max_seq_len=40, doc_stride=11, max_answer_len=4)
    chosen = {"max_answer_len": 4, "max_seq_len": 40, "doc_stride": 11, "length_penalty": 2.0}
    own = Answerer.load(with_settings(folder, tmp_path, chosen))
    assert own.run([LONG])[0] == found
    asked = {"max_answer_len": 1, "top_k": 9999}
    (fewer,) = own.run([LONG], **asked)
    assert [fewer] == plain.run([LONG], max_seq_len=40, doc_stride=11, **asked)
    assert fewer != own.run([LONG], top_k=9999)[0]


def test_a_stored_threshold_decides_and_can_be_overridden(folder, tmp_path):
    ((best,),) = Answerer.load(folder).run([SHORT])
    for name, threshold in (("below", best.margin - 0.1), ("above", best.margin + 0.1)):
        copy = tmp_path / name
        copy.mkdir()
        own = Answerer.load(with_settings(folder, copy, {"no_answer_threshold": threshold}))
        assert own(*SHORT) == (best.text if name == "below" else "")
        assert own(*SHORT, or_none=False) == best.text
        assert own.settings.for_config()["task_specific_params"]["question-answering"] == {
            "max_answer_len": 15, "max_seq_len": 384, "doc_stride": 128,
            "no_answer_threshold": threshold,
        }  # fmt: skip


def test_transformers_opens_a_folder_with_settings(answerer, encoder_folder, tmp_path):
    folder = encoder_folder("Bert", "ForQuestionAnswering")
    own = with_settings(folder, tmp_path, {"no_answer_threshold": 0.5, "max_answer_len": 3})
    transformers.AutoModelForQuestionAnswering.from_pretrained(own)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_answer_len": "3"}, "max_answer_len of .* must be a number; it is '3'"),
        ({"doc_stride": True}, "doc_stride of .* must be a number; it is True"),
        ({"max_seq_len": 0}, "max_seq_len must be at least 1; got 0"),
        ({"doc_stride": -1}, "doc_stride must be at least 0; got -1"),
    ],
)
def test_damaged_settings_are_refused(folder, tmp_path, settings, message):
    with pytest.raises(RegardError, match=message):
        Answerer.load(with_settings(folder, tmp_path, settings))


def test_settings_out_of_range_are_refused():
    with pytest.raises(RegardError, match="max_answer_len must be at least 1; got 0"):
        AnswerSettings(max_answer_len=0)


@pytest.mark.parametrize("family", ["GPT2", "Bart"])
def test_a_trace_names_where_a_model_that_could_write_finds_the_answer(family, encoder_folder):
    ours = Answerer.load(encoder_folder(family, "ForQuestionAnswering"))
    trace = ours.trace(*SHORT)
    axis = "source" if family == "Bart" else "tokens"
    with torch.no_grad():
        ids = torch.tensor([ours.tokenizer.inputs(*SHORT).ids])
        inputs = {"source": ids, "target": ids} if family == "Bart" else {"ids": ids}
        first = int(ours.model(**inputs)[0, :, 0].argmax())
    assert f"the answer begins with: {trace.axes[axis].tokens[first]} " in trace.notes[0]


def test_without_a_special_token_in_front_the_margin_is_over_the_first_token(encoder_folder):
    ours = Answerer.load(encoder_folder("GPT2", "ForQuestionAnswering"))
    [[found]] = ours.run([SHORT])
    with torch.no_grad():
        logits = ours.model(torch.tensor([ours.tokenizer.inputs(*SHORT).ids]))[0]
    assert np.isfinite(found.margin)
    assert found.margin <= float(logits.max(0).values.sum() - logits[0].sum()) + 1e-5
