"""Questions with and without answers, to train and to measure an answerer on whole articles apart.

    python tools/elsewhere.py SQUAD.json TRAIN.json DEV.json

Every sixth article of a file in SQuAD's format, from the sixth on, goes to DEV, the others to
TRAIN. Half of the questions are asked a second time, of another paragraph of their article, which
does not answer them unless it has the words of the answer: then they are not.
"""

import argparse
import json
import random
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("squad", "train", "dev"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    if not options.squad.is_file():
        parser.error(f"there is no file {options.squad}")
    articles = json.loads(options.squad.read_text("utf-8"))["data"]
    held_out, chance = articles[5::6], random.Random(1)
    learned = [article for article in articles if article not in held_out]
    for path, part in ((options.train, learned), (options.dev, held_out)):
        for article in part:
            ask_elsewhere(article["paragraphs"], chance)
        path.write_text(json.dumps({"data": part}, ensure_ascii=False) + "\n", "utf-8")
        asked = [each for article in part for text in article["paragraphs"] for each in text["qas"]]
        without = sum("is_impossible" in each for each in asked)
        print(
            f"{path}: {len(part)} articles, {len(asked):,} questions, {without} without an answer"
        )


def ask_elsewhere(paragraphs: list[Any], chance: random.Random) -> None:
    """Adds to an article's paragraphs half of the questions of the others."""
    more = []
    for paragraph in paragraphs:
        others = [other for other in paragraphs if other is not paragraph]
        for question in paragraph["qas"]:
            if chance.random() < 0.5:
                other = chance.choice(others)
                text = other["context"].lower()
                if all(answer["text"].lower() not in text for answer in question["answers"]):
                    more.append((other, question))
    for other, question in more:
        without = {"question": question["question"], "id": f"{question['id']}-none"}
        other["qas"].append({**without, "answers": [], "is_impossible": True})


if __name__ == "__main__":
    main()
