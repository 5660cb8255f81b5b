"""One engine in a process of its own, for benchmarks/inference.py: cases in, seconds out.

    python benchmarks/peers/engine.py ENGINE FOLDER THREADS WORKERS

ENGINE is a file by_ENGINE.py beside this one, FOLDER a model in Hugging Face's layout. A case is a
line of JSON on standard input. The answer is a line of JSON with the seconds that it took, those
that all threads of the process computed, and the output. The first line out says that the model is
open.
"""

import gc
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Opens a model: folder, threads of one run, runs at the same time.
Open = Callable[[Path, int, int], Callable[[dict[str, Any]], Any]]


def main() -> None:
    engine, folder, threads, workers = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    opened: Open = importlib.import_module(f"by_{engine}").opened
    compute = opened(Path(folder), int(threads), int(workers))
    gc.freeze()  # what is opened once is no garbage, in any engine
    print(json.dumps({"open": True}), file=answers)
    for line in sys.stdin:
        case = json.loads(line)
        started, used = time.perf_counter(), time.process_time()
        output = compute(case)
        answer = {"output": output, "cpu": time.process_time() - used}
        print(json.dumps(answer | {"seconds": time.perf_counter() - started}), file=answers)


if __name__ == "__main__":
    main()
