"""A packed model runs without torch, and reads and writes arrays where they are."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from regard.runtime.graph import Graph, write_graphs
from regard.runtime.session import Session


def test_opening_and_decoding_import_neither_torch_nor_onnx() -> None:
    code = (
        "import sys, regard.runtime.packed, regard.generation;"
        "print(sorted({'torch', 'onnx'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_onnxruntime_keeps_no_id_of_the_machine_and_sends_nothing(tmp_path: Path) -> None:
    opened(tmp_path)
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    home = tmp_path / "home"
    code = "import sys; from regard.runtime.session import Session; from pathlib import Path;"
    run = subprocess.run(
        [sys.executable, "-c", code + "Session(Path(sys.argv[1]))", str(tmp_path / "adds.onnx")],
        # Where CI or a test's variable is set, it would send nothing anyway.
        env=kept | {"HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert list(home.rglob("*")) == []


def opened(folder: Path) -> Session:
    """A graph that adds one to what is past of keys, and two to what is past of values."""
    graph = Graph("fp32")
    for name, number in (("k0", 1.0), ("v0", 2.0)):
        past = graph.input(f"past_{name}", np.float32, ("rows", 2, "room", 3))
        more = graph.op("Add", past, graph.number(number))
        graph.output(more, f"all_{name}", np.float32, ("rows", 2, "room", 3))
    write_graphs({"adds": graph}, folder)
    return Session(folder / "adds.onnx")


def test_a_bound_graph_may_write_where_it_reads(tmp_path: Path) -> None:
    keys, values = past = np.zeros((2, 2, 2, 4, 3), np.float32)
    run = opened(tmp_path).bound(
        {"past_k0": keys, "past_v0": values}, {"all_k0": keys, "all_v0": values}
    )
    run.run()
    keys[1] = 7
    run.run()
    assert (past[:, 0] == np.array([2, 4])[:, None, None, None]).all()
    assert (past[:, 1] == np.array([8, 4])[:, None, None, None]).all()
