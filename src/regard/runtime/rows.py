"""Rows over shared keys and values, one for each hypothesis that a packed model extends."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.runtime.session import Array, Bound, Session

Ints = NDArray[np.int64]

BLOCK = 16  # keys
# Tokens of one text that are read at once: each of them is compared with every token so far and
# with the others, those that follow it included.
PIECE = 192
# A masked score; its exponential is 0 beside any other.
MASKED = np.finfo(np.float32).min


def check_length(length: int, max_positions: int | None) -> None:
    """Raises BadArgumentError for a sequence that is too long for the model."""
    if max_positions is not None and length > max_positions:
        raise BadArgumentError(
            f"the model has {max_positions} positions; got a sequence of {length}"
            " tokens. Split the text or use a model with more positions."
        )


class Rows:
    """Keys and values of rows, which one step of the model reads and extends.

    A row's keys follow each other without gaps. The graph writes into the storage that it reads,
    which doubles when it is full. A row that is not read keeps its length, and is computed for
    nothing.

    Args:
        step: the graph of a step.
        max_positions: tokens that a row may have; None: no limit.
        encoder: of an encoder–decoder. Its memory has one row for each source: the rows of a
            text are further queries of it.

    Attributes:
        width: rows of each text.
        lengths: tokens of each row.
    """

    def __init__(self, step: Session, max_positions: int | None, encoder: Session | None = None):
        self.width, self.lengths = 1, np.zeros(0, np.int32)
        self._step, self._encoder = step, encoder
        self._max_positions = 2**31 if max_positions is None else max_positions
        self._vocab = int(step.outputs["logits"][1])
        pasts = {name: shape for name, shape in step.shapes.items() if name.startswith("past_")}
        self._names = [name.removeprefix("past") for name in pasts]
        _, heads, _, head_dim = next(iter(pasts.values()))
        # (2 · layers, rows, heads, room, head_dim)
        self._past = np.zeros((len(pasts), 0, int(heads), 0, int(head_dim)), np.float32)
        memory = {name: shape for name, shape in step.shapes.items() if "source" in shape}
        self._axes = {name: shape.index("source") for name, shape in memory.items()}
        self._memory = {name: np.zeros((0,) * len(shape)) for name, shape in memory.items()}
        self._sources = np.zeros(0, np.int64)  # length of each text's memory
        self._count = np.ones(1, np.int64)
        self._bound: dict[Any, tuple[Bound, dict[str, Array], list[Array]]] = {}

    @property
    def size(self) -> int:
        """Texts that are computed."""
        return len(self.lengths) // self.width

    def again(self) -> "Rows":
        """Rows over storage of their own, without texts, of the same language model."""
        return Rows(self._step, self._max_positions)

    def begin(self, texts: int, width: int = 1) -> None:
        """Makes this the storage of so many texts, which have no tokens yet, and whose sources, if
        they have any, are encoded together."""
        self._store(np.zeros(0, np.int64), texts * width, 0)
        self.width, self.lengths = width, np.zeros(texts * width, np.int32)
        self._sources = np.zeros(texts, np.int64)

    def keys_of(self, row: int) -> NDArray[np.float32]:
        """The keys and values of a row, (2 · layers, heads, length, head_dim)."""
        return self._past[:, row, :, : self.lengths[row]]

    def read(
        self,
        rows: Ints,
        tokens: Ints,
        outputs: tuple[str, ...],
        count: int | None = None,
        new: Ints | None = None,
    ) -> list[Array]:
        """Appends tokens, (rows,) or (rows, new), to these rows.

        Args:
            outputs: names of what is returned of each row's last token, (rows, vocab or count).
            count: of the likeliest next tokens; None: as before.
            new: tokens of each row that are no padding, which is behind them; None: all.
        """
        if count is not None and (count := min(count, self._vocab)) != self._count[0]:
            self._count[0] = count
            self._bound.clear()
        tokens = tokens.reshape(len(rows), -1)
        if new is not None and len(self.lengths) > 1:
            arrays = self._append(rows, tokens, new, outputs)
        else:  # several are read at once of a single row only
            size = PIECE if len(self.lengths) == 1 and self._encoder is None else 1
            for start in range(0, tokens.shape[1], size):
                piece = tokens[:, start : start + size]
                arrays = self._append(rows, piece, piece.shape[1], outputs)
        return [array[rows] for array in arrays]

    def move(self, rows: Ints, places: Ints) -> None:
        """Copies these rows to these places, where they are elsewhere."""
        moved = rows != places
        if moved.any():
            rows, places = rows[moved], places[moved]
            lengths = self.lengths[rows]
            length = int(lengths.max())
            self._past[:, places, :, :length] = self._past[:, rows, :, :length]
            self.lengths[places] = lengths

    def take(self, rows: Ints, width: int, size: int) -> None:
        """Makes this the storage of `size` texts of `width` rows, with copies of these rows at the
        beginning."""
        texts, lengths = rows[::width] // self.width, self.lengths[rows]
        self._store(rows, size * width, int(lengths.max(initial=0)))
        self.lengths, self.width = np.zeros(size * width, np.int32), width
        self.lengths[: len(rows)] = lengths
        if size != len(self._sources) or not np.array_equal(texts, np.arange(size)):
            self._remember(texts, size, int(self._sources[texts].max(initial=0)))

    def put(self, row: int, keys: NDArray[np.float32]) -> None:
        """Gives a row these keys and values, as `keys_of` returned them, and the other rows of its
        text, which follow it, the same length."""
        length = keys.shape[2]
        self._make_room(length)
        self._past[:, row, :, :length] = keys
        self.lengths[row : row + self.width] = length

    def encode(self, texts: Ints, source: Ints, mask: NDArray[np.int32]) -> None:
        """Encodes the sources of these texts, (texts, source length).

        Args:
            mask: of the same shape, 0 for padding, which is on the right.
        """
        assert self._encoder is not None
        names = list(self._encoder.outputs)[1:]  # without the states
        arrays = self._encoder.run({"ids": source, "mask": mask}, names)
        memory = dict(zip(names, arrays, strict=True))
        length = memory[names[0]].shape[self._axes[names[0]]]
        memory["mask"] = np.full((len(texts), 1, 1, length), MASKED)
        memory["mask"][:, 0, 0, : mask.shape[1]][mask == 1] = 0
        self._sources[texts] = length
        if len(texts) == self.size:
            self._memory = memory
            self._bound.clear()
            return
        longest, held = int(self._sources.max()), self._memory["mask"].shape[3]
        if not held // 2 < longest <= held:
            self._remember(np.arange(self.size), self.size, longest)
        for name, array in memory.items():
            self._memory[name][texts] = _empty(name)
            _cut(self._memory[name], self._axes[name], length)[texts] = array

    def clear(self, text: int) -> None:
        """Leaves the rows of a text without tokens and without a source."""
        self.lengths[text * self.width : (text + 1) * self.width] = 0
        self._sources[text] = 0

    def _append(
        self, rows: Ints, tokens: Ints, new: Ints | int, outputs: tuple[str, ...]
    ) -> list[Array]:
        """Appends the first `new` of tokens, (rows, most new), to these rows; of all rows, what
        `outputs` names, in arrays that the next run overwrites."""
        before, after, most = self.lengths, self.lengths.copy(), tokens.shape[1]
        after[rows] += new
        longest = int(after.max())
        check_length(longest, self._max_positions)
        self._make_room(max(longest, most))
        last = self._past.shape[3] - 1  # a row that is full, and not read, has no other place
        binding, inputs, arrays = self._binding(most, outputs)
        inputs["ids"][rows] = tokens
        inputs["longest"][0] = longest
        if most == 1:
            np.minimum(before, last, out=inputs["lengths"])
            inputs["position"][...] = inputs["lengths"]
        else:
            inputs["last"][rows, 0] = np.maximum(new, 1) - 1
            inputs["lengths"][...] = np.minimum(before + inputs["last"][:, 0], last)
            inputs["positions"][...] = np.minimum(before[:, None] + np.arange(most), last)
        self.lengths = after
        binding.run()
        return arrays

    def _binding(
        self, new: int, outputs: tuple[str, ...]
    ) -> tuple[Bound, dict[str, Array], list[Array]]:
        """Runs on the present storage, what they read and what they write."""
        if (new, outputs) not in self._bound:
            rows, count = len(self.lengths), int(self._count[0])
            ids, positions = np.zeros((2, rows, new), np.int64)
            inputs: dict[str, Array] = {
                "ids": ids,
                "positions": positions,
                "tokens": ids,  # names in the step of an encoder–decoder
                "position": positions.reshape(-1),
                "lengths": np.zeros(rows, np.int32),
                "longest": np.zeros(1, np.int32),
                "last": np.zeros((rows, 1), np.int64),
                "count": self._count,
            }
            read = {name: array for name, array in inputs.items() if name in self._step.shapes}
            written: dict[str, Array] = {
                "logits": np.empty((rows, self._vocab if "logits" in outputs else 0), np.float32),
                "log_probs": np.empty((rows, count), np.float32),
                "best": np.empty((rows, count), np.int64),
            }
            arrays = {name: written[name] for name in outputs}
            read |= self._memory | self._storage("past")
            binding = self._step.bound(read, arrays | self._storage("all"))
            self._bound[new, outputs] = binding, inputs, list(arrays.values())
        return self._bound[new, outputs]

    def _storage(self, prefix: str) -> dict[str, Array]:
        """Keys and values by their names in the graph."""
        return {prefix + name: past for name, past in zip(self._names, self._past, strict=True)}

    def _make_room(self, length: int) -> None:
        if length > self._past.shape[3]:
            self._store(None, len(self.lengths), length)

    def _store(self, rows: Ints | None, places: int, length: int) -> None:
        """Keys and values of so many rows, with room for more than this length; copies of these
        rows, None: of all, come first."""
        room = min((2 * (length // BLOCK) + 1) * BLOCK, self._max_positions)
        if length < self._past.shape[3] <= room:
            length = room = self._past.shape[3]  # whole rows are copied faster
        moved = self._past[:, :, :, :length]
        moved = moved if rows is None else moved.take(rows, 1)
        layers, _, heads, _, head_dim = moved.shape
        self._past = _widened(moved, (layers, places, heads, room, head_dim))
        self._bound.clear()

    def _remember(self, texts: Ints, size: int, length: int) -> None:
        """Memory of so many sources, each of this length; copies of these texts' come first."""
        self._sources = np.append(self._sources[texts], np.zeros(size - len(texts), np.int64))
        for name, axis in self._axes.items():
            shape = [size, *self._step.shapes[name][1:]]
            shape[axis] = length
            moved = _cut(self._memory[name][texts], axis, length)
            self._memory[name] = _widened(moved, tuple(shape), _empty(name))
        self._bound.clear()


def _empty(name: str) -> float:
    """Value of the memory where there is no source."""
    return float(MASKED) if name == "mask" else 0.0


def _cut(array: Array, axis: int, length: int) -> Any:
    """The first `length` places of an axis."""
    return array[(slice(None),) * axis + (slice(length),)]


def _widened(array: Array, shape: tuple[Any, ...], value: float = 0.0) -> Array:
    """A contiguous array of this shape that begins with another, and has this value elsewhere."""
    if array.shape == shape:
        return np.ascontiguousarray(array)
    whole = np.full(shape, value, np.float32) if value else np.zeros(shape, np.float32)
    whole[tuple(map(slice, array.shape))] = array
    return whole
