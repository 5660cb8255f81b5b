"""Looking into a run of the native engine: its cost, how near its maps are to torch's, and a tile.

    python benchmarks/looking.py [--rounds 100]

A run of each shipped model, and of a decoder of GPT-2's size with random weights, is looked at as a
trace does and not, turn by turn, with the same output to the bit. What the run itself takes longer
is that its queries, keys and values are kept. What is done afterwards is shown beside it: the
records of its attentions, made when the trace is, and the first map of a head that is read. A trace
is that of a text, as a user asks for it: what a translator writes is searched for first. The
weights of its maps are compared with those of torch's trace of the same text, in fp32. A tile is
256 x 256 cells in the middle of a map of 4,096 positions, by the one definition of a record, on
numpy's arrays and on torch's.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from regard.attention import Causal, scaled_dot
from regard.attention.record import Attention, Call
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.inspection.recording import Recorder
from regard.inspection.tap import Tap
from regard.models import Decoder, decoder_preset
from regard.tasks.looking import open_for_looking

TEXTS = {
    "en-de": "I would like to drink a cup of tea with my friends.",
    "shakespeare": "ROMEO: What light through yonder window breaks?",
    "emotions": "I love it so much!",
    "minilm": "The animal didn't cross the street because it was too tired.",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    titles = ("unlooked ms", "looked ms", "cost", "records ms", "first map ms")
    titles += ("trace ms", "difference")
    print(f"{'model':20}" + "".join(f"{title:>13}" for title in titles))
    for name, text in TEXTS.items():
        engine: Any = open_for_looking(name)
        trace, other = engine.trace(text), engine.run_by("torch").trace(text)
        difference = max(
            float(abs(trace[tap].weights() - other[tap].weights().numpy()).max()) for tap in trace
        )
        ids = dict(trace.read)
        model = engine.engine.seen(engine.handle)
        if "target" in ids:
            ids["target"] = np.array([trace.output_ids])
        inputs = {"ids": ids["tokens"]} if "tokens" in ids else ids
        seconds = in_turn({"trace": lambda: engine.trace(text)}, rounds)["trace"]  # noqa: B023
        whole = f"{1000 * statistics.median(seconds):13.3f}"
        compare(name, model, inputs, rounds, f"{whole}{difference:13.1e}")
    torch.manual_seed(0)
    large = Decoder(decoder_preset("gpt2", vocab_size=50_257)).eval()
    packed = seen(open_native(large, threads=1), large)
    for length in (128, 1024):
        ids = np.random.default_rng(0).integers(0, 50_257, (1, length))
        compare(f"GPT-2, {length} tokens", packed, {"ids": ids}, max(3, rounds // 50))
    tiles(rounds)


def compare(name: str, model: Any, inputs: dict[str, Any], rounds: int, more: str = "") -> None:
    """One line: the same run, looked at as a trace does, and not."""
    rows = []
    for _ in range(rounds + 1):
        model(**inputs)  # so that both that follow come after the same
        times = [time.perf_counter()]
        unlooked = model(**inputs)
        times.append(time.perf_counter())
        with model.keeping("auto") as kept:
            looked = model(**inputs)
        times.append(time.perf_counter())
        taps = records(model, kept)
        times.append(time.perf_counter())
        next(iter(taps.values())).weights(head=0)
        times.append(time.perf_counter())
        assert np.array_equal(unlooked, looked)
        del kept, taps  # whose memory is the next one's
        rows.append(np.diff(times))
    plain, seen_run, *later = 1000 * np.median(rows[1:], 0)
    cost = f"{seen_run / plain - 1:+.1%}"
    numbers = "".join(f"{value:13.3f}" for value in later)
    print(f"{name:20}{plain:13.3f}{seen_run:13.3f}{cost:>13}{numbers}{more}")


def records(model: Any, kept: Any) -> dict[str, Tap]:
    recorder = Recorder()
    model.tell(kept, lambda path, call: _add(recorder, path, call))
    return recorder.taps


def _add(recorder: Recorder, path: str, call: Call) -> None:
    recorder.add(path, call, queries="", keys="", kind="self")


def tiles(rounds: int) -> None:
    """One line: a tile on arrays of numpy and on tensors of torch."""
    x = np.random.default_rng(0).standard_normal((3, 1, 1, 4096, 64), np.float32)
    milliseconds = {}
    for name, arrays in (("numpy", list(x)), ("torch", list(torch.from_numpy(x)))):
        record = Attention(*arrays, scaled_dot, Causal(), None)
        count = np.arange if name == "numpy" else torch.arange
        rows, columns = count(2048, 2304), count(1024, 1280)
        lse = record.lse(rows)
        run = {name: lambda r=record, a=rows, b=columns, c=lse: r.weights(a, b, lse=c)}
        milliseconds[name] = 1000 * statistics.median(in_turn(run, rounds)[name])
    print(f"a tile: {milliseconds['numpy']:.2f} ms by numpy, {milliseconds['torch']:.2f} by torch")


def in_turn(runs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each run, which take turns, after one of each."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - started)
    return {name: times[1:] for name, times in seconds.items()}


if __name__ == "__main__":
    main()
