"""Titles of the steps, and for each one sentence that says what happens."""

from typing import NamedTuple

from regard.course.explanation.inputs import Setup
from regard.course.explanation.record import Settings
from regard.inspection.views.formula import scale

LETTERS = {"query": "Q", "key": "K", "value": "V", "output": "O"}

# Symbol, rows and columns of everything that an explanation may hold.
AXES = {
    "vectors": ("X", "queries", "d_model"),
    "positions": ("X", "queries", "d_model"),
    "normalized": ("X̂", "queries", "d_model"),
    "memory": ("M", "keys", "d_model"),
    "query": ("Q", "queries", "head_dim"),
    "key": ("K", "keys", "head_dim"),
    "value": ("V", "keys", "head_dim"),
    "rotated_query": ("Q′", "queries", "head_dim"),
    "rotated_key": ("K′", "keys", "head_dim"),
    "scores": ("S", "queries", "keys"),
    "scaled": ("S′", "queries", "keys"),
    "biased": ("S″", "queries", "keys"),
    "masked": ("Ŝ", "queries", "keys"),
    "weights": ("A", "queries", "keys"),
    "attended": ("H", "queries", "head_dim"),
    "joined": ("C", "queries", "heads·head_dim"),
    "projected": ("P", "queries", "d_model"),
    "residual": ("Y", "queries", "d_model"),
    "output": ("Z", "queries", "d_model"),
    "PE": ("PE", "queries", "d_model"),
    "gamma": ("γ", "", "d_model"),
    "beta": ("β", "", "d_model"),
    "epsilon": ("ε", "", ""),
    "W_Q": ("W_Q", "d_model", "head_dim"),
    "W_K": ("W_K", "d_model", "head_dim"),
    "W_V": ("W_V", "d_model", "head_dim"),
    "W_O": ("W_O", "heads·head_dim", "d_model"),
    "b_Q": ("b_Q", "", "head_dim"),
    "b_K": ("b_K", "", "head_dim"),
    "b_V": ("b_V", "", "head_dim"),
    "b_O": ("b_O", "", "d_model"),
    "cosine": ("cos", "queries", "head_dim / 2"),
    "sine": ("sin", "queries", "head_dim / 2"),
    "scale": ("1/√head_dim", "", ""),
    "temperature": ("temperature", "", ""),
    "bias": ("B", "queries", "keys"),
    "allowed": ("allowed", "queries", "keys"),
}


class Scoring(NamedTuple):
    """A score before it is scaled: in words, as an equation, and as a formula of a spreadsheet."""

    words: str
    equation: str
    cell: str


_DOT = Scoring("the dot product of the two", "{q} · {k}ᵀ", "SUMPRODUCT({q},{k})")
SCORES = {
    "dot": _DOT,
    "scaled_dot": _DOT,
    "scaled": _DOT,
    "cosine": Scoring(
        "the cosine of the angle between them",
        "cos({q}, {k})",
        "SUMPRODUCT({q},{k})/SQRT(SUMSQ({q})*SUMSQ({k}))",
    ),
    "gaussian": Scoring(
        "minus half their squared distance", "−‖{q} − {k}‖² / 2", "-SUMXMY2({q},{k})/2"
    ),
    "average": Scoring(
        "zero, whatever they are, so that all keys count the same", "0", "0*SUM({q})"
    ),
}

_PROJECTED = {
    "query": "What each token looks for",
    "key": "What each token can be found by",
    "value": "What each token has to give to those that look at it",
}

_SUBSCRIPTS = {ord("0") + digit: 0x2080 + digit for digit in range(10)}

Wording = tuple[str, str, str]
"""Title, sentence and equation of a step."""

# The steps that are the same in every explanation.
_FIXED: dict[str, Wording] = {
    "positions": (
        "Positions",
        "Waves, different at every position, are added so that the order of the words counts.",
        "X ← X + PE",
    ),
    "memory": (
        "Memory",
        "The vectors of the other text, which keys and values are made from.",
        "M = the vectors of the other text",
    ),
    "rotated_query": (
        "Rotated query",
        "Each pair of numbers is rotated by an angle that grows with the position.",
        "Q′ = Q rotated by its position",
    ),
    "rotated_key": (
        "Rotated key",
        "Keys are rotated too, so that scores depend on the distance between two tokens.",
        "K′ = K rotated by its position",
    ),
    "biased": (
        "Bias",
        "A number for each distance between two tokens is added to their score.",
        "S″ = S′ + B",
    ),
    "weights": (
        "Softmax",
        "The softmax makes each row of scores into weights that add up to 1.",
        "A = exp(Ŝ − max) / Σ exp(Ŝ − max), row by row",
    ),
    "attended": (
        "Weighted values",
        "Each token gets the average of the values, weighted by how much it looks at each.",
        "H = A · V",
    ),
}


