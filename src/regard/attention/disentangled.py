"""Disentangled scores: a score as a sum of three (He et al. 2021, DeBERTa, equation 2)."""

from typing import NamedTuple

from regard.arrays import Array, arrays_of
from regard.attention.scores import Score
from regard.shapes import Float, Int


class Distances(NamedTuple):
    """Vectors of the distances in a text, with which queries and keys are compared too.

    >>> from regard.attention import dot
    >>> near, far = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> vectors = torch.cat([near, far])[None, None]
    >>> distances = Distances(query=vectors, key=vectors, rows=torch.tensor([[0, 1], [1, 0]]))
    >>> x = torch.tensor([[2.0, 3.0], [4.0, 5.0]])[None, None]
    >>> distances.scores(dot, x, x)[0]
    tensor([[[[2., 3.],
              [5., 4.]]]])
    """

    query: Array  # (1, heads, distances, head_dim)
    key: Array  # likewise
    rows: Array  # (queries, keys): the number of the distance between the two

    def scores(
        self,
        score: Score,
        query: Float[Array, "batch heads queries head_dim"],
        key: Float[Array, "batch heads keys head_dim"],
    ) -> tuple[Float[Array, "batch heads queries keys"], Float[Array, "batch heads queries keys"]]:
        """Content to position and position to content, (batch, heads, queries, keys) each:
        score(query, distance) and score(distance, key), of query (batch, heads, queries, head_dim)
        and key (batch, heads, keys, head_dim)."""
        along, rows = arrays_of(query).along, self.rows[None, None]
        return along(score(query, self.key), rows, -1), along(score(self.query, key), rows, -2)

    def part(
        self, head: int, queries: Int[Array, " tile_queries"], keys: Int[Array, " tile_keys"]
    ) -> "Distances":
        """Those of one head, for some of the queries and keys."""
        one, rows = slice(head, head + 1), self.rows[queries[:, None], keys]
        return Distances(self.query[:, one], self.key[:, one], rows)
