"""`regard words represent`: words as counts."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from regard import course
from regard.cli.columns import columns
from regard.cli.options import Corpus, option
from regard.cli.progress import waiting
from regard.cli.texts import destination, text_groups
from regard.errors import BadArgumentError, shortened

if TYPE_CHECKING:
    from regard.course.words.bags import Bags

WAYS = ("one-hot", "bag", "tfidf")
ROWS, COLUMNS = 20, 12  # of a table in the terminal

Output = Annotated[Path | None, option("Write here.", "--output", "-o", default="stdout")]
AsJson = Annotated[bool, option("Write one JSON object that leaves out zeros.", "--json")]


def represent(
    file: Corpus = None,
    way: Annotated[str, option("Which.", "--as", metavar="|".join(WAYS))] = "bag",
    output: Output = None,
    as_csv: Annotated[
        bool, option("Write every number, as CSV; formulas get an apostrophe in front.", "--csv")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Count words: each word as a one-hot vector, each line as a bag of words or as TF-IDF."""
    if as_csv and as_json:
        raise BadArgumentError("give either --csv or --json; got both.")
    groups = text_groups(None, file, False, what="a text")
    texts = [line.text for group in groups for line in group]
    with waiting("counting"):
        bags = course.words.bags.represent(texts, way)
    with destination(output) as out:
        if as_csv:
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow(["", *map(_text_cell, bags.words)])
            for name, row in zip(bags.names, bags.values, strict=True):
                rows.writerow([_text_cell(name), *map(_short, row.toarray()[0].tolist())])
        elif as_json:
            print(json.dumps(_sparse(bags), ensure_ascii=False), file=out)
        else:
            print(_table(bags), file=out)


def _sparse(bags: "Bags") -> dict[str, Any]:
    rows = []
    for name, row in zip(bags.names, bags.values, strict=True):
        entries = row.tocoo()
        values = zip(entries.coords[-1].tolist(), entries.data.tolist(), strict=True)
        rows.append({"text": name, "values": {bags.words[column]: v for column, v in values}})
    return {"words": bags.words, "rows": rows}


def _table(bags: "Bags") -> str:
    """Return the first rows, with the words that occur in them, as far as there is room."""
    values = bags.values[:ROWS].toarray()
    used = [column for column in range(len(bags.words)) if values[:, column].any()]
    columns_shown = used[:COLUMNS]
    head = ["", *(bags.words[column] for column in columns_shown)]
    names = [shortened(name, 32) for name in bags.names[:ROWS]]
    body = [
        [name, *(_short(float(row[column])) for column in columns_shown)]
        for name, row in zip(names, values, strict=True)
    ]
    table = columns([head, *body])
    rows, words = bags.values.shape
    if rows > len(body) or words > len(columns_shown):
        table += (
            f"\n\n{len(body):,} of {rows:,} rows and {len(columns_shown):,} of {words:,} words;"
            " --csv or --json writes all."
        )
    return table


def _text_cell(text: str) -> str:
    """Put an apostrophe in front where a spreadsheet would run a text as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _short(value: float) -> str:
    return f"{value:.3g}" if value else "0"
