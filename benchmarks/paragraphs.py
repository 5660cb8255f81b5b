"""Texts of several sentences: as many sentences out as in, and nothing lost that has to stay.

    python benchmarks/paragraphs.py paragraphs/*.tsv.gz
    python benchmarks/paragraphs.py paragraphs/*.tsv.gz --model runs/mine --beams 1 --show

The files have pairs of paragraphs; 200 whose source has two to six sentences are translated, and
their sentences one by one. `ends` counts the sentences of a translation as those of any text are
counted, so it also says how often the model writes two sentences for one, or forgets a full stop.
Then 200 generated lines of which a part has to stay: addresses, placeholders, numbers with units,
code and markup. `at once` is the share whose sentence kept all in one piece; the rest is translated
in fragments.
"""

import argparse
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random

import regard
from regard.data import read_pairs
from regard.tasks.translation.passages import passages
from regard.tasks.translation.task import Translator
from regard.training import corpus_scores

COUNT = 200
LINES = (
    "Visit {} for details.", "Send a message to {} today.", "Could not open {}.",
    "Hello {}, you have new messages.", "You can find it in {}, if you need it.",
    "The file {} was not found. Please try again.", "We need {} of it, and {} more.",
    "The lesson begins at {} in the morning.", "- Click on {} to go on.", "> He said {} to me!",
)  # fmt: skip
SPANS = (
    "https://example.org/a?b={n}", "www.example.org/{n}", "user{n}@example.org", "{name{n}}", "%s",
    "%(count)d", "${{ x{n} }}", "{{ x{n} }}", "$HOME", "/usr/share/doc{n}.txt", "config{n}.json",
    "`x = {n}`", "**{n}.5 kg**", "{n}.5 kg", "{n} %", "{n},250.50 €", "{n} km/h", "2024-05-{n}",
    "{n}:30", "&lt;b{n}&gt;", "<b>{n}.5</b>", "😀", "--option={n}", "max_value_{n}",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--beams", type=int)
    parser.add_argument("--show", action="store_true", help="print what is not as it should be")
    arguments = parser.parse_args()
    if not arguments.files or not all(file.is_file() for file in arguments.files):
        missing = ", ".join(map(str, arguments.files)) or "a file of that kind"
        parser.exit(0, f"{parser.prog} needs files of pairs; {missing} is not there.\n")
    translator = regard.load(arguments.model, "translation").run_by("auto")
    options = {"force": True} | ({"num_beams": arguments.beams} if arguments.beams else {})
    pairs = spread([pair for file in arguments.files for pair in read_pairs(file)], translator)
    of_paragraphs(translator, pairs, options, show=arguments.show)
    of_lines(translator, options, show=arguments.show)


def spread(pairs: Sequence, translator: Translator) -> list[tuple[str, str]]:
    """At most 200 pairs with two to six sentences, drawn from all."""
    drawn = list(pairs)
    Random(1).shuffle(drawn)
    fits = (each for each in drawn if 2 <= len(list(translator.passages(each.source))) <= 6)
    return [(each.source, each.target) for each in islice(fits, COUNT)]


def of_paragraphs(
    translator: Translator, pairs: list[tuple[str, str]], options: dict[str, int], *, show: bool
) -> None:
    """Print the figures of paragraphs."""
    language = "de" if translator.name == "en-de" else translator.language
    results = translator.run([source for source, _ in pairs], **options)
    sentences = [each.source for result in results for each in result.sentences]
    singly = iter(translator.run(sentences, **options))
    joined = [" ".join(next(singly).text for _ in result.sentences) for result in results]
    counts = [len(list(passages(result.text, language))) for result in results]
    same = sum(
        len(result.sentences) == count for result, count in zip(results, counts, strict=True)
    )
    texts, references = [each.text for each in results], [target for _, target in pairs]
    chrf, of_joined = (corpus_scores(each, references).chrf for each in (texts, joined))
    print(
        f"{len(pairs)} paragraphs, {len(sentences)} sentences: ends {same / len(pairs):.1%};"
        f" chrF {chrf:.2f}, sentence by sentence {of_joined:.2f}"
    )
    for result, count in zip(results, counts, strict=True):
        if show and len(result.sentences) != count:
            print(len(result.sentences), count, [each.translation for each in result.sentences])


def of_lines(translator: Translator, options: dict[str, int], *, show: bool) -> None:
    """Print the figures of generated lines."""
    draw, lines = Random(1), list[tuple[str, list[str]]]()
    for number in range(COUNT):
        line = LINES[number % len(LINES)]
        spans = [
            draw.choice(SPANS).replace("{n}", str(draw.randint(10, 28)))
            for _ in range(line.count("{}"))
        ]
        lines.append((line.replace("{}", "\0").replace("\0", "{}").format(*spans), spans))
    results = translator.run([line for line, _ in lines], **options)
    kept = total = 0
    for (line, spans), result in zip(lines, results, strict=True):
        lost = [span for span in spans if result.text.count(span) != spans.count(span)]
        kept, total = kept + len(spans) - len(lost), total + len(spans)
        if show:
            print(f"{line}\t{result.text}")
    whole = [part for line, _ in lines for part in translator.passages(line) if part.stand_ins]
    answers = translator.decoding_by(whole=True)([part.units[0] for part in whole], **options)
    once = sum(
        part.translated([answer, *part.units[1:]])[1] == slice(0, 1)
        for part, answer in zip(whole, answers, strict=True)
    )
    print(
        f"{len(lines)} lines: {kept} of {total} spans kept, {kept / total:.1%};"
        f" at once {once / len(whole):.1%} of {len(whole)} sentences"
    )


if __name__ == "__main__":
    main()
