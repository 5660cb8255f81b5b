"""Traces in files: tensors in safetensors, everything else as JSON in its header, no code.

A mask or a score is stored as its class's name and fields, so only those of `regard.attention` can
be; a tensor that several taps share, as T5's position bias, is stored once.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np
from safetensors import SafetensorError, safe_open

from regard.arrays import Array, arrays_of
from regard.attention import masks, padding, scores
from regard.attention.attend import check
from regard.attention.disentangled import Distances
from regard.attention.record import Attention
from regard.errors import DamagedFileError, NotFoundError, UnsupportedError, check_choice, refusing
from regard.files import whole_file
from regard.inspection.answers import AxisInfo, GenerationInfo, ModelTask
from regard.inspection.routes import Routes
from regard.inspection.tap import Tap
from regard.inspection.trace_data import TraceData
from regard.json_files import safetensors_entries

FORMAT, VERSION = "regard-trace", 1
MASKS: dict[str, Any] = {
    name: kind
    for name, kind in {**vars(masks), **vars(padding)}.items()
    if isinstance(kind, type) and issubclass(kind, masks.Mask)
}
SCORES: dict[str, Any] = {name: kind for name, kind in vars(scores).items() if is_dataclass(kind)}
DTYPES = {"F16": "float16", "F32": "float32", "F64": "float64", "I32": "int32", "I64": "int64",
          "BOOL": "bool"}  # fmt: skip
TENSORS = ("output_weight", "known_lse")
PARTS = (*TENSORS, "distances")
KINDS: dict[str, Any] = {
    "name": str, "side": str, "kind": str, "layer": int, "notes": list, "queries": str, "keys": str,
}  # fmt: skip
FIELDS = ("name", "side", "kind", "layer", "queries", "keys", "notes")


@dataclass
class Content:
    """Everything in a trace's file but its tensors."""

    taps: list[dict[str, Any]]  # as `Store` describes their parts
    axes: dict[str, AxisInfo]
    model_name: str
    task: str
    text: str
    generation: GenerationInfo | None
    notes: list[str]
    routes: list[dict[str, Any]] = field(default_factory=list)  # likewise


def save_trace(trace: TraceData, path: str | os.PathLike[str]) -> None:
    """Write the trace whole: what `load_trace` reads."""
    store = Store()
    taps = [
        {
            **{name: getattr(tap, name) for name in FIELDS},
            **{name: store.put(getattr(tap, name)) for name in PARTS},
            **{name: store.put(part) for name, part in tap.attention._asdict().items()},
        }
        for tap in trace.values()
    ]
    routes = [
        {name: store.put(value) for name, value in vars(route).items()}
        for route in trace.routes.values()
    ]
    values = {part.name: getattr(trace, part.name) for part in fields(Content)}
    content = asdict(Content(**values | {"taps": taps, "routes": routes}))
    header = {"format": FORMAT, "version": str(VERSION), "trace": json.dumps(content)}
    arrays = store.tensors.values()
    kind = "numpy" if all(isinstance(array, np.ndarray) for array in arrays) else "torch"
    with whole_file(path) as file:
        write = import_module(f"safetensors.{kind}").save_file
        write(store.tensors, file, metadata=header | {"arrays": kind})


