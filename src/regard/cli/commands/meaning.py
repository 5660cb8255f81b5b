"""`regard meaning`: one word, the vector of each place where it stands, and the one for all."""

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from regard import course
from regard.cli.options import Json, argument, model_option, option
from regard.cli.progress import progress_bar, waiting
from regard.cli.texts import text_groups
from regard.errors import BadArgumentError, DamagedFileError
from regard.figures import scatter, style

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from regard.course.words.meaning import Meaning
    from regard.course.words.states import Layers, Occurrence
    from regard.figures.scatter import Plane

    Vector = NDArray[np.float32]

STATIC, ATTENTION = "static", "attention"
TABLES = (".tsv", ".tab")
JSON_LINES = (".jsonl", ".ndjson", ".json")
UNLIKELY = 0.05  # a probability that chance separates senses as well
EXCERPT = 30  # characters shown on either side of the word

Text = Annotated[
    Path,
    option(
        "A sentence or paragraph on each line; with the word's senses: .tsv of text, tab, sense, or"
        ' .jsonl of {"text": …, "sense": …}; also .gz.',
        "--text",
        "-t",
    ),
]
ModelName = Annotated[
    str,
    model_option(
        "A shipped encoder or translator, or the folder or hub:org/name of one; static:"
        " the vectors alone; attention: parameter-free attention over them."
    ),
]
Layer = Annotated[int | None, option("Layer drawn; 0: the embedding.", default="last", min=0)]
VectorsName = Annotated[
    str | None, option("For static and attention: a file or folder.", default="words-en")
]
Picture = Annotated[Path | None, option("Picture to write: .svg, .pdf or .png.", "--figure", "-o")]


def meaning(
    word: Annotated[str, argument("The word; upper and lower case are the same.")],
    text: Text,
    model: ModelName = "minilm",
    layer: Layer = None,
    vectors: VectorsName = None,
    temperature: Annotated[
        float | None, option("For the softmax of attention.", default="√dim")
    ] = None,
    figure: Picture = None,
    as_json: Json = False,
) -> None:
    """Compare a word's one static vector with its vectors in context, and find its senses."""
    texts, senses = _read(text)
    _check(model, layer, vectors, temperature)
    with waiting("reading the text"):
        occurrences = course.words.meaning.find_occurrences(word, texts, senses)
    layers, average = _layers(model, occurrences, vectors, temperature)
    last = len(layers) - 1
    if layer is not None and layer > last:
        raise BadArgumentError(f"{model} has layers 0 to {last}; got --layer {layer}.")
    with waiting("finding clusters"):
        results = course.words.meaning.meanings(occurrences, layers, average)
    chosen = results[last if layer is None else layer]
    if figure:
        _draw(word, occurrences, chosen, model, figure)
    if as_json:
        print(json.dumps(_facts(word, occurrences, results, chosen), ensure_ascii=False))
        return
    print(_table(results, chosen, len(occurrences), model))
    print(_clusters(occurrences, chosen))
    if figure:
        print(f"The picture is in {figure}.", file=sys.stderr)


def _read(path: Path) -> tuple[list[str], list[str | None] | None]:
    """Texts, and the senses that stand beside them."""
    kind = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    lines = [
        line
        for group in text_groups(None, path, kind in JSON_LINES, what="a text")
        for line in group
        if line.text.strip()
    ]
    if kind in TABLES:
        cells = [line.text.split("\t") for line in lines]
        for line, row in zip(lines, cells, strict=True):
            if len(row) != 2:
                raise DamagedFileError(
                    f"{path}, line {line.number:,}: expected a text, a tab and its sense; got"
                    f" {len(row)} columns."
                )
        return [row[0] for row in cells], [row[1] for row in cells]
    senses = [line.fields.get("sense") for line in lines]
    for line, sense in zip(lines, senses, strict=True):
        if sense is not None and not isinstance(sense, str):
            raise DamagedFileError(f'{path}, line {line.number:,}: "sense" must be a string.')
    return [line.text for line in lines], senses if any(senses) else None


def _check(model: str, layer: int | None, vectors: str | None, temperature: float | None) -> None:
    if vectors is not None and model not in (STATIC, ATTENTION):
        raise BadArgumentError(
            f"--vectors belong to {STATIC} and {ATTENTION}; got --model {model}."
        )
    if temperature is not None and model != ATTENTION:
        raise BadArgumentError(
            f"--temperature belongs to --model {ATTENTION}; got --model {model}."
        )
    if layer and model in (STATIC, ATTENTION):
        raise BadArgumentError(f"{model} has no layers; leave out --layer {layer}.")


