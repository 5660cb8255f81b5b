"""Every public function on tensors names in its docstring the shapes that it takes and gives.

A method `forward` counts as one, in the class that defines it: who inherits it inherits the words.
Tensors in a mapping are weights by name, whose shapes are those of their model.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "regard"
ROOMS = ("attention", "positions", "layers", "models", "generation", "checkpoints")
FILES = [file for room in ROOMS for file in sorted((SOURCE / room).rglob("*.py"))]
FILES.append(SOURCE / "training" / "loss.py")

DIMENSIONS = (
    "batch|heads|queries|keys|head_dim|d_model|vocab"
    "|key_heads|query_dim|key_dim|value_dim|dim|half|positions|max_positions|patches"
    "|rows|steps|length|source|width|hidden_size|hidden_dim|memory_dim|labels"
    "|channels|height|prompt|searches|candidates|new_rows"
)
NAME = rf"(?:target |source )?(?:{DIMENSIONS})(?: or 1)?"
SIZE = rf"(?:…|\d+|{NAME}(?: [·+−/] (?:{NAME}|\d+))?)"
SHAPE = re.compile(rf"(?<!\w)\((?:…|{SIZE},|{SIZE}(?:, {SIZE})+)\)")
ARRAY = re.compile(r"\b(?:Tensor|Array)\b")
NO_SHAPE = re.compile(r"(?:Mapping|dict)\[str, (?:Tensor|Array)\]")


def functions_on_tensors(code: str) -> Iterator[tuple[str, str]]:
    """(name, docstring) of each public function and `forward` whose annotations name Tensor."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            members = {f"{node.name}.forward": each for each in node.body if is_forward(each)}
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            members = {node.name: node}
        else:
            members = {}
        for name, function in members.items():
            overload = any(ast.unparse(each) == "overload" for each in function.decorator_list)
            if not overload and ARRAY.search(NO_SHAPE.sub("", annotations(function))):
                yield name, ast.get_docstring(function) or ""


def is_forward(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "forward"


def annotations(function: ast.FunctionDef) -> str:
    found = [each.annotation for each in ast.walk(function.args) if isinstance(each, ast.arg)]
    return " ".join(ast.unparse(each) for each in (*found, function.returns) if each)


def names_a_shape(docstring: str) -> bool:
    return SHAPE.search(" ".join(docstring.split())) is not None


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_every_public_function_on_tensors_names_its_shapes(file: Path) -> None:
    found = functions_on_tensors(file.read_text("utf-8"))
    assert [name for name, docstring in found if not names_a_shape(docstring)] == []


@pytest.mark.parametrize(
    ("docstring", "named"),
    [
        ("The bias, (batch, heads, queries,\n    keys), of a layer.", True),
        ("Indices, (rows,).", True),
        ("(batch or 1, target length, d_model / 2).", True),
        ("(…) → the same shape.", True),
        ("q · k (Luong et al. 2015, section 3.1).", False),
        ("rotate(q, m), `stream(…)` and forward(batch, heads) are calls.", False),
        ("It is (slow, exact).", False),
        ("", False),
    ],
)
def test_a_shape_is_dimensions_in_parentheses(docstring: str, named: bool) -> None:
    assert names_a_shape(docstring) == named


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
