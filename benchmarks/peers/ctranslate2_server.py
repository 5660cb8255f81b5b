"""A server around CTranslate2 as one would write it: requests that wait become the next batch.

    python benchmarks/peers/ctranslate2_server.py FOLDER PORT

It answers POST /run/translate {"text": …, "num_beams": …} as `regard serve` does.
"""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from by_ctranslate2 import opened
from fastapi import FastAPI

BATCH, WORKERS = 64, 2
waiting: asyncio.Queue[tuple[str, int, asyncio.Future[str]]] = asyncio.Queue()


async def work(compute: Any) -> None:
    """One of the workers: takes what waits, and translates it as one batch for each beam size."""
    while True:
        taken = [await waiting.get()]
        while len(taken) < BATCH and not waiting.empty():
            taken.append(waiting.get_nowait())
        for beams in {each[1] for each in taken}:
            those = [each for each in taken if each[1] == beams]
            texts = [text for text, _, _ in those]
            case = {"texts": texts, "beams": beams, "together": BATCH, "new": 256}
            found = await asyncio.to_thread(compute, case)
            for (_, _, future), text in zip(those, found, strict=True):
                future.set_result(text)


@asynccontextmanager
async def lifespan(app: FastAPI) -> Any:
    """The workers run as long as the server."""
    compute = opened(Path(sys.argv[1]), 1, WORKERS)
    app.state.workers = [asyncio.create_task(work(compute)) for _ in range(WORKERS)]
    yield


app = FastAPI(lifespan=lifespan)


@app.get("/readyz")
async def ready() -> dict[str, str]:
    return {"status": "ready"}


@app.post("/run/translate")
async def translate(asked: dict[str, Any]) -> dict[str, Any]:
    future = asyncio.get_running_loop().create_future()
    waiting.put_nowait((asked["text"], asked["num_beams"], future))
    return {"results": [{"translation": await future}]}


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[2]), log_level="error")
