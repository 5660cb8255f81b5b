"""Texts that come and go in the engine's threads: none changes a bit of another."""

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fixtures.covering import parametrize
from fixtures.families import VOCAB, small
from regard import RegardError
from regard.engine.native import library
from regard.engine.native.interface import ASKED, BEGUN, ENDED, FAILED, STEPPED, TOKEN
from regard.engine.native.jobs import Event, Jobs
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig
from regard.generation.search import Asked, NBest, search
from regard.progress import Stopped

LONGEST = 64


def opened(family: str, precision: str = "fp32") -> Any:
    return open_native(small(family, max_positions=LONGEST), precision)


def texts(count: int, longest: int = 40) -> list[np.ndarray]:
    draw = np.random.default_rng(5)
    return [draw.integers(2, VOCAB, draw.integers(1, longest + 1)) for _ in range(count)]


def settings(draw: random.Random) -> GenerationConfig:
    beams = draw.choice([1, 1, 2, 5])
    return GenerationConfig(
        max_new_tokens=draw.randint(1, 14), num_beams=beams, alternatives=draw.randint(1, beams),
        eos_token_id=1, no_repeat_ngram_size=draw.choice([0, 2]), decoder_start_token_id=0,
    )  # fmt: skip


def alone(native: Any, ids: np.ndarray, config: GenerationConfig) -> Any:
    if hasattr(native, "prompts"):
        return native.generate(ids[None], config)[0]
    return native.generate(ids[None], config.start(1).numpy(), config)[0]


class Running:
    """Jobs, and what has become of them."""

    def __init__(self, native: Any, **limits: int):
        self.jobs = Jobs(native, **dict(threads=2, rows=16) | limits)
        self.over: dict[int, Any] = {}
        self.events: list[Event] = []
        self.searches: dict[int, Any] = {}

    def add(self, ids: np.ndarray, config: GenerationConfig, **options: Any) -> int:
        return self.jobs.add(ids, config, start=0, **options)

    def search(self, ids: np.ndarray, config: GenerationConfig, start: Any) -> int:
        """As `add`, of a text whose tokens are chosen by the search in Python."""
        results = [NBest(config)]
        steps = search(start[None], config, [(0, 0)], results, ends=lambda tokens: False)
        number = self.add(ids, config, asked=next(steps))
        self.searches[number] = steps, results[0]
        return number

    def poll(self, seconds: float = 0.0) -> bool:
        events = self.jobs.poll(seconds)
        for event in events or []:
            self.events.append(event)
            if event.kind in (ENDED, FAILED):
                assert event.job not in self.over
                self.over[event.job] = event.value
            elif event.kind == ASKED:
                steps, result = self.searches[event.job]
                try:
                    self.jobs.answer(event.job, steps.send(event.value))
                except StopIteration:
                    self.over[event.job] = result.hypotheses
                    self.jobs.cancel(event.job)
        return events is not None

    def wait(self, *numbers: int) -> list[Any]:
        end = time.monotonic() + 60
        while not all(number in self.over for number in numbers):
            assert time.monotonic() < end
            self.poll(0.1)
        return [self.over[number] for number in numbers]

    def of(self, number: int, kind: int) -> list[Any]:
        return [each.value for each in self.events if (each.job, each.kind) == (number, kind)]


@parametrize(
    "family, precision",
    ["mbart", "t5", "llama", "gpt2", "gpt_oss"],
    library.PRECISIONS,
    strength=1,
)
def test_a_text_has_the_same_bits_whoever_comes_and_goes(family: str, precision: str) -> None:
    native, draw = opened(family, precision), random.Random(7)
    asked = [(ids, settings(draw)) for ids in texts(30)]
    starts = [ids if hasattr(native, "prompts") else np.array([0]) for ids, _ in asked]
    expected = [alone(native, *each) for each in asked]
    first = Running(native)  # the search in Python adds in another order
    searched = [
        first.wait(first.search(*each, start))[0] for each, start in zip(asked, starts, strict=True)
    ]
    running = Running(native, tokens=16, rows=10, kept=2, short=9)
    numbers, unwanted = dict[int, Any](), list[int]()
    order = list(range(len(asked))) * 3
    draw.shuffle(order)
    for place, index in enumerate(order):
        ids, config = asked[index]
        if draw.random() < 0.2:
            unwanted.append(running.add(ids, config, line=place % 5))
        if draw.random() < 0.3:
            numbers[running.search(ids, config, starts[index])] = searched[index]
        else:
            number = running.add(ids, config, line=place % 5, streams=True)
            numbers[number] = expected[index]
        running.poll(draw.choice([0, 0, 0.002]))
        if unwanted and draw.random() < 0.3:
            running.jobs.cancel(unwanted.pop(draw.randrange(len(unwanted))))
    found = running.wait(*numbers)
    assert found == list(numbers.values())
    sizes = [rows for event in running.events if event.kind == STEPPED for rows in event.value[:1]]
    assert max(sizes) > 5  # they did have company
    for number in numbers:
        assert len(running.of(number, BEGUN)) == 1
        if tokens := running.of(number, TOKEN):
            assert tuple(tokens) == running.over[number][0].tokens[: len(tokens)]
    running.jobs.close()


