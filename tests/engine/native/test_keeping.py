"""What the engine keeps of a run: what a listener gets, for as long as it is looked at."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

from regard import models
from regard.attention import Call
from regard.engine.native import keeping, library
from regard.engine.native.loading import open_native
from regard.engine.native.looking import Seen, seen
from regard.inspection.recording import capturing, routing
from regard.progress import Stopped, Work

FIRST = "decoder.layers.0.self_attention"
IDS = np.random.default_rng(0).integers(0, 60, (1, 40))


@pytest.fixture(scope="module")
def engine() -> Seen:
    torch.manual_seed(0)
    config = models.decoder_preset(
        "tiny", 60, num_layers=3, num_heads=4, num_key_heads=2, d_model=48, window=9, experts=4
    )
    model = models.Decoder(config).eval()
    return seen(open_native(model), model)


def run_kept(engine: Seen, keep: str = "memory") -> tuple[Any, dict[str, Call], dict[str, Any]]:
    """Output, calls and routes of a run that is kept."""
    calls, routes = dict[str, Call](), dict[str, Any]()
    with routing(engine, routes.__setitem__):
        with engine.keeping(keep) as kept:
            output = engine(ids=IDS)
        engine.tell(kept, calls.__setitem__)
    return output, calls, routes


def same(calls: dict[str, Call], others: dict[str, Call]) -> None:
    assert list(calls) == list(others)
    for path, call in calls.items():
        for array, other in zip(call.inputs[:3], others[path].inputs[:3], strict=True):
            np.testing.assert_array_equal(array, other)
        np.testing.assert_allclose(call.inputs.weights(), others[path].inputs.weights(), atol=1e-6)


def test_what_is_kept_is_what_a_listener_gets(engine: Seen) -> None:
    calls, routes = dict[str, Call](), dict[str, Any]()
    with routing(engine, routes.__setitem__), capturing(engine, calls.__setitem__):
        output = engine(ids=IDS)
    for keep in ("memory", "auto", "disk"):
        kept_output, kept_calls, kept_routes = run_kept(engine, keep)
        np.testing.assert_array_equal(kept_output, output)
        same(kept_calls, calls)
        assert list(kept_routes) == list(routes)
        for path in routes:
            np.testing.assert_array_equal(kept_routes[path], routes[path])
        [query] = {type(call.inputs.query) for call in kept_calls.values()}
        assert query is (np.memmap if keep == "disk" else np.ndarray)


def test_memory_is_used_again_once_nothing_refers_to_it(engine: Seen) -> None:
    def query() -> Any:
        return run_kept(engine)[1][FIRST].inputs.query

    first = query()
    place, numbers = first.ctypes.data, first.copy()
    part = first[:, 1:].swapaxes(2, 3)  # a view of a view
    del first
    assert query().ctypes.data != place
    with engine.keeping("memory") as kept:
        engine(ids=IDS[:, ::-1])
    np.testing.assert_array_equal(query(), numbers)  # and the one before is not read yet
    others = dict[str, Call]()
    engine.tell(kept, others.__setitem__)
    assert not np.array_equal(others[FIRST].inputs.query, numbers)
    np.testing.assert_array_equal(part.swapaxes(2, 3), numbers[:, 1:])
    del kept, others
    place = query().ctypes.data
    assert query().ctypes.data == place


def test_a_full_block_is_followed_by_another(engine: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    _, calls, _ = run_kept(engine)
    monkeypatch.setattr(keeping, "BLOCK", 40_000)
    library.here.spare.clear()
    with engine.keeping("memory") as kept:
        engine(ids=IDS)
    assert len(kept._blocks) == 3
    others = dict[str, Call]()
    engine.tell(kept, others.__setitem__)
    same(others, calls)
    library.here.spare.clear()


def test_a_run_that_is_no_longer_wanted_ends(engine: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "BLOCK", 1)  # the engine asks for each
    work = Work()

    def run() -> None:
        with engine.keeping("memory"):
            work.stop()
            engine(ids=IDS)

    with pytest.raises(Stopped):
        work.run(run)
    library.here.spare.clear()


# The engine asks for memory while Python begins to end, and goes on after that.
ENDING = """
import atexit, sys, threading, time
import numpy as np
from regard.checkpoints import open_checkpoint
from regard.checkpoints.hub import find_folder
from regard.engine.native import keeping
from regard.engine.native.looking import opened

keeping.BLOCK = 4096  # the engine asks for another at every attention
model = opened(open_checkpoint(find_folder("minilm")))
asked, ending, new = threading.Event(), threading.Event(), keeping.Kept._new

def new_at_the_end(kept, size):
    if kept._blocks:  # the engine asks for this one
        asked.set()
        ending.wait()
    return new(kept, size)

def work():
    with model.keeping("memory"):
        model(ids=np.arange(5, 205)[None])

class Last:
    def __del__(self, sleep=time.sleep):
        sleep(0.5)  # lets go of the lock, which Python ends a daemon thread for taking now

keeping.Kept._new = new_at_the_end
last = Last()
atexit.register(ending.set)
threading.Thread(target=work, daemon=True).start()
asked.wait()
sys.setswitchinterval(1000)  # the lock goes to the other thread only where this one waits
sys.exit(3)
"""


@pytest.mark.long("starts Python")
def test_python_ends_beside_a_run_that_is_kept() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDING], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (3, "")
