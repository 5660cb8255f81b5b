"""Changed config.json files of every family: the numbers are those of transformers, or a refusal.

The keys are those of transformers' own config classes, and of rope_parameters and the like inside
them; each is left out, emptied, and given other values of its kind. `python -m fuzz.configs` counts
what becomes of them, and by kind those that transformers opens and we refuse.
"""

import argparse
import json
import random
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn

from regard.checkpoints import from_pretrained
from regard.errors import RegardError

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import parity
finally:
    sys.path.pop(0)

CASES = {case.name: case for case in parity.CASES}
ACTIVATIONS = ("relu", "gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "tanh", "quick_gelu")
WORDS = (*ACTIVATIONS, *(f"gated-{name}" for name in ACTIVATIONS), "absolute", "relative_key", "x")
KINDS = ("default", "linear", "dynamic", "yarn", "longrope", "llama3")
LAYERS = ("full_attention", "sliding_attention")
# What names the class and where it comes from, not what it computes.
LEFT_ALONE = {"architectures", "model_type", "transformers_version", "dtype", "torch_dtype"}
LEFT_ALONE |= {"output_hidden_states", "output_attentions", "return_dict", "id2label", "label2id"}
ALONE = "refused, and opened by transformers"
OUTCOMES = ("equal", "refused", "refused by transformers too", "other numbers", "exceptions")
OTHERS = "others"
# Of refusals of what transformers opens, by their sentences; the first that fits counts.
KINDS = {
    "settings that contradict each other, or the weights": (
        r"to which config.json ties|dense_act_fn must|is_gated_act must|layer_types"
    ),
    "null or nothing in the place of a number": (
        r"got None|must have the key|has none|says null|TypeError"
    ),
    "fewer positions than the text has tokens": r"the model has \d",
    "a number that cannot be, such as a negative size": (
        r"must be (at least|from|above|below|a multiple|a number above|even)"
        r"|need an even|needs? (left|a position)|negative dimension|high_freq_factor"
    ),
    "M2M100 whose texts begin with padding": r"must not be pad_token_id",
    "a pooler's activation that is not implemented": r"pooler_activation must be one of",
    "another setting that is not implemented": r"must be one of| model here;|for this model;",
}
TOLERANCE = 1e-5
Config = dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    """A config.json with one key changed, at a path such as ("rope_parameters", "factor")."""

    path: tuple[str, ...]
    config: Config

    def __str__(self) -> str:
        value: Any = self.config
        for key in self.path:
            value = value.get(key, "left out") if isinstance(value, dict) else value
        return f"{'.'.join(self.path)} = {value!r}"


def prepare(name: str, folder: Path) -> Config:
    """Write a case's model to the folder; its config.json with every key of the class."""
    model = CASES[name].build()
    model.save_pretrained(folder)
    written: Config = json.loads((folder / "config.json").read_text())
    return json.loads(json.dumps(model.config.to_dict(), default=str)) | written


def mutants(config: Config) -> Iterator[Mutant]:
    """Each key of a config.json changed in each way."""
    for path, value in _values(config):
        for change in (..., *_changes(path[-1], value)):
            changed = json.loads(json.dumps(config))
            place = changed
            for key in path[:-1]:
                place = place[key]
            if change is ...:
                place.pop(path[-1], None)
            else:
                place[path[-1]] = change
            if changed != config:
                yield Mutant(path, changed)


def _values(config: Config, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in config.items():
        if key not in LEFT_ALONE:
            yield (*above, key), value
            if isinstance(value, dict):
                yield from _values(value, (*above, key))


def _changes(key: str, value: Any) -> list[Any]:
    if key in ("rope_type", "type"):
        return [None, *KINDS]
    if key == "layer_types":
        count = len(value) if value else 3
        layers = [[LAYERS[(i >> bit) & 1] for bit in range(count)] for i in range(2**count)]
        return [None, [], *layers]
    if isinstance(value, bool):
        return [None, not value]
    if isinstance(value, int):
        return [None, 0, 1, 2, 5, value - 1, value + 1, 2 * value, -1]
    if isinstance(value, float):
        return [None, 0.0, 0.5, 1.0, 2 * value, value + 1e-3]
    if isinstance(value, str):
        return [None, *WORDS]
    if isinstance(value, list):
        return [None, [], value[::-1], value[:1]]
    if isinstance(value, dict):
        return [None, {}]
    return [True, False, 0, 1, 2, 5, 0.5, {}, []]


@torch.no_grad()
def outcome(name: str, folder: Path, mutant: Mutant) -> tuple[str, str]:
    """One of OUTCOMES, and the difference or the error's sentence."""
    (folder / "config.json").write_text(json.dumps(mutant.config))
    try:
        ours = from_pretrained(folder)
    except RegardError as error:
        return "refused", str(error)
    except Exception as error:
        return "exceptions", f"{type(error).__name__}: {error}"
    theirs = _theirs(name, folder)
    if theirs is None:
        return "refused by transformers too", ""
    worst = 0.0
    for padded in (False, getattr(ours.config, "pad_id", None) is not None):
        try:
            batch = parity.batch_for(ours, padded=padded)
            output = ours(**batch.ours)
        except RegardError as error:
            return "refused", str(error)
        except Exception as error:
            return "exceptions", f"{type(error).__name__}: {error}"
        expected = None
        with suppress(Exception):
            expected = parity._answer(theirs(**batch.theirs))
        if expected is None:
            return "refused by transformers too", ""
        if output.shape != expected.shape:
            return "other numbers", f"{tuple(output.shape)}, not {tuple(expected.shape)}"
        worst = max(worst, parity._largest(output, expected, batch.counted))
    return ("equal" if worst <= TOLERANCE else "other numbers"), f"{worst:.1e}"


def _theirs(name: str, folder: Path) -> nn.Module | None:
    """The model as transformers opens it whole; None where it does not."""
    architecture = getattr(transformers, CASES[name].architecture)
    with suppress(Exception):
        model, report = architecture.from_pretrained(
            folder, output_loading_info=True, attn_implementation="eager"
        )
        missing = [each for each in report.pop("missing_keys") if "embed_positions" not in each]
        if not missing and not any(report.values()):
            return model.eval()
    return None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps transformers from writing, for a while."""
    logging = transformers.utils.logging
    verbosity, shows = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if shows:
            logging.enable_progress_bar()


def kind_of(sentence: str) -> str:
    """The kind of a refusal."""
    return next((kind for kind, fits in KINDS.items() if re.search(fits, sentence)), OTHERS)


def attack(name: str, tries: int | None = None, seed: int = 1) -> tuple[int, list[str]]:
    """The number of mutants of a case, all or so many by chance, and those that are neither equal
    nor refused."""
    outcomes = list(_outcomes(name, tries, seed))
    return len(outcomes), [
        f"{mutant}: {result}: {detail[:150]}"
        for mutant, result, detail in outcomes
        if result not in OUTCOMES[:3]
    ]


def _outcomes(
    name: str, tries: int | None, seed: int, *, alone: bool = False
) -> Iterator[tuple[Mutant, str, str]]:
    """Yield mutants of a case with what becomes of them.

    Args:
        alone: say ALONE of those that are refused, and that transformers opens.
    """
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings(), _quiet():
        warnings.simplefilter("ignore")
        chosen = list(mutants(prepare(name, Path(scratch))))
        if tries is not None:
            chosen = random.Random(f"{name} {seed}").sample(chosen, min(tries, len(chosen)))
        for mutant in chosen:
            result, detail = outcome(name, Path(scratch), mutant)
            if alone and result == "refused" and _theirs(name, Path(scratch)) is not None:
                result = ALONE
            yield mutant, result, detail


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--tries", type=int, help="of each case, by chance; all by default")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    counts, kinds = Counter[str](), Counter[str]()
    for name in options.cases:
        for mutant, result, detail in _outcomes(name, options.tries, options.seed, alone=True):
            counts[result] += 1
            if result == ALONE:
                kinds[kind_of(detail)] += 1
            if result not in (*OUTCOMES[:3], ALONE) or (
                result == ALONE and kind_of(detail) == OTHERS
            ):
                print(f"{name}: {mutant}: {result}: {detail[:150]}", file=sys.stderr)
    print(f"{sum(counts.values()):9,}  changes of {len(options.cases)} models' config.json")
    for result in (*OUTCOMES[:3], ALONE, *OUTCOMES[3:]):
        print(f"{counts[result]:9,}  {result}")
    print(f"\n{ALONE}, by kind:")
    for kind, number in kinds.most_common():
        print(f"{number:9,}  {kind}")


if __name__ == "__main__":
    main()
