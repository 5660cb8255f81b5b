"""What every task refuses."""

import pytest

import regard
from regard import RegardError


@pytest.mark.parametrize("name", ["en-de", "emotions", "minilm", "shakespeare"])
def test_one_text_is_no_list(name: str) -> None:
    with pytest.raises(
        RegardError, match=r"takes a list of inputs; got the string 'one text'\. Put"
    ):
        regard.load(name).run("one text")
