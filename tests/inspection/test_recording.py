"""What a run's attention calls become: copies in memory or on disk, named after their modules."""

import gc
import tempfile

import pytest
import torch
from torch import Tensor, nn

from regard import RegardError
from regard.attention import Call, attend
from regard.attention.record import Attention
from regard.attention.scores import scaled_dot
from regard.inspection import recording
from regard.inspection.recording import Memory, Recorder, capturing, check_traceable, on_disk


class Layer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return attend(x, x, x)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer(), Layer()])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def call(rows: int = 3) -> Call:
    query, key, value = torch.randn(3, 1, 2, rows, 5).unbind()
    return Call(Attention(query, key, value, scaled_dot, None, None), query, None)


def add(recorder: Recorder, name: str, made: Call):
    return recorder.add(name, made, queries="tokens", keys="tokens", kind="self")


def test_each_call_is_reported_with_the_path_of_the_module_that_made_it():
    x, paths = torch.randn(1, 2, 3, 5), []
    model = Model()
    with capturing(model, lambda path, _: paths.append(path)):
        model(x)
    model(x)  # no listener any more
    assert paths == ["layers.0", "layers.1"]


def test_a_model_that_calls_attend_itself_is_named_attend():
    x, paths = torch.randn(1, 2, 3, 5), []
    layer = Layer()
    with capturing(layer, lambda path, _: paths.append(path)):
        layer(x)
    assert paths == ["attend"]


def test_a_tensor_from_the_listener_replaces_the_output():
    x = torch.randn(1, 2, 3, 5)
    model = Model()
    with capturing(model, lambda path, _: torch.zeros_like(x) if path == "layers.1" else None):
        assert torch.equal(model(x), torch.zeros_like(x))


def test_a_model_in_training_mode_is_refused():
    with pytest.raises(RegardError, match=r"call model\.eval\(\) first"):
        check_traceable(Model().train())
    check_traceable(Model().eval())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.compile's own
def test_a_compiled_model_is_refused():
    with pytest.raises(RegardError, match="compiled"):
        check_traceable(torch.compile(Model().eval()))
    in_place = Model().eval()
    in_place.compile()
    with pytest.raises(RegardError, match="compiled"):
        check_traceable(in_place)


def test_an_unknown_place_to_keep_tensors_is_refused():
    with pytest.raises(RegardError, match=r"auto, memory, disk; got 'disc'"):
        Recorder("disc")


def test_a_layer_that_is_used_again_gets_a_number():
    recorder = Recorder()
    for _ in range(3):
        add(recorder, "encoder.layers.4.self", call())
    assert list(recorder.taps) == [
        "encoder.layers.4.self",
        "encoder.layers.4.self#2",
        "encoder.layers.4.self#3",
    ]
    assert {tap.layer for tap in recorder.taps.values()} == {4}


def test_side_and_layer_are_read_from_the_name():
    recorder = Recorder()
    assert add(recorder, "decoder.layers.7.cross", call()).side == "decoder"
    nameless = add(recorder, "attend", call())
    assert (nameless.side, nameless.layer) == ("encoder", 1)  # the second tap, counted from 0


@pytest.mark.parametrize("keep", ["memory", "disk"])
def test_what_the_run_does_to_its_tensors_later_is_not_seen(keep: str):
    made = call()
    expected = [tensor.clone() for tensor in made.inputs[:3]]
    tap = add(Recorder(keep), "decoder.layers.0.self", made)
    for tensor in made.inputs[:3]:
        tensor.zero_()
    for kept, before in zip((tap.query, tap.key, tap.value), expected, strict=True):
        assert torch.equal(kept, before)


def test_auto_goes_to_disk_once_memory_would_be_too_much(monkeypatch: pytest.MonkeyPatch):
    written: list[Tensor] = []
    monkeypatch.setattr(recording, "on_disk", lambda tensor: written.append(tensor) or tensor)
    one = call()
    size = one.inputs.query.nbytes
    monkeypatch.setattr(recording, "IN_MEMORY", 4 * size)
    recorder = Recorder("auto")
    add(recorder, "a", one)
    assert written == []
    add(recorder, "b", call())  # its query is the fourth tensor, its key the fifth
    assert len(written) == 2


def test_copies_begin_at_multiples_of_64_bytes_of_one_block():
    memory = Memory()
    first, second = memory.copy(torch.arange(3.0)), memory.copy(torch.arange(17.0))
    third = memory.copy(torch.tensor([True]))
    # 12 bytes take 64, and 68 bytes take 128.
    assert second.data_ptr() - first.data_ptr() == 64
    assert third.data_ptr() - second.data_ptr() == 128
    assert torch.equal(second, torch.arange(17.0))


def test_copies_are_contiguous_and_keep_the_dtype():
    turned = torch.randn(5, 3).half().mT
    copy = Memory().copy(turned)
    assert copy.is_contiguous()
    assert copy.dtype is torch.half
    assert torch.equal(copy, turned)


def test_the_next_trace_gets_the_block_of_one_that_is_gone(monkeypatch: pytest.MonkeyPatch):
    gc.collect()  # what other tests left
    monkeypatch.setattr(Memory, "_spare", [])
    monkeypatch.setattr(Memory, "BLOCK", 4096)
    memory = Memory()
    copy = memory.copy(torch.randn(7))
    address = copy.data_ptr()
    del memory
    gc.collect()
    assert Memory._spare == []  # a tensor in the block is still alive
    del copy
    gc.collect()
    assert len(Memory._spare) == 1
    assert Memory().copy(torch.randn(7)).data_ptr() == address


def test_no_more_than_the_spare_blocks_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Memory, "_spare", [])
    monkeypatch.setattr(Memory, "BLOCK", 4096)
    monkeypatch.setattr(Memory, "SPARE", 2)
    copies = [Memory().copy(torch.randn(7)) for _ in range(5)]
    del copies
    gc.collect()
    assert len(Memory._spare) == 2


def test_a_tensor_larger_than_a_block_has_memory_of_its_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Memory, "_spare", [])
    monkeypatch.setattr(Memory, "BLOCK", 64)
    large = torch.randn(31)  # 124 bytes
    copy = Memory().copy(large)
    assert torch.equal(copy, large)
    del copy
    gc.collect()
    assert Memory._spare == []


def test_a_tensor_on_disk_has_the_same_numbers_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tensor = torch.randn(3, 5, 7).bfloat16()
    mapped = on_disk(tensor)
    assert torch.equal(mapped, tensor)
    assert mapped.dtype is torch.bfloat16
    assert list(tmp_path.iterdir()) == []