class Words:
    """Title, sentence and equation of the steps of one explanation."""

    def __init__(self, setup: Setup, settings: Settings) -> None:
        self.setup, self.settings = setup, settings

    def of(self, name: str) -> Wording:
        if name in _PROJECTED:
            return self._projection(name)
        wording: Wording = _FIXED.get(name) or getattr(self, f"_{name}")()
        return wording

    @property
    def _x(self) -> str:
        return "X̂" if self.setup.norm is not None and self.setup.norm_first else "X"

    def _vectors(self) -> Wording:
        size = f"{self.setup.d_model} number{'s' if self.setup.d_model > 1 else ''}"
        if self.settings.tap is None:
            sentence = f"Each token is looked up in a table of words: a vector of {size}."
            return "Vectors", sentence, "X = a row of the table for each token"
        sentence = f"What enters {self.settings.tap} of {self.settings.source}: a vector of {size}"
        if self.setup.rotation is not None or self.setup.bias is not None:
            sentence += " per token."
        else:
            sentence += " for each token, which already knows its position."
        return "Vectors", sentence, "X = the output of the layers below"

    def _normalized(self) -> Wording:
        assert self.setup.norm is not None
        if self.setup.norm.kind == "rms":
            sentence = "Each vector is scaled so that its root mean square is 1."
            return "Normalized", sentence, "X̂ = γ ⊙ X / √(mean(X²) + ε)"
        sentence = (
            "Each vector is normalized to mean 0 and standard deviation 1, then scaled and shifted."
        )
        return "Normalized", sentence, "X̂ = γ ⊙ (X − mean) / √(variance + ε) + β"

    def _scores(self) -> Wording:
        scoring = SCORES.get(self.settings.score, _DOT)
        q, k = ("Q", "K") if self.setup.rotation is None else ("Q′", "K′")
        equation = f"S = {scoring.equation.format(q=q, k=k)}"
        return "Scores", f"How similar each query and each key are: {scoring.words}.", equation

    def _scaled(self) -> Wording:
        factor, t = scale(self.setup.score, self.setup.head_dim), self.setup.temperature
        divisors, reasons = [], []
        if factor not in (None, 1.0):
            usual = abs(factor**-2 - self.setup.head_dim) < 1e-6
            root = "√head_dim" if usual else f"{1 / factor:g}"
            divisors.append(root)
            reasons.append(
                f"divided by {root} = {1 / factor:.4g}, so that long vectors do not"
                " make the softmax all or nothing"
            )
        if t != 1:
            divisors.append("temperature")
            effect = "sharper" if t < 1 else "flatter"
            reasons.append(f"divided by the temperature {t:g}, which makes the weights {effect}")
        if not divisors:
            return "Scale", "Nothing is scaled here: the scores stay as they are.", "S′ = S"
        divisor = divisors[0] if len(divisors) == 1 else f"({' · '.join(divisors)})"
        return "Scale", f"The scores are {' and '.join(reasons)}.", f"S′ = S / {divisor}"

    def _masked(self) -> Wording:
        before = "S″" if self.setup.bias is not None else "S′"
        if self.setup.mask is None:
            sentence = "Nothing is hidden: every token may look at every token."
            return "Mask", sentence, f"Ŝ = {before}"
        if self.settings.mask == "causal":
            sentence = "The future is hidden: a token's score for those after it is −∞."
        else:
            hidden = f"is hidden ({self.settings.mask})"
            sentence = f"What a token may not look at {hidden}: its score is −∞."
        return "Mask", sentence, f"Ŝ = {before} where allowed, else −∞"

    def _joined(self) -> Wording:
        heads = self.setup.heads
        if heads == 1:
            return "Heads joined", "There is one head, so there is nothing to join.", "C = H"
        sentence = f"The outputs of the {heads} heads are put side by side."
        return "Heads joined", sentence, f"C = [H₁ … H{str(heads).translate(_SUBSCRIPTS)}]"

    def _projected(self) -> Wording:
        sentence = "A last matrix mixes what the heads found into one vector for each token."
        return "Projection", sentence, "P = C · W_O" + self._bias("output")

    def _residual(self) -> Wording:
        added = "P" if "output" in self.setup.projections else "C"
        sentence = "The input vector is added: attention changes a meaning but does not replace it."
        return "Residual", sentence, f"Y = X + {added}"

    def _output(self) -> Wording:
        assert self.setup.norm is not None
        _, sentence, equation = self._normalized()
        return "Normalized", sentence, equation.replace("X̂", "Z", 1).replace("X", "Y")

    def _made(self) -> str:
        if self.setup.projections:
            return "its vector times a matrix" + (" of each head" if self.setup.heads > 1 else "")
        return "its vector itself" if self.setup.heads == 1 else "each head's part of its vector"

    def _projection(self, name: str) -> Wording:
        """Wording of query, key or value."""
        letter, states = LETTERS[name], self._x
        if self.setup.crosses and name != "query":
            states = "M"
        if self.setup.projections:
            equation = f"{letter} = {states} · W_{letter}{self._bias(name)}"
        else:
            part = "" if self.setup.heads == 1 else ", its head's columns"
            equation = f"{letter} = {states}{part}"
        return name.title(), f"{_PROJECTED[name]}: {self._made()}.", equation

    def _bias(self, name: str) -> str:
        return "" if self.setup.projections[name].bias is None else f" + b_{LETTERS[name]}"