def _layers(
    model: str, occurrences: "list[Occurrence]", vectors: str | None, temperature: float | None
) -> "tuple[Layers, Vector | None]":
    """Return the vectors of the occurrences, layer by layer, and the word's static one if there is
    one."""
    if model in (STATIC, ATTENTION):
        static = course.words.load_vectors(vectors or "words-en")
        average = static[occurrences[0].word]
        if model == STATIC:
            return course.words.states.static_states(static, occurrences), average
        return course.words.states.attention_states(
            static, occurrences, temperature=temperature
        ), average
    with waiting(f"reading {model}"):
        reader = course.words.states.WordReader.load(model, name=model)
    with progress_bar(len(occurrences), "reading") as progress:
        return reader.states(occurrences, progress=progress), None


def _plane(chosen: "Meaning") -> "Plane":
    """Every occurrence, and the one vector for all of them as the last point."""
    import numpy as np

    return scatter.to_plane(np.vstack([chosen.states, chosen.average]))


def _groups(occurrences: "list[Occurrence]", chosen: "Meaning") -> list[str]:
    """Group of each occurrence: its sense, where all have one, or its cluster."""
    senses = [each.sense for each in occurrences]
    if all(sense is not None for sense in senses):
        return [str(sense) for sense in senses]
    return [f"cluster {number + 1}" for number in chosen.clusters.tolist()]


def _draw(
    word: str, occurrences: "list[Occurrence]", chosen: "Meaning", model: str, path: Path
) -> None:
    plane, groups = _plane(chosen), _groups(occurrences, chosen)
    names = [name for name, _ in Counter(groups).most_common()]
    if len(names) > len(style.CATEGORICAL):
        frequent = set(names[: len(style.CATEGORICAL) - 1])
        groups = [name if name in frequent else "other" for name in groups]
        names = [name for name in names if name in frequent] + ["other"]
    clouds = [
        scatter.Cloud(
            f"{name}, {groups.count(name):,} times",
            plane.points[[k for k, group in enumerate(groups) if group == name]],
        )
        for name in names
    ]
    one = "its static vector" if model in (STATIC, ATTENTION) else "the average of all"
    clouds.append(scatter.Cloud(one, plane.points[-1:], [word], star=True))
    with waiting("drawing"):
        parts = dict.fromkeys((model, chosen.layer))  # "static" and "attention" are their own layer
        title = f"“{word}” in {len(occurrences):,} places: {', '.join(parts)}"
        style.save(
            scatter.scatter(clouds, x_name=plane.names[0], y_name=plane.names[1], title=title),
            path,
        )


def _table(results: "list[Meaning]", chosen: "Meaning", count: int, model: str) -> str:
    labeled = results[0].scores is not None
    head = ["", "clusters", "silhouette"] + ["purity, %", "nearest centroid, %"] * labeled
    rows = []
    for each in results:
        silhouette = "–" if each.silhouette is None else f"{each.silhouette:.2f}"
        row = [each.layer, str(each.count), silhouette]
        if each.scores is not None:
            row += [f"{100 * each.scores.purity:.1f}", f"{100 * each.scores.centroid:.1f}"]
        rows.append(row)
    caption = f"{count:,} occurrences."
    if chosen.scores is not None:
        share = 100 * chosen.scores.most_frequent
        caption += (
            f" Always choosing the most frequent sense is right in {share:.1f} %; each centroid"
            " is the mean of the other occurrences."
        )
        if chosen.scores.chance > UNLIKELY:
            name = model if model == chosen.layer else f"{chosen.layer} of {model}"
            caption += (
                f" These occurrences do not show that {name} separates the senses:"
                f" {100 * chosen.scores.centroid:.1f} % may be chance"
                f" (p = {chosen.scores.chance:.2f}, binomial test)."
            )
    return f"{course.ladder.markdown([head, *rows])}\n\n{caption}"


def _clusters(occurrences: "list[Occurrence]", chosen: "Meaning") -> str:
    lines = [f"\n{chosen.layer}:"]
    for number in range(chosen.count):
        size = int((chosen.clusters == number).sum())
        lines.append(f"  cluster {number + 1}, {size:,} times")
        for place in chosen.examples(number):
            each = occurrences[place]
            before, after = each.text[: each.start][-EXCERPT:], each.text[each.end :][:EXCERPT]
            lines.append(f"    {before:>{EXCERPT}}[{each.word}]{after}")
    return "\n".join(lines)


def _facts(
    word: str, occurrences: "list[Occurrence]", results: "list[Meaning]", chosen: "Meaning"
) -> dict[str, Any]:
    points = _plane(chosen).points.round(5).tolist()
    return {
        "word": word,
        "layers": [
            {
                "layer": each.layer,
                "clusters": each.count,
                "silhouette": each.silhouette,
                **(asdict(each.scores) if each.scores else {}),
            }
            for each in results
        ],
        "layer": chosen.layer,
        "occurrences": [
            asdict(each) | {"cluster": int(cluster), "point": point}
            for each, cluster, point in zip(occurrences, chosen.clusters, points[:-1], strict=True)
        ],
        "average": points[-1],
    }
