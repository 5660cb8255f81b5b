"""Several threads on one transformers model: each trace is of the run of its own thread."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import regard
from regard.inspection.huggingface import TracedModel, load_for_tracing
from regard.inspection.huggingface.interface import quiet

transformers = pytest.importorskip("transformers", reason="transformers is an optional extra")


def contents(trace):
    """Whatever a trace says of its run: taps and what they hold, axes, notes."""
    taps = [
        (name, tap.notes, *(t.tolist() for t in (tap.query, tap.key, tap.value, tap.output_weight)))
        for name, tap in trace.items()
    ]
    return taps, trace.axes, trace.notes, trace.output.logits.tolist()


@pytest.mark.parametrize("name", ["GPT-2", "T5"])
def test_a_thread_that_only_runs_the_model_is_not_in_a_trace(family, name):
    model, inputs = family(name)
    other = {key: each.flip(0) for key, each in inputs.items()}
    traced = contents(regard.trace(model, **inputs))
    with torch.no_grad():
        untraced = model(**other).logits
    done = threading.Event()

    def run():
        while not done.is_set():
            with torch.no_grad():
                assert torch.equal(model(**other).logits, untraced)

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(run) for _ in range(3)]
        try:
            for _ in range(15):
                assert contents(regard.trace(model, **inputs)) == traced
        finally:
            done.set()
        for each in running:
            each.result()


def test_threads_that_write_and_trace_give_what_each_gives_alone(folder):
    model = load_for_tracing(folder("GPT-2"))
    texts = ["the cat sat", "a mat on the cat", "cat", "on a mat sat the cat ."]

    def trace(text):
        traced = model.trace(text, generate=5)
        return contents(traced), traced.generation

    expected = [trace(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(trace, texts * 3)) == expected * 3


def test_a_tokenizer_that_changes_itself_reads_one_text_at_a_time(folder):
    opened = load_for_tracing(folder("Marian"))
    reader, entered = opened.reader, threading.Barrier(2)

    class Switching:
        """As Marian's and NLLB's: in the language of the source, or of the target."""

        reading = 0

        def __call__(self, *text, **options):
            self.reading += 1
            try:
                entered.wait(0.2)  # broken unless another thread comes in meanwhile
            except threading.BrokenBarrierError:
                entered.reset()
            assert self.reading == 1
            self.reading -= 1
            return reader(*text, **options)

    model = TracedModel(opened.model, Switching(), opened.task, name="switching")
    with ThreadPoolExecutor(2) as pool:
        read = pool.submit(model.read, "the cat")
        written = pool.submit(model.written, "Die Katze", 9)
        assert read.result()["input_ids"].shape[1] == len(written.result()) == 3


def test_transformers_is_quiet_until_the_last_thread_has_done_and_then_as_it_was():
    logging = transformers.utils.logging
    before = logging.get_verbosity()
    logging.set_verbosity_warning()
    try:
        first, second = quiet(), quiet()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert logging.get_verbosity() == logging.ERROR
        second.__exit__(None, None, None)
        assert logging.get_verbosity() == logging.WARNING
    finally:
        logging.set_verbosity(before)
