"""Small files: what `regard train classification --from MODEL` learns at its defaults.

    python benchmarks/small_sets.py --data ../shared/data
    python benchmarks/small_sets.py --data ../shared/data --model sentences --seeds 1 2 3

Twelve sets of 100 to 500 rows, drawn by seed, and the accuracy on rows that were not among them: of
the model that the command trains, of scikit-learn's logistic regression on the starting model's own
vectors, of one on TF-IDF, and of the most frequent label. All learn from the same rows: those that
are left when the command has split off its dev and test sets. With several seeds, the means.
"""

import argparse
import contextlib
import csv
import gzip
import io
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

Row = tuple[str, str]  # text, label

TICKETS = {
    "billing": (
        "I was charged {n} times for order {id}.",
        "The invoice of {month} shows the wrong amount.",
        "Why is there a fee of {n} dollars on my statement?",
        "Please send me a receipt for {id}.",
        "My card was declined although it has money on it.",
        "When will you pay back what I paid in {month}?",
        "The discount code was not taken off the total.",
        "I want to change the way I pay from {month} on.",
    ),
    "delivery": (
        "My parcel {id} has not come yet.",
        "The driver left the box in the rain.",
        "Tracking has not moved for {n} days.",
        "Can you bring it on a Saturday in {month}?",
        "Half of the things that I ordered are missing.",
        "The address on the label of {id} is wrong.",
        "It says delivered, but it never came.",
        "How long does shipping take to the islands?",
    ),
    "account": (
        "I cannot log in since {month}.",
        "How do I change my password?",
        "Please delete my profile and all my data.",
        "The code for signing in never reaches my phone.",
        "Someone else has used my login {n} times.",
        "I would like to use another e-mail address.",
        "My user name {id} is not recognized.",
        "The page says that I am locked out.",
    ),
    "defect": (
        "The screen went black after {n} days.",
        "It makes a loud noise when I switch it on.",
        "The battery does not hold any longer than {n} hours.",
        "A button of the remote control {id} is stuck.",
        "The handle broke off in {month}.",
        "It gets so hot that I cannot touch it.",
        "The app crashes whenever I open the camera.",
        "Water leaks out at the bottom.",
    ),
}  # fmt: skip
OPENINGS = ("", "Hello, ", "Hi team! ", "Good morning. ", "Third message: ")
CLOSINGS = ("", " Thanks.", " Please help.", " This is urgent!", " Regards, Kim")
MONTHS = ("January", "March", "May", "July", "October")


def tickets(draw: Random) -> Iterator[Row]:
    """Support tickets from templates; two templates of each topic occur in the last rows alone."""
    for number in range(1200):
        topic = draw.choices(list(TICKETS), (4, 3, 2, 1))[0]
        templates = TICKETS[topic][:6] if number < 400 else TICKETS[topic]
        sentence = draw.choice(templates).format(
            n=draw.randint(2, 9), id=f"A{draw.randint(1000, 9999)}", month=draw.choice(MONTHS)
        )
        yield f"{draw.choice(OPENINGS)}{sentence}{draw.choice(CLOSINGS)}", topic


