"""Questions out of plain text, to train an answerer on before the real ones.

    python tools/cloze.py OUTPUT.jsonl TEXTS.tsv.gz… --each 4 --joined 5

A part of a sentence is the answer: a name, a number, or the words behind an article or a
preposition. The words beside it, some of them left out and out of order, are the question, with
"who", "when", "how many" or "what" in front; the text around the sentence is the context (after
Lewis, Denoyer and Riedel 2019, "Unsupervised question answering by cloze translation"). The texts
are the first columns of the files.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from prune import first_columns

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d\"'(])")
NAME = r"[A-Z][\w’'-]*(?: (?:(?:of|the|and|de|von) ){0,2}[A-Z][\w’'-]*)*"
NUMBER = r"[$£€]?\d[\d,.]*\d?(?:%| (?:percent|million|billion|years|km|miles|people))?"
BEHIND = "|".join(rf"(?<= {word} )" for word in ("the", "of", "by", "to", "as", "in", "a"))
WORDS = rf"(?:{BEHIND})[a-z-]{{3,}}(?: [a-z-]{{3,}}){{0,3}}"
ANSWER = re.compile(rf"\b{NAME}|{NUMBER}|{WORDS}(?=[,.;]| and | of | in )")
ASKED = {"name": ("Who", "What", "Which", "Where"), "year": ("When", "What year", "In what year")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--each", type=int, default=4, help="questions for each context")
    parser.add_argument("--joined", type=int, default=1, help="lines that are one context")
    parser.add_argument("--lost", type=float, default=0.3, help="share of words to leave out")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if missing := [str(path) for path in options.texts if not path.is_file()]:
        parser.error(f"there is no file {', '.join(missing)}")
    chance = random.Random(options.seed)
    lines = list(first_columns(options.texts))
    rows = [
        {"question": question, "context": context, "answer": answer, "start": start}
        for first in range(0, len(lines), options.joined)
        for question, context, answer, start in questions(
            " ".join(lines[first : first + options.joined]), options.each, options.lost, chance
        )
    ]
    with options.output.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(f"{len(rows):,} questions from {len(lines):,} lines")


def questions(
    context: str, count: int, lost: float, chance: random.Random
) -> Iterator[tuple[str, str, str, int]]:
    """At most `count` questions, each with the context, the answer and where that starts."""
    found, start = [], 0
    for sentence in SENTENCE.split(context):
        start = context.index(sentence, start)
        if 8 <= len(sentence.split()) <= 60:
            found += [
                (sentence, match, start)
                for match in ANSWER.finditer(sentence)
                if match.start() or " " in match[0]  # a sentence's first word has a capital too
            ]
    for sentence, match, start in chance.sample(found, min(count, len(found))):
        yield asked(sentence, match, lost, chance), context, match[0], start + match.start()


def asked(sentence: str, match: re.Match[str], lost: float, chance: random.Random) -> str:
    """The question that a part of a sentence answers."""
    before = sentence[: match.start()].split()[-chance.randint(3, 10) :]
    behind = sentence[match.end() :].split()[: chance.randint(2, 8)]
    words = [word.strip(',;:.()"') for word in before + behind if chance.random() > lost]
    if chance.random() < 0.5:  # as where a question turns a clause round
        middle = chance.randint(0, len(words))
        words = words[middle:] + words[:middle]
    if re.fullmatch(r"1\d{3}|20\d{2}", match[0]):
        first = chance.choice(ASKED["year"])
    elif match[0][0].isupper():
        first = chance.choice(ASKED["name"])
    else:
        first = "How many" if match[0][0].isdigit() else "What"
    return f"{' '.join([first, *filter(None, words)])}?"


if __name__ == "__main__":
    main()
