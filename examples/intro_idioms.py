# python examples/intro_idioms.py
"""Idioms in translation: which of fifty the shipped translators get.

idioms.tsv has a sentence for each, with beginnings and parts of words that a right translation has,
and those that only a word-for-word one has. A translation is right if it has one of the first and
none of the second. Each idiom occurs in the German training data; 21 of them in the Hindi data,
and only these are asked for in Hindi. With `--output FOLDER` there is a table of all translations.
"""

import csv
import re
from pathlib import Path
from typing import Annotated

import typer

import regard

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for all translations")]
Table = Annotated[Path, typer.Argument(exists=True, dir_okay=False)]
IDIOMS = Path(__file__).with_name("idioms.tsv")
LANGUAGES = {"German": "en-de", "Hindi": "en-hi"}
SHOWN = 3  # of each kind


def verdict(translation: str, right: str, literal: str) -> str:
    """The kind of a translation, by what is in it."""
    if literal and re.search(literal, translation, re.IGNORECASE):
        return "word for word"
    return "right" if re.search(right, translation, re.IGNORECASE) else "something else"


def main(output: Folder = None, table: Table = IDIOMS) -> dict[str, float]:
    with table.open(encoding="utf-8") as file:
        idioms = list(csv.DictReader(file, delimiter="\t"))
    rows, numbers = [], dict[str, float]()
    for language, model in LANGUAGES.items():
        asked = [idiom for idiom in idioms if idiom[f"right in {language}"]]
        sentences = [idiom["sentence"] for idiom in asked]
        found: dict[str, list[str]] = {"right": [], "word for word": [], "something else": []}
        for idiom, translation in zip(asked, regard.load(model)(sentences), strict=True):
            words = idiom[f"right in {language}"], idiom[f"literal in {language}"]
            kind = verdict(translation, *words)
            found[kind].append(f"{idiom['sentence']} → {translation}")
            rows.append((language, kind, idiom["sentence"], translation))
        print(f"{language}, {len(asked)} idioms")
        for kind, lines in found.items():
            print(f"  {kind}: {len(lines)}", *lines[:SHOWN], sep="\n    ")
            numbers[f"{language}, {kind}"] = len(lines)
    if output:
        output.mkdir(parents=True, exist_ok=True)
        with (output / "intro_idioms.tsv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t").writerows(rows)
    return numbers


if __name__ == "__main__":
    typer.run(main)
