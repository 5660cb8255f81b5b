import pytest

from regard.inspection.shown import spread


@pytest.mark.parametrize(
    ("tokens", "text", "shown"),
    [
        ("▁Write ▁to ▁Boston . </s>", "Write to me@x.org.", "▁Write|▁to|▁me@x.org|.|</s>"),
        (
            "▁Where ▁is ▁the ▁station ? </s>", "Where is the <b>station</b>?",
            "▁Where|▁is|▁the|▁<b>station</b>|?|</s>",
        ),
        ("▁I ▁you . </s>", "I ❤️ you.", "▁I|▁❤️ you|.|</s>"),
        ("▁Hell o", "👋 Hello", "▁👋 Hell|o"),
        ("▁Lin da , ▁go", "{name}, go", "▁{na|me}|,|▁go"),
        ("▁Open ▁Boston .", "Open {file}. 👍", "▁Open|▁{file}|. 👍"),
        ("▁Close ▁the ▁d oor .", "CLOSE THE DOOR.", "▁CLOSE|▁THE|▁D|OOR|."),
        (
            "where is [SEP] station ##s ?", "where is <b>stations</b>?",
            "where|is|[SEP]|<b>station|##s</b>|?",
        ),
        ("▁ ▁dog", "a dog", "▁a|▁dog"),
        ("</s>", "a dog", "</s>"),
    ],
)  # fmt: skip
def test_tokens_have_the_letters_of_what_the_text_says_at_their_places(
    tokens: str, text: str, shown: str
) -> None:
    assert "|".join(spread(tokens.split(), text)) == shown
