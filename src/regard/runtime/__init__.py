"""Packed models: graphs for ONNX Runtime, built from the layers, and their decoding without torch.

`packing.pack` makes a packed model; `packed.open_packed` opens one, and needs neither torch nor
onnx.
"""
