"""What every task refuses."""

import pytest

import regard
from regard import RegardError


@pytest.mark.parametrize("name", ["en-de", "emotions", "minilm", "shakespeare"])
def test_one_text_is_no_list(name: str) -> None:
    task, first = regard.load(name), "prompts" if name == "shakespeare" else "texts"
    for inputs, named in (("one text",), {}), ((), {first: "one text"}):
        with pytest.raises(
            RegardError, match=r"takes a list of inputs; got the string 'one text'\."
        ):
            task.run(*inputs, **named)
