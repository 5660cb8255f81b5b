"""Continuous batching: requests share steps, and none of them changes another."""

import random
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import regard
from regard.errors import BadArgumentError, UnavailableError
from regard.http.refusals import Busy, TooLate
from regard.serving.decoding import Decode, Decoding
from regard.serving.jobs import Line
from regard.serving.limits import Limits
from regard.serving.metrics import Metrics, ModelMetrics
from regard.serving.served import Model
from regard.serving.work import Texts, Work
from regard.serving.written import Prompts

SENTENCES = [
    "Tom is reading a book.", "The house is small, but it has a large garden.", "Good morning!",
    "Where is the station?", "I would like to drink a cup of tea with my friends.",
    "She didn't know what to say, so she said nothing at all.", "Yes.", "Who are you?",
    "The children are playing in the garden behind the old house.", "It is raining.",
    "We have to leave early tomorrow morning because the train departs at six.",
    "He gave me his address and his telephone number.", "Do you speak German?", "Stop!",
    "My father taught me how to swim when I was seven years old.", "I forgot my umbrella.",
    "There is a cat under the table.", "Nothing happened.", "The price of oil is going up.",
    "If it does not rain tomorrow, we will go to the mountains.", "I am tired.", "Help me!",
    "This book is much more interesting than that one.", "Let's go.", "What time is it now?",
    "The doctor advised him to stop smoking and to drink less coffee.", "Mary can't swim.",
    "You should have said the truth about what happened last night.", "I love you.",
    "In spring the days become longer.",
]  # fmt: skip
LIMITS = Limits()


@pytest.fixture(scope="module")
def translator() -> Any:
    return regard.load("en-de").run_by("native", precision="int8")


@pytest.fixture(scope="module")
def writer() -> Any:
    return regard.load("shakespeare").run_by("native")


class Asked:
    """The work of a request with all its jobs."""

    def __init__(self, work: Work):
        self.work, self.jobs = work, list(work)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.work, name)


def put(shared: Decoding, jobs: list[Any]) -> Line[Any]:
    """Has jobs wait, as one request."""
    line = shared.waiting.join(len(jobs))
    line.put(jobs)
    return line


def decoding(
    task: Any, *, waiting: int = 500, rows: int = 16, kept: int = 4, threads: int = 2
) -> Decoding:
    return Decoding(
        task.packed,
        name="model",
        waiting=waiting,
        rows=rows,
        kept=kept,
        threads=threads,
        metrics=Metrics().of_model("model"),
    )


@pytest.fixture(scope="module")
def shared(translator: Any) -> Iterator[Decoding]:
    found = decoding(translator)
    yield found
    found.close()


def texts(task: Any, sentences: list[str], seconds: float = 60.0, **options: Any) -> Any:
    return Asked(Texts(task, sentences, LIMITS, options=options, seconds=seconds))


def results(shared: Decoding, work: Any) -> list[Any]:
    put(shared, work.jobs)
    return [job.future.result(30) for job in work.jobs]


def test_a_translation_is_the_same_alone_and_in_random_company(
    translator: Any, shared: Decoding
) -> None:
    settings = [dict(num_beams=1), dict(num_beams=5), dict(num_beams=4, alternatives=2)]
    draw = random.Random(7)
    asked = [(sentence, draw.choice(settings)) for sentence in SENTENCES]
    alone = [results(shared, texts(translator, [text], **options))[0] for text, options in asked]
    order = list(range(len(asked))) * 2
    draw.shuffle(order)
    found: dict[int, Any] = {}

    def client(numbers: list[int]) -> None:
        for number in numbers:
            text, options = asked[number]
            [found[number]] = results(shared, texts(translator, [text], **options))

    clients = [threading.Thread(target=client, args=(order[k::6],)) for k in range(6)]
    for each in clients:
        each.start()
    for each in clients:
        each.join(30)
    assert [found[number] for number in range(len(asked))] == alone  # scores, too, bit for bit


def test_it_writes_what_the_translator_writes(translator: Any, shared: Decoding) -> None:
    work = texts(translator, SENTENCES, num_beams=1)
    expected = translator.run(SENTENCES, num_beams=1)
    got = list(work.results(results(shared, work)))
    assert [(each.text, each.tokens) for each in got] == [
        (each.text, each.tokens) for each in expected
    ]


def test_a_long_text_is_put_together_from_its_parts(translator: Any, shared: Decoding) -> None:
    long = " ".join(SENTENCES * 3)
    work = texts(translator, [long, "", "Yes."], num_beams=1)
    assert len(work.jobs) > 3
    got = list(work.results(results(shared, work)))
    assert [each.text for each in got] == translator([long, "", "Yes."], num_beams=1)