def reviews(data: Path) -> Iterator[Row]:
    with (data / "sst2" / "train.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if len(row["sentence"].split()) > 7:
                yield row["sentence"].strip(), "good" if row["label"] == "1" else "bad"


def emotions(data: Path, names: dict[str, str]) -> Iterator[Row]:
    """Comments with one emotion alone, by the label that `names` gives to it."""
    for line in (data / "goemotions" / "train.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        if len(row["labels"]) == 1 and row["labels"][0] in names:
            yield row["text"], names[row["labels"][0]]


def senses(data: Path, word: str) -> Iterator[Row]:
    for line in (data / "coarsewsd20" / "senses.tsv").open(encoding="utf-8"):
        lemma, _, _, sense, sentence = line.rstrip("\n").split("\t")
        if lemma == word:
            yield sentence, sense


def articles(data: Path, count: int) -> Iterator[Row]:
    """Questions by the article that they ask about."""
    content = json.loads((data / "xquad" / "en.json").read_text(encoding="utf-8"))
    largest = sorted(
        content["data"], key=lambda each: -sum(len(p["qas"]) for p in each["paragraphs"])
    )
    for number, article in enumerate(largest[:count]):
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                yield question["question"], article.get("title", f"article {number}")


def sources(data: Path, names: Sequence[str]) -> Iterator[Row]:
    for name in names:
        path = data / "parallel" / "dev" / "en-de" / f"{name}.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield line.split("\t")[0], name


def entities(data: Path) -> Iterator[Row]:
    """Posts that name a person, a place, a company or the like, and others."""
    content = (data / "wnut17" / "train.conll").read_text(encoding="utf-8")
    for block in content.split("\n\n"):
        words = [line.split("\t") for line in block.splitlines() if "\t" in line]
        if len(words) > 4:
            named = any(tag != "O" for _, tag in words)
            yield " ".join(word for word, _ in words), "named" if named else "none"


def health(data: Path) -> Iterator[Row]:
    """Sentences on public health among nine times as many others."""
    kinds = (("tico19_en_hi/train.tsv", "health", 1), ("hindi_visual_genome/train.tsv", "other", 9))
    for name, label, times in kinds:
        with (data / name).open(encoding="utf-8") as file:
            for _, line in zip(range(200 * times), file, strict=False):
                yield line.split("\t")[0], label


TONES = {
    "admiration": "pleased", "joy": "pleased", "love": "pleased", "gratitude": "pleased",
    "anger": "displeased", "annoyance": "displeased", "disappointment": "displeased",
    "disgust": "displeased", "sadness": "displeased",
}  # fmt: skip
FEELINGS = {name: name for name in ("anger", "love", "curiosity", "sadness")}

# name → rows to learn from, and all rows, of which the others are for the test
SETS: dict[str, tuple[int, Callable[[Path, Random], Iterable[Row]]]] = {
    "reviews-100": (100, lambda data, draw: reviews(data)),
    "reviews-200": (200, lambda data, draw: reviews(data)),
    "reviews-500": (500, lambda data, draw: reviews(data)),
    "feelings-300": (300, lambda data, draw: emotions(data, FEELINGS)),
    "tone-200": (200, lambda data, draw: emotions(data, TONES)),
    "spring-150": (150, lambda data, draw: senses(data, "spring")),
    "bow-200": (200, lambda data, draw: senses(data, "bow")),
    "articles-250": (250, lambda data, draw: articles(data, 12)),
    "sources-400": (400, lambda data, draw: sources(data, ("bible-nt", "kde-docs", "newstest2018",
                                                         "tatoeba-more"))),
    "entities-400": (400, lambda data, draw: entities(data)),
    "health-300": (300, lambda data, draw: health(data)),
    "tickets-230": (230, lambda data, draw: tickets(draw)),
}  # fmt: skip


def rows_of(name: str, data: Path) -> tuple[list[Row], list[Row]]:
    """The rows to learn from, and up to 400 others."""
    count, make = SETS[name]
    draw = Random(name)
    rows = list(dict.fromkeys(make(data, draw)))
    if not name.startswith("tickets"):  # whose order says which templates are new
        draw.shuffle(rows)
    learned = rows[:count]
    known, texts = {label for _, label in learned}, {text for text, _ in learned}
    others = [row for row in rows[-1000:] if row[1] in known and row[0] not in texts]
    return learned, others[:400]


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])


def share(answers: Sequence[str], rows: Sequence[Row]) -> float:
    return 100 * sum(a == label for a, (_, label) in zip(answers, rows, strict=True)) / len(rows)


class Baselines:
    """Accuracies on the other rows of what needs no training of a network."""

    def __init__(self, model: str) -> None:
        import regard

        self.embedder = regard.load(model)

    def scores(self, learned: Sequence[Row], others: Sequence[Row]) -> list[float]:
        """Of regressions on the model's vectors and on TF-IDF, and of one label."""
        import numpy as np
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression

        words = TfidfVectorizer()
        texts, labels = zip(*learned, strict=True)
        unseen = [text for text, _ in others]
        pairs = (  # C: for vectors of length 1, whose weights must be large, ten times the default
            (np.stack(self.embedder(list(texts))), np.stack(self.embedder(unseen)), 10.0),
            (words.fit_transform(texts), words.transform(unseen), 1.0),
        )
        scores = [
            share(LogisticRegression(C=c, max_iter=2000).fit(seen, labels).predict(new), others)
            for seen, new, c in pairs
        ]
        return [*scores, share([Counter(labels).most_common(1)[0][0]] * len(others), others)]


def trained(
    model: str, rows: Sequence[Row], others: Sequence[Row], seed: int
) -> tuple[float, list[Row]]:
    """Accuracy of what the command trains at its defaults, and the rows that it trains on."""
    import regard
    from regard.training.examples import read_examples

    with tempfile.TemporaryDirectory() as folder:
        file, run = Path(folder) / "rows.csv", Path(folder) / "run"
        write_rows(file, rows)
        with contextlib.redirect_stdout(io.StringIO()):
            classifier = regard.train("classification", file, run, base_model=model, seed=seed)
        examples = read_examples(run / "data" / "train.jsonl")
        learned = [(example.text, example.targets[0]) for example in examples]
        return share(classifier([text for text, _ in others]), others), learned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", default="minilm", help="starting model")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--sets", nargs="+", default=list(SETS), help=", ".join(SETS))
    arguments = parser.parse_args()
    if not (arguments.data / "sst2").is_dir():
        parser.exit(0, f"{parser.prog} needs the data sets; {arguments.data} has none.\n")
    columns = ("trained", "vectors", "TF-IDF", "one label", "seconds")
    print(f"{'set':14}{''.join(f'{column:>11}' for column in columns)}")
    baselines = Baselines(arguments.model)
    for name in arguments.sets:
        rows, others = rows_of(name, arguments.data)
        results = []
        for seed in arguments.seeds:
            began = time.perf_counter()
            accuracy, learned = trained(arguments.model, rows, others, seed)
            seconds = time.perf_counter() - began
            results.append([accuracy, *baselines.scores(learned, others), seconds])
        means = [sum(column) / len(column) for column in zip(*results, strict=True)]
        print(f"{name:14}{''.join(f'{mean:11.1f}' for mean in means)}", flush=True)


if __name__ == "__main__":
    main()
