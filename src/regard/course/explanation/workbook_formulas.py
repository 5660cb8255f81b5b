"""The formulas of attention's steps: plain ones, which every spreadsheet program recalculates.

A dot product of two rows is SUMPRODUCT(row, row), of a row and a column SUM(MMULT(row, column)).
"""

from collections.abc import Callable

from regard.course.explanation.record import Explanation, Table
from regard.course.explanation.wording import SCORES
from regard.errors import UnsupportedError

TOP, LEFT = 4, 1  # row and column of the first matrix, counted from 0; names stand before it

Formula = Callable[[int, int, int], str]
"""(matrix, row, column) to the formula of that cell, without the sign of equality."""


def check_score(explanation: Explanation) -> None:
    """Raise UnsupportedError for a score that has no plain formula."""
    score = explanation.settings.score
    if score not in SCORES:
        raise UnsupportedError(
            f"a workbook has formulas for the scores {', '.join(SCORES)}; got {score!r}. Leave out"
            " the workbook, or choose one of these."
        )


# Steps whose formula is another's.
_ALIKE = {
    **dict.fromkeys(("positions", "biased", "residual"), "sum"),
    **dict.fromkeys(("query", "key", "value"), "projected"),
    **dict.fromkeys(("rotated_query", "rotated_key"), "rotated"),
    "output": "normalized",
}


class Formulas:
    """Place of each number, and the formulas that use it."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation, self.settings = explanation, explanation.settings

    def of(self, table: Table) -> Formula | None:
        """Return the formula of a step's cells; None where they are given."""
        inputs: list[str] = getattr(table, "inputs", [])
        if not inputs:
            return None
        formula: Formula = getattr(self, f"_{_ALIKE.get(table.name, table.name)}")(*inputs)
        return formula

    def top(self, name: str, matrix: int) -> int:
        """Return the first row of a head's matrix; a row of names and an empty one stand between
        two."""
        return TOP + matrix * (self.explanation[name].shape[-2] + 2)

    def cell(self, name: str, matrix: int, row: int, column: int) -> str:
        return f"'{name}'!{address(self.top(name, matrix) + row, LEFT + column)}"

    def row(self, name: str, matrix: int, row: int) -> str:
        last = address(self.top(name, matrix) + row, LEFT + self.explanation[name].shape[-1] - 1)
        return f"{self.cell(name, matrix, row, 0)}:{last}"

    def column(self, name: str, matrix: int, column: int) -> str:
        height = self.explanation[name].shape[-2]
        last = address(self.top(name, matrix) + height - 1, LEFT + column)
        return f"{self.cell(name, matrix, 0, column)}:{last}"

    def _sum(self, first: str, second: str) -> Formula:
        return lambda h, i, j: f"{self.cell(first, h, i, j)}+{self.cell(second, h, i, j)}"

    def _normalized(self, table: str, gamma: str, *rest: str) -> Formula:
        beta, epsilon = rest[0] if len(rest) > 1 else None, rest[-1]

        def normalized(h: int, i: int, j: int) -> str:
            x, cell = self.row(table, 0, i), self.cell(table, 0, i, j)
            small = self.cell(epsilon, 0, 0, 0)
            if self.settings.norm == "rms":
                text = f"{cell}/SQRT(SUMSQ({x})/COLUMNS({x})+{small})"
            else:
                text = f"({cell}-AVERAGE({x}))/SQRT(DEVSQ({x})/COLUMNS({x})+{small})"
            text += f"*{self.cell(gamma, 0, 0, j)}"
            return text if beta is None else f"{text}+{self.cell(beta, 0, 0, j)}"

        return normalized

    def _projected(self, table: str, weight: str | None = None, bias: str | None = None) -> Formula:
        def projected(h: int, i: int, j: int) -> str:
            if weight is None:  # a head has its part of the vector
                return self.cell(table, 0, i, h * self.settings.head_dim + j)
            product = f"SUM(MMULT({self.row(table, 0, i)},{self.column(weight, h, j)}))"
            return product if bias is None else f"{product}+{self.cell(bias, h, 0, j)}"

        return projected

    def _rotated(self, table: str, cosine: str, sine: str) -> Formula:
        half = self.settings.head_dim // 2

        def rotated(h: int, i: int, j: int) -> str:
            sign, partner = ("-", j + half) if j < half else ("+", j - half)
            first = f"{self.cell(table, h, i, j)}*{self.cell(cosine, 0, i, j % half)}"
            second = f"{self.cell(table, h, i, partner)}*{self.cell(sine, 0, i, j % half)}"
            return f"{first}{sign}{second}"

        return rotated

    def _scores(self, query: str, key: str) -> Formula:
        formula, key_head = SCORES[self.settings.score].cell, self.settings.key_head
        return lambda h, i, j: formula.format(
            q=self.row(query, h, i), k=self.row(key, key_head(h), j)
        )

    def _scaled(self, scores: str, *rest: str) -> Formula:
        by = [f"{'*' if name == 'scale' else '/'}{self.cell(name, 0, 0, 0)}" for name in rest]
        return lambda h, i, j: "".join([self.cell(scores, h, i, j), *by])

    def _masked(self, scores: str, allowed: str | None = None) -> Formula:
        def masked(h: int, i: int, j: int) -> str:
            score = self.cell(scores, h, i, j)
            if allowed is None:
                return score
            # A spreadsheet has no −∞; MAX leaves out a text.
            return f'IF({self.cell(allowed, h, i, j)}=1,{score},"")'

        return masked

    def _weights(self, masked: str) -> Formula:
        beside = Softmax(self)

        def weight(h: int, i: int, j: int) -> str:
            total = beside.at(h, i, beside.total)
            return f"IF({total}=0,0,{beside.at(h, i, beside.powers + j)}/{total})"

        return weight

    def _attended(self, weights: str, value: str) -> Formula:
        key_head = self.settings.key_head
        return lambda h, i, j: (
            f"SUM(MMULT({self.row(weights, h, i)},{self.column(value, key_head(h), j)}))"
        )

    def _joined(self, attended: str) -> Formula:
        wide = self.settings.head_dim
        return lambda h, i, j: self.cell(attended, j // wide, i, j % wide)


class Softmax:
    """Columns beside the weights, on their sheet: each row's largest score, the sum of its
    powers, and the powers themselves, exp(score − largest)."""

    def __init__(self, formulas: Formulas) -> None:
        self.formulas = formulas
        self.keys = formulas.explanation["weights"].shape[-1]
        self.largest = LEFT + self.keys + 1
        self.total = self.largest + 1
        self.powers = self.total + 2

    def at(self, head: int, row: int, column: int) -> str:
        return address(self.formulas.top("weights", head) + row, column)

    def of_largest(self, head: int, row: int, _: int) -> str:
        return f"MAX({self.formulas.row('masked', head, row)})"

    def of_power(self, head: int, row: int, key: int) -> str:
        score = self.formulas.cell("masked", head, row, key)
        return f'IF({score}="",0,EXP({score}-{self.at(head, row, self.largest)}))'

    def of_total(self, head: int, row: int, _: int) -> str:
        first = self.at(head, row, self.powers)
        return f"SUM({first}:{self.at(head, row, self.powers + self.keys - 1)})"


def address(row: int, column: int) -> str:
    """Both counted from 0 to a name as "B5"."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"
