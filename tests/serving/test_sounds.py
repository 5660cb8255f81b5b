"""Sounds that a server transcribes: their contents, never a file of its own."""

import base64
import io
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import regard
from fixtures import speech
from regard.http.guard import Access
from regard.serving.app import create_app
from regard.serving.limits import Limits
from regard.serving.metrics import Metrics
from regard.serving.served import Served

soundfile = pytest.importorskip("soundfile")


def test_contents_are_transcribed_and_names_of_files_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    speech.write(tmp_path)
    file, metrics = io.BytesIO(), Metrics()
    soundfile.write(file, speech.noise(1.5, 5), speech.RATE, format="FLAC")
    (tmp_path / "talk.flac").write_bytes(file.getvalue())
    served = Served([str(tmp_path)], Limits(), metrics)
    app = create_app(served, metrics, Access(None, True))
    with TestClient(app, base_url="http://localhost") as client:
        asked = {"sound": base64.b64encode(file.getvalue()).decode(), "timestamps": True}
        [found] = client.post("/run/transcribe", json=asked | {"language": "en"}).json()["results"]
        [expected] = regard.load(tmp_path).run(  # type: ignore[attr-defined]
            [tmp_path / "talk.flac"], timestamps=True, language="en"
        )
        assert found == expected.json(["timestamps"])
        assert len(found["segments"]) > 1
        for sound in (str(tmp_path / "talk.flac"), base64.b64encode(b"no sound").decode()):
            answer = client.post("/run/transcribe", json={"sound": sound})
            assert 400 <= answer.status_code < 500
            assert "sound" in answer.json()["detail"]