def test_tokens_come_as_they_are_chosen() -> None:
    native, [ids] = opened("llama"), texts(1)
    config = GenerationConfig(max_new_tokens=50)
    running = Running(native, threads=1)
    number = running.add(ids, config, streams=True)
    while not running.of(number, TOKEN):
        running.poll(0.1)
    [hypotheses] = running.wait(number)
    kinds = [event.kind for event in running.events if event.job == number]
    assert kinds == [BEGUN, *[TOKEN] * 49, ENDED]
    assert running.of(number, TOKEN) == list(hypotheses[0].tokens[:-1])


def test_lines_take_turns_and_short_texts_do_not_wait_for_long_ones() -> None:
    native, config = opened("gpt2"), GenerationConfig(max_new_tokens=30)
    long, short = texts(1, 40)[0], np.array([5, 9])
    running = Running(native, threads=1, rows=3, kept=1, short=4)
    first = running.search(long, config.updated(num_beams=2), long)  # rests until all have come
    many = [running.add(long, config, line=1) for _ in range(6)]
    other = running.add(long, config, line=2)
    quick = running.add(short, config, line=1)
    running.wait(first, *many, other, quick)
    begun = [event.job for event in running.events if event.kind == BEGUN]
    assert begun.index(other) < begun.index(many[-1])  # before the end of the line that came first
    assert begun.index(other) < begun.index(quick)  # which waits for its own line
    with pytest.raises(RegardError, match="a text may have 2 rows; got 3"):
        running.add(long, config.updated(num_beams=3))


def test_a_text_that_is_late_or_unwanted_leaves_and_the_others_go_on() -> None:
    native, source = opened("t5"), texts(1)[0]
    slow = GenerationConfig(max_new_tokens=100_000, num_beams=5, decoder_start_token_id=0)
    running = Running(native, threads=1, rows=12)
    unwanted, late, waiting = (running.add(source, slow, seconds=each) for each in (1e9, 0.05, 0.0))
    while not running.of(unwanted, BEGUN):
        running.poll(0.1)
    running.jobs.cancel(unwanted)
    assert all(isinstance(error, library.Late) for error in running.wait(late, waiting))
    config = slow.updated(max_new_tokens=4)
    assert running.wait(running.add(source, config)) == [alone(native, source, config)]
    assert unwanted not in running.over
    end = time.monotonic() + 20
    while running.jobs.counts() != (0, 0):
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (lambda jobs, config: jobs.add(np.array([5, 31]), config, start=0), "not in the vocab"),
        (lambda jobs, config: jobs.add(np.array([-1]), config, start=0), "not in the vocabulary"),
        (lambda jobs, config: jobs.add(np.array([5]), config, start=31), "not in the vocabulary"),
        (lambda jobs, config: jobs.add(np.ones(65), config, start=0), "a sequence of 65"),
        (lambda jobs, config: jobs.add(np.ones(2), config.updated(num_beams=17), start=0), "rows"),
    ],
)
def test_what_cannot_be_computed_is_refused_at_once(
    add: Callable[[Jobs, GenerationConfig], int], message: str
) -> None:
    running, config = Running(opened("mbart")), GenerationConfig(max_new_tokens=4)
    with pytest.raises(RegardError, match=message):
        add(running.jobs, config)


def test_a_text_that_fails_takes_no_other_with_it() -> None:
    native, source = opened("mbart"), texts(1)[0]
    config = GenerationConfig(max_new_tokens=60, decoder_start_token_id=0)
    running = Running(native, threads=1)
    too_long = running.add(source, config.updated(max_new_tokens=65))
    impossible = running.add(source, config.updated(bad_words_ids=[[each] for each in range(31)]))
    good = running.add(source, config)
    first, second, third = running.wait(too_long, impossible, good)
    assert "the model has 64 positions; got a sequence of 65" in str(first)
    assert "at least one token must be possible" in str(second)
    assert third == alone(native, source, config)


def test_an_answer_must_fit_its_question() -> None:
    running, source = Running(opened("mbart")), texts(1)[0]
    config = GenerationConfig(max_new_tokens=4, num_beams=2)
    first = Asked(None, np.array([0]), None)
    number = running.add(source, config, asked=first)
    while not (event := [each for each in running.jobs.poll(0.1) or [] if each.kind == ASKED]):
        pass
    assert event[0].value[0].shape == (1, VOCAB)
    for rows, tokens, message in (
        (None, [3, 4], "a token for each row"),
        ([0, 0, 0], [3, 4, 5], "a token for each row"),
        ([0, 1], [3, 4], "not there"),
        ([0], [31], "not in the vocabulary"),
    ):
        chosen = None if rows is None else np.array(rows)
        with pytest.raises(RegardError, match=message):
            running.jobs.answer(number, Asked(chosen, np.array(tokens), None))
    running.jobs.answer(number, Asked(np.array([0, 0]), np.array([3, 4]), 5))
    with pytest.raises(RegardError, match="not asked about"):
        running.jobs.answer(number, Asked(None, np.array([3, 4]), None))
    while not (event := [each for each in running.jobs.poll(0.1) or [] if each.kind == ASKED]):
        pass
    assert [part.shape for part in event[0].value] == [(2, 5), (2, 5)]
    running.jobs.close()


def test_what_waits_is_still_done_at_the_end() -> None:
    native, sources = opened("mbart"), texts(9)
    config = GenerationConfig(max_new_tokens=5, decoder_start_token_id=0)
    running = Running(native, threads=1, rows=4)
    numbers = [running.add(each, config) for each in sources]
    running.jobs.finish()
    with pytest.raises(Stopped):
        running.add(sources[0], config)
    while running.poll(0.1):
        pass
    assert [running.over[number] for number in numbers] == [
        alone(native, each, config) for each in sources
    ]
