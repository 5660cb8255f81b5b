"""Every public function on tensors names in its docstring the shapes that it takes and gives.

A method `forward` counts as one, in the class that defines it: who inherits it inherits the words.
Tensors in a mapping are weights by name, whose shapes are those of their model.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "regard"
ROOMS = ("attention", "models", "generation", "checkpoints")
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


def main() -> None:
    missing = [
        f"{file.relative_to(SOURCE.parents[1])}: {name} names no shape, such as (batch, dim)"
        for file in FILES
        for name, docstring in functions_on_tensors(file.read_text("utf-8"))
        if not names_a_shape(docstring)
    ]
    sys.exit("\n".join(missing) or None)


if __name__ == "__main__":
    main()
