"""Where answers are in the windows of a context, and the loss of pointing elsewhere."""

from typing import Any

import pytest
import torch

from regard.recipes.answers.answer_windows import answer_windows, span_loss
from regard.tasks.answering import Answerer

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("family", ["Bert", "Roberta"])
def test_windows_and_answers_lie_where_transformers_puts_them(
    family: str, encoder_folder: Any
) -> None:
    folder = encoder_folder(family, "ForQuestionAnswering")
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = Answerer.load(folder).tokenizer
    context = "The child likes the small dog, which sees Anna's old tree. " * 4
    place = (context.index("old tree", 70), context.index("old tree", 70) + len("old tree"))
    encoding = ours.inputs("who sees it?", context)
    found = answer_windows(encoding, place, 40, 11)
    read = theirs("who sees it?", context, truncation="only_second", max_length=40, stride=11,
                  return_overflowing_tokens=True, return_offsets_mapping=True)  # fmt: skip
    assert len(found) == len(read["input_ids"]) > 2
    held = 0
    for number, window in enumerate(found):
        assert [encoding.ids[k] for k in window.positions] == read["input_ids"][number]
        inside = [k for k, text in enumerate(read.sequence_ids(number)) if text == 1]
        assert (window.begin, window.end) == (inside[0], inside[-1] + 1)
        offsets = read["offset_mapping"][number]
        covered = [k for k in inside if offsets[k][0] < place[1] and offsets[k][1] > place[0]]
        starts, ends = offsets[inside[0]][0] <= place[0], offsets[inside[-1]][1] >= place[1]
        expected = (covered[0], covered[-1]) if covered and starts and ends else (0, 0)
        assert (window.first, window.last) == expected
        held += window.last > 0
    assert 0 < held < len(found)


def test_a_question_without_room_or_an_answer_without_tokens_has_no_window(
    encoder_folder: Any,
) -> None:
    tokenizer = Answerer.load(encoder_folder("Bert", "ForQuestionAnswering")).tokenizer
    encoding = tokenizer.inputs("who sees the dog " * 10, "the red house near the river " * 9)
    assert answer_windows(encoding, None, 40, 11) == []
    assert answer_windows(tokenizer.inputs("who", "a  dog"), (1, 2), 40, 11) == []


def test_the_loss_is_over_the_context_and_the_first_token() -> None:
    logits = torch.randn(2, 7, 2, generator=torch.Generator().manual_seed(3))
    places = torch.tensor([[4, 5, 3, 6], [0, 0, 2, 5]])
    expected = 0.0
    for row, (first, last, begin, end) in enumerate(places.tolist()):
        kept = [0, *range(begin, end)]
        for k, wanted in enumerate((first, last)):
            scores = logits[row, kept, k].log_softmax(0)
            expected -= scores[kept.index(wanted)].item() / 2
    assert span_loss(logits, places).item() == pytest.approx(expected, rel=1e-5)
