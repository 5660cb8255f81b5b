"""What a translator makes of sentences as people type them: 25 of Tatoeba in 13 kinds.

    python benchmarks/typed.py
    python benchmarks/typed.py --model runs/mine --dev dev.tsv --show

A kind changes a sentence (capitals, typing errors, "u" for "you") or adds a sign that is to be
copied (an emoji, a list mark, an amount, code). The sentences are those of a development set that
have an apostrophe and "you", so that each kind but the last six changes each of them. chrF is of
the translations beside the references; "clean" is that of the translations of the sentences as they
were. Both, and the references, have the sign; capitals are not compared where they are the kind,
nor is a full stop. A sign is kept where the translation has it to the character. The same file
gives the same lines.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import regard
from regard.data import read_pairs
from regard.tasks.translation.typed import misspelled
from regard.training import corpus_scores

DEV = Path(__file__).parents[2] / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"
SENTENCES = 25
NEAR = 3  # chrF that a kind may cost
ASKED = re.compile(r"(?=.*\w'\w)(?=.*\byou\b)(?:\S+ ){4,13}\S+\.")
SHORT = {"you": "u", "your": "ur", "are": "r", "please": "pls", "because": "bc", "people": "ppl"}


class Kind(NamedTuple):
    """How a sentence is typed, what of a translation is compared, and where its sign is: "…" stands
    for the sentence."""

    change: Callable[[str, Random], str] = lambda text, _: text
    compared: Callable[[str], str] = str
    forms: tuple[str, ...] = ("…",)


def stopless(text: str) -> str:
    return re.sub(r"[.!]$", "", text)


def titled(text: str) -> str:
    return re.sub(r"(?<!\S)\w", lambda letter: letter[0].upper(), text)


def shortened(text: str) -> str:
    return re.sub(r"\w+", lambda word: SHORT.get(word[0].lower(), word[0]), text)


KINDS = {
    "capitals": Kind(lambda text, _: text.upper(), str.casefold),
    "title case": Kind(lambda text, _: titled(text), str.casefold),
    "no capitals": Kind(lambda text, _: text.lower()),
    "no full stop": Kind(lambda text, _: stopless(text), stopless),
    "no apostrophes": Kind(lambda text, _: text.replace("'", "")),
    "typing errors": Kind(misspelled),
    "u, ur, lol": Kind(lambda text, _: shortened(text), forms=("…", "… lol", "lol …")),
    "emoji": Kind(forms=("… 😂", "… 👍🏽", "🎉 …", "… ❤️")),
    "smiley": Kind(forms=("… :-)", "… ;)", "… :D", "… <3")),
    "hashtag": Kind(forms=("… #monday", "… #TeamBerlin", "#weekend …")),
    "list mark": Kind(forms=("- …", "* …", "1. …", "b) …", "• …")),
    "amount, date": Kind(forms=("… ($45)", "… (12 km)", "24/12/2025: …", "10:30 – …", "… (80%)")),
    "code": Kind(forms=("… `x = 5`", "{name}: …", "… (%s)", "… x = 5", "…<br>")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--beams", type=int)
    parser.add_argument("--dev", type=Path, default=DEV, help="pairs of English and another side")
    parser.add_argument("--show", action="store_true", help="print the translations")
    arguments = parser.parse_args()
    if not arguments.dev.is_file():
        parser.exit(0, f"{parser.prog} needs {arguments.dev}.\n")
    pairs = [(pair.source, pair.target) for pair in read_pairs(arguments.dev)]
    chosen = {source: target for source, target in pairs if ASKED.fullmatch(source)}
    sources, references = zip(*Random(1).sample([*chosen.items()], SENTENCES), strict=True)
    options = {"num_beams": arguments.beams} if arguments.beams else {}
    translator = regard.load(arguments.model, "translation").run_by("native")
    clean = translator(sources, force=True, **options)
    print(f"{arguments.model:16}clean  typed  difference  signs kept")
    differences, every = [], []
    for name, kind in KINDS.items():
        draw = Random(name)
        forms = [draw.choice(kind.forms) for _ in sources]
        signs = [form.replace("…", "") for form in forms]
        asked = framed(forms, [kind.change(text, draw) for text in sources])
        typed = translator(asked, force=True, **options)
        right, *answers = (
            [kind.compared(text) for text in texts]
            for texts in (framed(forms, references), framed(forms, clean), typed)
        )
        before, after = (corpus_scores(texts, right).chrf for texts in answers)
        kept = [
            is_kept(sign.strip(), text) for sign, text in zip(signs, typed, strict=True) if sign
        ]
        differences.append(round(after - before, 1) + 0.0)  # no -0.0
        every += kept
        of_signs = f"{sum(kept)} of {len(kept)}" if kept else ""
        print(f"{name:16}{before:5.1f}  {after:5.1f}  {differences[-1]:10.1f}  {of_signs}".rstrip())
        if arguments.show:
            print(*(f"    {text}" for text in typed), sep="\n")
    mean = sum(differences) / len(differences)
    print(f"{'mean':30}{mean:10.1f}  {sum(every) / len(every):.0%} of {len(every)}")
    near = sum(each >= -NEAR for each in differences)
    print(f"{near} of {len(KINDS)} kinds cost at most {NEAR} chrF")


def framed(forms: list[str], texts: Sequence[str]) -> list[str]:
    """Each text with the sign of its form."""
    return [form.replace("…", text) for form, text in zip(forms, texts, strict=True)]


def is_kept(sign: str, translation: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(sign)}(?!\w)", translation))


if __name__ == "__main__":
    main()
