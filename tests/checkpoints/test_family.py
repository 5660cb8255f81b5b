import pytest
import torch

from regard.checkpoints.family import (
    Place,
    in_dtype,
    places,
    rename,
    their_shapes,
    to_ours,
    to_theirs,
)

FUSED = {
    "query": Place("attn.c_attn", transposed=True, part=0, parts=3, dim=1),
    "key": Place("attn.c_attn", transposed=True, part=1, parts=3, dim=1),
    "value": Place("attn.c_attn", transposed=True, part=2, parts=3, dim=1),
    "positions": Place("pos_embed", lead=1),
    "plain": Place("plain"),
}


def their_tensors() -> dict[str, torch.Tensor]:
    return {
        "attn.c_attn": torch.arange(5 * 21).reshape(5, 21),
        "pos_embed": torch.arange(14).reshape(1, 7, 2),
        "plain": torch.arange(3),
    }


def test_a_fused_and_transposed_weight_is_parted_by_hand() -> None:
    theirs = their_tensors()
    ours = to_ours(FUSED, theirs)
    assert torch.equal(ours["key"], theirs["attn.c_attn"][:, 7:14].T)
    assert ours["key"].shape == (7, 5)
    assert torch.equal(ours["positions"], theirs["pos_embed"][0])


def test_reading_copies_nothing() -> None:
    theirs = their_tensors()
    for name, ours in to_ours(FUSED, theirs).items():
        storage = theirs[FUSED[name].name].untyped_storage()
        assert ours.untyped_storage().data_ptr() == storage.data_ptr()


def test_writing_undoes_reading() -> None:
    theirs = their_tensors()
    again = to_theirs(FUSED, to_ours(FUSED, theirs))
    assert again.keys() == theirs.keys()
    assert all(torch.equal(again[name], theirs[name]) for name in theirs)


def test_the_shapes_of_a_file_are_known_without_weights() -> None:
    theirs = their_tensors()
    ours = {name: tuple(tensor.shape) for name, tensor in to_ours(FUSED, theirs).items()}
    shapes = {name: tuple(tensor.shape) for name, tensor in theirs.items()}
    assert their_shapes(FUSED, ours) == shapes
    assert their_shapes({"a": Place("a")}, {"a": ()}) == {"a": ()}


def test_weights_of_one_place_are_written_once() -> None:
    table = places({"a": "shared", "b": "shared"})
    weight = torch.ones(2)
    assert list(to_theirs(table, {"a": weight, "b": weight})) == ["shared"]


def test_a_part_that_no_weight_fills_is_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match=r"attn\.c_attn has 1 of 3 parts"):
        to_theirs({"query": FUSED["query"]}, {"query": torch.ones(7, 5)})


def test_names_are_replaced_in_order() -> None:
    table = ((".self_attention.", ".self_attn."), ("_attn.query", "_attn.q_proj"))
    assert rename("l.0.self_attention.query.bias", table) == "l.0.self_attn.q_proj.bias"


def test_counts_keep_their_type() -> None:
    assert in_dtype(torch.ones(2), torch.bfloat16).dtype == torch.bfloat16
    assert in_dtype(torch.ones(2, dtype=torch.int64), torch.bfloat16).dtype == torch.int64
    assert in_dtype(torch.ones(2, dtype=torch.float16), None).dtype == torch.float16