def load_trace(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of the trace in a file, as arrays of the library of its run, which stay
    there until they are looked at.

    It has no model, so nothing can be ablated.
    """
    path = Path(path)
    if not path.is_file():
        raise NotFoundError(
            f"there is no trace at {path}; give a file that trace.save has written."
        )
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
        if header.get("arrays") == "numpy":
            tensors = _mapped(path)
        else:
            with safe_open(path, framework="pt") as file:
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise DamagedFileError(
            f"{path} is not a complete safetensors file ({error}); was it cut short? Save it again."
        ) from error
    if header.get("format") != FORMAT:
        raise DamagedFileError(
            f"{path} does not hold a trace; give a file that trace.save has written."
        )
    if header.get("version") != str(VERSION):
        raise UnsupportedError(
            f"{path} is a trace of version {header.get('version')}, but this regard reads version"
            f" {VERSION}; trace the text again."
        )
    with refusing(f"{path} is not a trace as regard writes it"):
        return trace_fields(header["trace"], tensors)


def _mapped(path: Path) -> dict[str, Array]:
    """Return the arrays of a file that safetensors has checked."""
    file = np.memmap(path, np.uint8, "r")
    entries, start = safetensors_entries(file.data)
    arrays = {}
    for name, entry in entries.items():
        first, last = (start + place for place in entry["data_offsets"])
        arrays[name] = file[first:last].view(DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


class Store:
    """Tensors by name, and values that are or hold tensors in terms of these names."""

    def __init__(self) -> None:
        self.tensors: dict[str, Array] = {}
        self._names: dict[tuple[object, ...], str] = {}

    def put(self, value: object) -> object:
        """Describe the value in what JSON can hold."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if hasattr(value, "shape"):
            return {"tensor": self._name(value)}
        if isinstance(value, masks.Mask) and type(value).__name__ in MASKS:
            held = {k: self.put(v) for k, v in vars(value).items() if not k.startswith("_")}
            return {"mask": type(value).__name__, "fields": held}
        if isinstance(value, Distances):
            held = {name: self.put(part) for name, part in value._asdict().items()}
            return {"distances": "vectors", "fields": held}
        if is_dataclass(value) and type(value).__name__ in SCORES:
            held = {part.name: self.put(getattr(value, part.name)) for part in fields(value)}
            return {"score": type(value).__name__, "fields": held}
        for name, function in scores.NAMED.items():
            if function is value:
                return {"score": name, "fields": {}}
        raise UnsupportedError(
            f"a trace file can hold only the masks and scores of regard.attention; got {value!r}."
            " Keep this trace in memory."
        )

    def _name(self, array: Array) -> str:
        is_numpy = isinstance(array, np.ndarray)
        place = array.ctypes.data if is_numpy else array.data_ptr()
        strides = array.strides if is_numpy else array.stride()
        same = (place, tuple(array.shape), strides, array.dtype)
        if same not in self._names:
            self._names[same] = str(len(self.tensors))
            self.tensors[self._names[same]] = (
                np.ascontiguousarray(array)
                if is_numpy
                else array.detach().cpu().contiguous().clone()
            )
        return self._names[same]


def taken_out(value: object, tensors: dict[str, Array]) -> Any:
    """Return the value that `Store.put` described."""
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensors[value["tensor"]]
    held = {name: taken_out(part, tensors) for name, part in value["fields"].items()}
    if "distances" in value:
        return Distances(**held)
    if "mask" in value:
        mask = MASKS[value["mask"]].__new__(MASKS[value["mask"]])
        vars(mask).update(held)
        return mask
    if value["score"] in SCORES:
        return SCORES[value["score"]](**held)
    return scores.NAMED[value["score"]]


def _check(tap: Tap) -> None:
    """Raise an exception for a tap whose parts are not what they are used as."""
    query, key, value, score, mask, bias = tap.attention
    if not all(getattr(tensor, "ndim", None) == 4 for tensor in (query, key, value)):
        raise TypeError("query, key and value must be tensors of four dimensions")
    for name, tensor in (("bias", bias), *((name, getattr(tap, name)) for name in TENSORS)):
        if tensor is not None and not hasattr(tensor, "shape"):
            raise TypeError(f"{name} must be a tensor; got {tensor!r}")
    if not isinstance(mask, masks.Mask | None):
        raise TypeError(f"mask must be a mask; got {mask!r}")
    check(query, key, value, score, mask, bias)
    shape = tuple(query.shape[:3])
    if tap.known_lse is not None and tuple(tap.known_lse.shape) != shape:
        raise ValueError(f"known_lse must be {shape}; got {tuple(tap.known_lse.shape)}")
    if tap.distances is not None:
        _check_distances(tap.distances, tap)
    if tap.output_weight is not None:
        weight = tuple(tap.output_weight.shape)
        if len(weight) != 3 or weight[:2] != (tap.heads, value.shape[3]):
            raise ValueError(f"output_weight must be of each head; got {weight}")
    for name, kind in KINDS.items():
        if not isinstance(getattr(tap, name), kind):
            raise TypeError(f"{name} must be of another type; got {getattr(tap, name)!r}")
    check_choice("kind", tap.kind, ("self", "cross"))
    check_choice("side", tap.side, ("encoder", "decoder"))
    if not all(isinstance(note, str) for note in tap.notes):
        raise TypeError("notes must be texts")
    if mask is not None:
        lengths = (min(array.shape[2], 2) for array in (query, key))
        mask.tile(*(arrays_of(query).count(length, like=query) for length in lengths))
    score(query[:1, :1, :1], key[:1, :1, :1])


def _check_distances(distances: Distances, tap: Tap) -> None:
    """Raise an exception for vectors of distances that do not fit the tap's queries and keys."""
    count = distances.query.shape[2]
    shape = (1, tap.heads, count, tap.head_dim)
    if not tuple(distances.query.shape) == tuple(distances.key.shape) == shape:
        raise ValueError(f"the distances must be {shape}; got {tuple(distances.query.shape)}")
    if tuple(distances.rows.shape) != (tap.rows, tap.columns):
        raise ValueError("each query and key must have a distance")
    if not (distances.rows >= 0).all() or not (distances.rows < count).all():
        raise ValueError(f"distances must be from 0 to {count - 1}")


def _check_axes(axes: dict[str, AxisInfo], sizes: Iterable[tuple[str, int]]) -> None:
    """Raise an exception for axes whose parts do not fit each other, or what has these sizes."""
    for name, size in sizes:
        if name not in axes or len(axes[name].tokens) != size:
            raise ValueError(f"there must be an axis {name!r} with {size} tokens")
    for name, axis in axes.items():
        length = len(axis.tokens)
        for spans in (axis.words or [], axis.sentences or []):
            ends = [0, *(end for span in spans for end in span), length]
            if ends != sorted(ends):
                raise ValueError(
                    f"words and sentences of {name!r} must be in order, up to {length}"
                )
        predicted = length if axis.predicts is None else len(axis.predicts)
        if predicted != length or not 0 <= axis.prompt <= length:
            raise ValueError(f"{name!r} must have as many predictions as its {length} tokens")


def _check_generation(made: GenerationInfo, axes: dict[str, AxisInfo]) -> None:
    """Raise an exception for a generation on no axis, or of which nothing is shown."""
    if made.axis not in axes or not 0 <= made.shown < len(made.hypotheses):
        raise ValueError("a generation must name its axis and the hypothesis that is shown")


def _check_routes(route: Routes) -> None:
    """Raise an exception for routes whose parts are not what they are used as."""
    kinds = {"name": str, "layer": int, "axis": str, "per_token": int}
    if not all(isinstance(getattr(route, name), kind) for name, kind in kinds.items()):
        raise TypeError("routes must have a name, a layer, an axis and a number of experts")
    if getattr(route.probabilities, "ndim", None) != 3:
        raise TypeError("probabilities must be a tensor of three dimensions")
    if not 1 <= route.per_token <= route.probabilities.shape[2]:
        raise ValueError(f"per_token must be from 1 to the experts; got {route.per_token}")


def trace_fields(trace: str, tensors: dict[str, Array]) -> dict[str, Any]:
    """Return the fields of a trace, from the JSON of its `Content`."""
    from pydantic import TypeAdapter  # slow to import, and needed for reading only

    content = TypeAdapter(Content).validate_json(trace)
    taps = {}
    for entry in content.taps:
        parts = {name: taken_out(entry.get(name), tensors) for name in PARTS}
        parts |= {name: entry[name] for name in FIELDS}
        attention = Attention(*(taken_out(entry[name], tensors) for name in Attention._fields))
        taps[entry["name"]] = tap = Tap(attention=attention, **parts)
        _check(tap)
    routes = {}
    for entry in content.routes:
        route = Routes(**{name: taken_out(value, tensors) for name, value in entry.items()})
        _check_routes(route)
        routes[route.name] = route
    sizes = [(route.axis, route.probabilities.shape[1]) for route in routes.values()]
    for tap in taps.values():
        sizes += [(tap.queries, tap.rows), (tap.keys, tap.columns)]
    _check_axes(content.axes, sizes)
    if content.generation is not None:
        _check_generation(content.generation, content.axes)
    check_choice("task", content.task, get_args(ModelTask))
    content.notes.append("loaded from a file: nothing can be ablated without the model")
    return vars(content) | {"taps": taps, "routes": routes}
