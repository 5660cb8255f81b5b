"""Callers of the native library that get something wrong, systems without memory, threads, forks
and signals: `make fuzz` makes a million calls at random."""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig
from regard.models import EncoderDecoder, EncoderDecoderConfig

HERE = Path(__file__).parent
CALLS = os.environ.get("FUZZ_CALLS", "100000")
Run = Callable[..., None]


def compiled(sanitizers: str, folder: Path) -> Run:
    """The whole engine with hostile.cpp, compiled with sanitizers; called with its arguments. Its
    threads share whatever has parts."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here, which has the sanitizers")
    program = folder / "hostile"
    command = [compiler, "-std=c++17", "-g", f"-fsanitize={sanitizers}", "-Wno-psabi"]
    command += ["-fno-sanitize-recover=all", "-DONE_FAMILY", "-DFAMILY=plain", "-pthread"]
    command += [
        "-DLEAST_PART=1",
        f"-I{HERE.parents[2] / 'engine'}",
        str(HERE / "hostile.cpp"),
        "-o",
        str(program),
    ]
    subprocess.run(command, check=True)

    def run(*arguments: str) -> None:
        call = [str(program), *arguments]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr, done.stdout) == (0, "", "all refused\n")

    return run


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return compiled("address,undefined", tmp_path_factory.mktemp("sanitized"))


@pytest.mark.slow
def test_wrong_sizes_and_arguments_are_refused_under_the_sanitizers(hostile: Run) -> None:
    hostile()


@pytest.mark.slow
def test_without_memory_at_any_place_there_is_an_error(hostile: Run) -> None:
    hostile("memory")


@pytest.mark.slow
def test_calls_at_random_are_refused_or_answered_under_the_sanitizers(hostile: Run) -> None:
    hostile("11", CALLS)


@pytest.mark.slow
def test_threads_on_one_model_have_no_races(tmp_path: Path) -> None:
    compiled("thread", tmp_path)("threads")


@pytest.fixture(scope="module")
def model() -> Any:
    torch.manual_seed(3)
    sizes: Any = dict(d_model=12, d_ff=20, encoder_heads=3, decoder_heads=2, max_positions=2050)
    return open_native(EncoderDecoder(EncoderDecoderConfig(31, **sizes)).eval(), threads=2)


def written(model: Any, most: int = 30, texts: int = 9) -> Any:
    source = np.random.default_rng(5).integers(2, 31, (texts, 11))
    config = GenerationConfig(max_new_tokens=most, num_beams=2, decoder_start_token_id=0)
    return model.generate(source, np.zeros((texts, 1), int), config)


def test_a_child_that_is_forked_computes_with_the_model_of_its_parent(model: Any) -> None:
    expected = written(model)
    child = os.fork()
    if child == 0:
        os._exit(0 if written(model) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert written(model) == expected


def test_a_signal_ends_a_long_text_and_the_model_goes_on(
    model: Any, request: pytest.FixtureRequest
) -> None:
    expected = written(model)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        written(model, 2000, 60)
    timer.join()
    assert written(model) == expected


def test_many_threads_share_one_model(model: Any) -> None:
    expected = written(model)
    with ThreadPoolExecutor(16) as pool:
        assert all(texts == expected for texts in pool.map(written, [model] * 48))