def test_a_sample_depends_on_its_seed_and_not_on_its_company(writer: Any) -> None:
    shared, limits = decoding(writer, threads=1), Limits()
    model = Model("shakespeare", writer, shared, limits)

    def work(prompts: list[str], **options: Any) -> Any:
        return Asked(Prompts(model, prompts, options=dict(max_new_tokens=24, seed=5) | options))

    prompts = ["ROMEO:", "JULIET:\nO", "KING", "First Citizen:\nBefore we proceed any further"]
    together = results(shared, work(prompts))
    for number, prompt in enumerate(prompts):
        # A prompt's place in its request sets its random numbers apart.
        alone = work([prompt])
        alone.jobs = [
            Decode(alone.ready[0].ids, alone.ready[0].config, limits.deadline(), number=number)
        ]
        assert results(shared, alone) == [together[number]]
    several = results(shared, work(prompts[:1], alternatives=3))
    assert several[0][0] == together[0][0]
    assert len({each.tokens for each in several[0]}) == 3
    texts = [result.text for result in writer.run(prompts, max_new_tokens=24, seed=5)]
    pairs = work(prompts).pairs(together)
    assert [ready.result(found[0]).text for ready, found in pairs] == texts
    shared.close()


def test_a_cancelled_text_leaves_and_the_others_go_on(translator: Any, until: Any) -> None:
    shared = decoding(translator, rows=8, threads=1)
    slow = texts(translator, SENTENCES * 16, num_beams=4, min_new_tokens=200)  # for long
    put(shared, slow.jobs)
    for job in slow.jobs:
        job.future.cancel()
    quick = texts(translator, ["Yes."], num_beams=1)
    assert next(quick.results(results(shared, quick))).text == translator("Yes.", num_beams=1)
    until(lambda: shared.used == 0)
    shared.close()


def test_a_text_whose_time_is_over_is_refused(translator: Any, until: Any) -> None:
    shared = decoding(translator, rows=8, threads=1)
    slow = texts(translator, SENTENCES * 4, seconds=0.05, num_beams=4, min_new_tokens=200)
    put(shared, slow.jobs)
    with pytest.raises(TooLate, match="exceeded the time limit"):
        slow.jobs[-1].future.result(20)
    until(lambda: shared.used == 0)
    shared.close()


def test_a_full_queue_refuses_and_says_when_to_come_again(translator: Any) -> None:
    shared = decoding(translator, waiting=8, rows=8, threads=1)
    first = shared.waiting.join(4)
    with pytest.raises(Busy, match=r"of 8 texts waiting for .*; retry in \d+ s") as refused:
        shared.waiting.join(4)  # half of what is left
    assert refused.value.seconds >= 1
    first.leave()
    assert len(shared.waiting) == 0
    shared.close()
    with pytest.raises(UnavailableError, match="the server is ending"):
        shared.waiting.join(1)


def test_a_short_text_does_not_wait_for_long_ones(
    translator: Any, until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = list[int]()
    monkeypatch.setattr(ModelMetrics, "stepped", lambda self, rows, _: together.append(rows))
    shared = decoding(translator, rows=8, kept=4, threads=1)
    whole, text = translator.decoding_by(whole=True), " ".join(SENTENCES[:12])
    line = put(shared, texts(whole, [text] * 400, num_beams=4, min_new_tokens=200).jobs)
    until(lambda: shared.used == 4)  # the other rows are kept
    quick = texts(translator, ["Yes."], num_beams=4)
    assert next(quick.results(results(shared, quick))).text == translator("Yes.", num_beams=4)
    assert max(together) > 4  # beside a long one
    line.leave()
    shared.close()


def test_what_waits_is_still_answered_when_it_closes(translator: Any) -> None:
    shared = decoding(translator, rows=8, threads=1)
    work = texts(translator, SENTENCES, num_beams=1)
    put(shared, work.jobs)
    shared.close()
    assert all(job.future.result(0) for job in work.jobs)


def test_a_failure_of_the_model_refuses_what_runs_and_the_next_is_answered(
    translator: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shared, work = decoding(translator, threads=1), texts(translator, SENTENCES[:3], num_beams=1)

    def fail(*arguments: Any) -> Any:
        raise MemoryError("of a test")

    with monkeypatch.context() as broken:
        broken.setattr("regard.engine.native.jobs.hypotheses_of", fail)
        with pytest.raises(RuntimeError, match="the model failed; the server's log says why"):
            results(shared, work)
    assert "a step failed" in caplog.text
    assert results(shared, texts(translator, ["Yes."], num_beams=1))
    shared.close()


def test_a_limit_of_tokens_is_a_limit() -> None:
    config = regard.load("en-de").generation
    limits = Limits(new_tokens=40)
    assert limits.configured(config, None).max_new_tokens == 40
    assert limits.configured(config.updated(max_new_tokens=7), 7).max_new_tokens == 7
    with pytest.raises(BadArgumentError, match="max_new_tokens may be 40 on this server; got 41"):
        limits.configured(config, 41)
    with pytest.raises(BadArgumentError, match="num_beams and alternatives may be 6 on"):
        Limits(rows=8).configured(config.updated(num_beams=7), None)
    with pytest.raises(BadArgumentError, match="rows must be at least 1; got 0"):
        Limits(rows=0)
