"""What a server takes upon itself."""

import pytest

from regard.errors import BadArgumentError
from regard.generation import GenerationConfig
from regard.serving.limits import Limits, TooLong

LIMITS = Limits(waiting=6, text=10, request=15)


def test_what_is_within_the_limits_passes() -> None:
    LIMITS.check(["x" * 10, "y" * 5], 2, results=3)
    LIMITS.check([], 0)


@pytest.mark.parametrize(
    ("texts", "number", "results", "error", "sentence"),
    [
        (["x" * 11], 1, 1, TooLong, "a text may have 10 characters here; got one of 11. Send it"),
        (
            ["x" * 8] * 2,
            2,
            1,
            TooLong,
            "texts of a request may have 15 characters here; got 16",
        ),
        (["x"] * 7, 7, 1, BadArgumentError, "a request may have 6 texts here; got 7. Send fewer"),
        (["x"] * 2, 2, 4, BadArgumentError, "6 texts here; got 2 with 4 results each. Send fewer"),
        (["\ud800"], 1, 1, BadArgumentError, "the text is not valid Unicode"),
    ],
)
def test_what_is_not_is_refused_in_a_sentence(
    texts: list[str], number: int, results: int, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        LIMITS.check(texts, number, results)


def test_a_quarter_of_the_rows_is_for_short_texts_alone() -> None:
    limits = Limits(rows=64)
    assert limits.configured(GenerationConfig(num_beams=48), None).rows == 48
    with pytest.raises(BadArgumentError, match="may be 48 on this server; got 49"):
        limits.configured(GenerationConfig(num_beams=49), None)
