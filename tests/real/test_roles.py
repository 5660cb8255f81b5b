"""Looks that random weights do not have: heads that complete a name, and those that rest."""

from pathlib import Path

import pytest
import real_models

from regard.tasks.looking import open_for_looking
from regard.tasks.roles import roles

PRINTED = Path(real_models.__file__).parent / "results" / "real_models.txt"


def test_roles(smollm2: Path) -> None:
    heads = {head.head: head for head in roles(open_for_looking(smollm2)).heads}
    for layer, head, role, share in (
        (18, 6, "induction", 0.90),
        (17, 3, "induction", 0.79),
        (16, 0, "previous", 0.90),
        (11, 1, "previous", 0.85),
    ):
        measured = heads[f"decoder.layers.{layer}.self:{head}"]
        assert measured.role == role
        assert measured.shares[role].share == pytest.approx(share, abs=0.02)
    assert heads["decoder.layers.14.self:3"].role == "duplicate"
    resting = [head for head in heads.values() if head.role == "first"]
    assert len(resting) > len(heads) / 2


@pytest.mark.parametrize("part", ["induction", "sinks", "copying", "pronoun"])
def test_what_the_pictures_show(part: str) -> None:
    lines = "\n".join(getattr(real_models, part)())
    assert lines in PRINTED.read_text(encoding="utf-8")
