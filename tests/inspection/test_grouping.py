"""Words and sentences: what tokens spell, and maps between them."""

from collections.abc import Callable

import pytest
import torch

from regard.inspection.grouping import (
    group_words,
    sentence_spans,
    word_spans,
)
from regard.inspection.tap import Tap
from regard.inspection.views.tiles import TileRequest, tile


def words(tokens: list[str], spans: list[tuple[int, int]]) -> list[str]:
    return ["|".join(tokens[start:end]) for start, end in spans]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["▁un", "believ", "able", "▁tea", ".", "</s>"], ["▁un|believ|able", "▁tea|."]),
        (["<s>", "▁", "किताब", "ें", "▁।"], ["▁|किताब|ें", "▁।"]),
        (["Hello", ",", "Ġwor", "ld", "Ċ", "Bye"], ["Hello|,", "Ġwor|ld", "Ċ|Bye"]),
        (["Hel", "lo", "↵", "▁##", "▁Bye"], ["Hel|lo", "↵", "▁##", "▁Bye"]),
        (["The", " cat", "s", "<|endoftext|>", "s"], ["The", " cat|s", "s"]),
        (["[CLS]", "un", "##believ", "##able", ".", "[SEP]"], ["un|##believ|##able", "."]),
        (["low", "er</w>", "now</w>"], ["low|er</w>", "now</w>"]),
        (["each", "its", "own"], ["each", "its", "own"]),
        (["</s>", "<pad>"], []),
        ([], []),
    ],
)
def test_words_are_read_from_the_marks_of_tokenizers(tokens: list[str], expected: list[str]):
    assert words(tokens, word_spans(tokens)) == expected


def test_special_tokens_can_be_named():
    assert word_spans(["▁a", "<lang:de>", "▁b"], special={"<lang:de>"}) == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["▁I", "▁go", ".", "▁You", "?", "</s>"], ["▁I|▁go|.", "▁You|?|</s>"]),
        (["▁3", ".", "5", "▁cups", "."], ["▁3|.|5|▁cups|."]),
        (['▁"', "Yes", "!", '"', "▁No"], ['▁"|Yes|!|"', "▁No"]),
        (["▁Oh", ".", ".", ".", "▁)", "▁I"], ["▁Oh|.|.|.|▁)", "▁I"]),
        (["▁मैं", "।", "▁तुम", "▁।"], ["▁मैं|।", "▁तुम|▁।"]),
        (["▁我", "走", "。", "你", "！"], ["▁我|走|。", "你|！"]),
        (["A", "Ġb", ".", "ĠC"], ["A|Ġb|.", "ĠC"]),
        (["no", "end"], ["no|end"]),
        ([".", "a"], [".", "a"]),
        ([], []),
    ],
)
def test_sentences_end_at_final_punctuation(tokens: list[str], expected: list[str]):
    spans = sentence_spans(tokens)
    assert words(tokens, spans) == expected
    assert [index for span in spans for index in range(*span)] == list(range(len(tokens)))


def test_columns_are_summed_and_rows_averaged():
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    grouped = group_words(weights, [[0, 1]], [[0, 1], [2]])
    # By hand: ((0.1 + 0.2) + (0.5 + 0.25)) / 2 and (0.7 + 0.25) / 2.
    assert torch.allclose(grouped, torch.tensor([[0.525, 0.475]]))


def test_grouped_rows_that_cover_all_keys_add_up_to_one(make_tap: Callable[..., Tap]):
    weights = make_tap().weights(0)
    columns = [range(1), range(1, 6), range(6, 13)]
    grouped = group_words(weights, [range(4), range(4, 11)], columns)
    assert torch.allclose(grouped.sum(1), torch.ones(2))


def test_a_tile_of_words_says_the_same(make_tap: Callable[..., Tap]):
    tap = make_tap()
    rows, columns = [(0, 3), (3, 4), (5, 11)], [(1, 2), (2, 7), (7, 13)]
    by_tile = tile(tap, TileRequest(tap.name, 2), row_spans=rows, column_spans=columns).values
    by_hand = group_words(
        tap.weights(2), [range(*each) for each in rows], [range(*each) for each in columns]
    )
    assert torch.allclose(torch.from_numpy(by_tile), by_hand, atol=1e-6)
