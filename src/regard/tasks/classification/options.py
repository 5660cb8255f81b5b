"""The options of its use."""

from regard.errors import BadArgumentError
from regard.options import Options, option


class ClassificationOptions(Options):
    """Options of classifying."""

    top_k: int | None = option(
        1, "Labels for each text; if more than one, as line number, label and score.", min=1
    )
    labels: str | None = option(
        None, "Labels of your own with commas between them, for a model of entailment (NLI)."
    )
    template: str | None = option(
        None,
        "What the model is asked about a label, which takes the place of {}.",
        shown="'This example is {}.'",
    )
    multi_label: bool = option(
        False, "Score each of these labels by itself; else they share a probability of one."
    )

    def check(self) -> None:
        if self.labels is None and (self.template is not None or self.multi_label):
            name = "multi_label" if self.template is None else "template"
            raise BadArgumentError(f"`{name}` is about labels of your own; give `labels` too.")
