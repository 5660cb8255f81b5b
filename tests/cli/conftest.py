"""Servers that commands make, and a translator that needs no weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from regard.engine.calibration import Calibration
from regard.generation import GenerationConfig
from regard.tasks.translation.task import Translation


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The application that a command makes instead of answering, and how it is announced."""
    what: dict[str, Any] = {}
    serve, announce = "regard.studio.early.serve", "regard.studio.browser.announce"
    monkeypatch.setattr(serve, lambda make, listener: what.update(app=make()))
    monkeypatch.setattr(announce, lambda listener, **how: what.update(how))
    return what


@dataclass
class UpperCase:
    """A translator whose translation is the text in capitals, its alignment the diagonal."""

    seen: list[dict[str, Any]] = field(default_factory=list)
    generation: Any = field(default_factory=lambda: GenerationConfig(num_beams=5))
    not_followed: tuple[str, ...] = ()
    prefix: str | None = ""
    calibration: Calibration = field(default_factory=Calibration)
    computed_by: str = "torch"

    def run_by(self, engine: str, **settings: Any) -> "UpperCase":
        self.computed_by = engine
        return self

    def with_options(self, **options: Any) -> tuple["UpperCase", dict[str, Any]]:
        languages = [options.pop(f"{side}_language", None) for side in ("source", "target")]
        if any(languages):
            self.between(*languages)
        self.prefix = options.pop("prefix", self.prefix)
        options.pop("tokens", None)
        return self, options

    def run_rows(self, rows: Sequence[tuple[str, ...]], **options: Any) -> list[Any]:
        return self.run([text for (text,) in rows], **options)

    def run(
        self, texts: Sequence[str], *, alignment: str | None = None, progress: Any, **options: Any
    ) -> list[Any]:
        self.seen.append({"texts": list(texts), "alignment": alignment, **options})
        progress(len(texts))
        return [self._result(text, alignment is not None, options) for text in texts]

    def between(self, source: str | None, target: str | None) -> "UpperCase":
        self.seen.append({"source": source, "target": target})
        return self

    def alignment_caption(self, step: str, layer: int | None = None) -> str:
        where = "" if layer is None else f" of layer {layer}"
        return f"α at the {step} step{where}, for a test"

    def _result(self, text: str, alignment: bool, options: dict[str, Any]) -> Any:
        words = text.split()
        capitals = text.upper()
        return Translation(
            capitals,
            -0.5,
            finished=True,
            tokens=capitals.split(),
            alternatives=[
                Translation(f"{capitals}{'!' * k}", -0.5 - k, finished=True)
                for k in range(options.get("alternatives", 1))
            ],
            source_words=words if alignment else [],
            target_words=capitals.split() if alignment else [],
            alignment=np.eye(len(words), dtype=np.float32) if alignment else None,
        )


@pytest.fixture
def upper_case(monkeypatch: pytest.MonkeyPatch) -> UpperCase:
    """What `regard.load` gives, whatever it is asked for."""
    import regard.tasks.loading

    translator = UpperCase()
    monkeypatch.setattr(regard.tasks.loading, "load", lambda name, task: translator, raising=False)
    return translator


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss for a translator that has no model to compute one."""
    from regard.tasks.translation import score as evaluation

    monkeypatch.setattr(evaluation, "mean_loss", lambda *_, **__: 1.25)
