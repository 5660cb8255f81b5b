"""Shapes in signatures are checked at run time here, in the tests, and nowhere else."""

from collections.abc import Iterator
from importlib.util import find_spec

import jaxtyping
import pytest

if find_spec("beartype") is not None:
    jaxtyping.install_import_hook(["regard.attention", "regard.positions"], "beartype.beartype")


@pytest.fixture
def as_in_production() -> Iterator[None]:
    """Without those checks, so that our own sentence is what refuses bad input."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
