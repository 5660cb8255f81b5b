"""How a sentence reads in which something stays, three ways: 50 of our own.

    python benchmarks/spans.py --model runs/mine

`whole` puts a name or a number in the place of what stays, `fragments` translates what is between,
and `as it is` gives the model all of it. Kept is what a translation has once. chrF is against the
translation of the same sentence with a name or a number in that place (none that `whole` takes),
where the span is then put: it says how much the span changes the rest.
"""

import argparse

import regard
from regard.tasks.translation.passages import joined
from regard.training import corpus_scores

# Sentences, the span of each, and what could stand in its place.
SPANS = {
    "Martin": (
        ["{name}", "%s", "me@example.org", "https://example.org/a?b=1", "config.json", "$HOME"],
        ["Please write to {} before Friday.", "I have never seen {}.", "Did you see {} today?",
         "She sent the letter to {} yesterday.", "We are waiting for {} at the station.",
         "He said that {} was old.", "My sister lives with {} in a small house.",
         "If you need help, ask {}.", "I bought a book for {} last week.", "{} is not here today.",
         "Why did you give it to {}?", "They talked about {} the whole evening.",
         "Tell {} that I am sorry.", "The children are playing with {} in the garden.",
         "We all know where {} is.", "I think {} will like it.", "{} opened the door.",
         "You should not forget {}.", "Can you show me {}, please?", "The old man looked at {}.",
         "I want to go there with {}.", "There is a problem with {}.", "It was {} who did it.",
         "Without {}, we cannot begin.", "I looked for {}, but I did not find it."],
    ),
    "20": (
        ["3.5", "%d", "12:30", "1,250", "%(count)d"],
        ["I have {} books at home.", "The train leaves in {} minutes.", "He bought {} apples.",
         "There are {} students in our class.", "She waited {} hours for him.",
         "The house is {} years old.", "We need {} more chairs.", "It costs {} dollars.",
         "I read {} pages yesterday.", "He walked {} miles in the rain.",
         "You have {} new messages.", "They have {} children.", "My room has {} windows.",
         "We saw {} birds in the tree.", "The meeting lasted {} hours.",
         "I have lived here for {} years.", "She knows {} languages.", "He wrote {} letters.",
         "Only {} people came to the party.", "The box weighs {} pounds.",
         "At least {} people were hurt.", "I drank {} cups of coffee.",
         "The dog ate {} cakes.", "We stayed there for {} days.", "The boy counted to {}."],
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--beams", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print the translations")
    arguments = parser.parse_args()
    rows = [
        (line, spans[k % len(spans)], word)
        for word, (spans, lines) in SPANS.items()
        for k, line in enumerate(lines)
    ]
    translator = regard.load(arguments.model, "translation").run_by("native")
    at_once = translator.decoding_by(whole=True)
    options = {"num_beams": arguments.beams, "force": True}
    plain = at_once([line.replace("{}", word) for line, _, word in rows], **options)
    references = [
        text.replace(word, span) for text, (_, span, word) in zip(plain, rows, strict=True)
    ]
    texts = [line.replace("{}", span) for line, span, _ in rows]
    passages = [next(translator.passages(text)) for text in texts]
    pieces = iter(at_once([piece for each in passages for piece in each.units[1:]], **options))
    fragments = list[str]()
    for text, passage in zip(texts, passages, strict=True):
        # The whole is lost here, so what is taken are the fragments.
        answers = ["", *(next(pieces) for _ in passage.units[1:])]
        fragments.append(joined(text, [(passage, passage.translated(answers)[0])]))
    ways = {
        "whole": translator(texts, **options),
        "fragments": fragments,
        "as it is": at_once(texts, **options),
    }
    for name, answers in ways.items():
        kept = sum(text.count(span) == 1 for text, (_, span, _) in zip(answers, rows, strict=True))
        chrf = corpus_scores(answers, references).chrf
        print(f"{name:10} {kept} of {len(rows)} kept; chrF {chrf:.2f}")
        for text in answers if arguments.show else ():
            print(f"  {text}")


if __name__ == "__main__":
    main()
