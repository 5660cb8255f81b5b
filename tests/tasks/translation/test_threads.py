"""Several threads on one translator get what each would get alone."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from regard.course.words.states import Occurrence, WordReader
from regard.tasks.translation.task import Translator

TEXTS = ["the old dog sees a tree.", "a child likes the red house and the dog.", "the small tree."]


def translate(translator: Translator) -> Any:
    return [(each.text, each.score) for each in translator.run(TEXTS, num_beams=3)]


def align(translator: Translator) -> Any:
    results = translator.run(TEXTS, alignment="output")
    return [(each.text, each.source_words, each.alignment.tolist()) for each in results]


def trace(translator: Translator) -> Any:
    traced = translator.trace(TEXTS[1], num_beams=2)
    weights = {name: tap.weights().tolist() for name, tap in traced.items()}
    return weights, traced.axes, traced.generation, traced.output.tolist()


def represent(translator: Translator) -> Any:
    reader = WordReader(translator.model, translator.tokenizers.source, name="made up")
    states = reader.states([Occurrence(TEXTS[0], 8, 11), Occurrence(TEXTS[1], 37, 40)])
    return {layer: each.tolist() for layer, each in states.items()}


TASKS = [translate, align, trace, represent]


@pytest.mark.long("four threads take 32 turns")
def test_threads_on_one_translator_get_what_each_would_get_alone(translator: Translator):
    alone = [task(translator) for task in TASKS]

    def work(thread: int) -> list[Any]:
        turns = [(turn + thread) % len(TASKS) for turn in range(2 * len(TASKS))]
        return [(turn, TASKS[turn](translator)) for turn in turns]

    with ThreadPoolExecutor(4) as pool:
        for results in pool.map(work, range(4)):
            for turn, result in results:
                assert result == alone[turn], TASKS[turn].__name__
