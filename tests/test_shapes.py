"""tools/shapes.py: what names a shape, and of which functions it is asked."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
try:
    from shapes import functions_on_tensors, names_a_shape
finally:
    sys.path.pop(0)

SAID = {
    "The bias, (batch, heads, queries,\n    keys), of a layer.": True,
    "Indices, (rows,).": True,
    "(batch or 1, target length, d_model / 2).": True,
    "(…) → the same shape.": True,
    "q · k (Luong et al. 2015, section 3.1).": False,
    "rotate(q, m), `stream(…)` and forward(batch, heads) are calls.": False,
    "It is (slow, exact).": False,
    "": False,
}


def test_a_shape_is_dimensions_in_parentheses() -> None:
    assert {docstring: names_a_shape(docstring) for docstring in SAID} == SAID


def test_a_function_and_a_forward_are_found_and_what_is_private_or_has_no_tensor_is_not() -> None:
    code = """
def public(x: Float[Tensor, "rows"]): "doc"
def _private(x: Tensor): ...
def plain(x: int) -> int: ...
def result() -> Tensor | None: ...
def weights(state: Mapping[str, Tensor]) -> dict[str, Tensor]: ...
@overload
def public(x: Tensor): ...
class Layer(nn.Module):
    def forward(self, *x: Tensor): "of a layer"
    def other(self, x: Tensor): ...
class Inherits(Layer): ...
class _Private(nn.Module):
    def forward(self, x: Tensor): ...
"""
    assert [*functions_on_tensors(code)] == [
        ("public", "doc"),
        ("result", ""),
        ("Layer.forward", "of a layer"),
    ]
