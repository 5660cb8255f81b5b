"""`regard roles`: what the heads and experts of a decoder do, as a table of shares."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from regard import tasks
from regard.cli.columns import columns
from regard.cli.options import Download, Json, argument, located, option
from regard.cli.progress import waiting
from regard.cli.texts import whole_text

if TYPE_CHECKING:
    from regard.tasks.roles import Roles, Share


def roles(
    model: Annotated[str, argument("A decoder: a shipped model's name, a folder or hub:org/name.")],
    file: Annotated[
        Path | None, option("Measure on this text too, in sequences of 100 tokens.", "--file", "-f")
    ] = None,
    as_json: Json = False,
    download: Download = False,
) -> None:
    """Score every head of a decoder by roles, and its experts by tokens, with 95 % intervals.

    Shares of a head's look: at the token before (previous), an earlier copy of the token
    (duplicate), what followed that copy (induction), the first token, and the name that would
    complete a sentence (names). Copying is the share of its look at tokens whose own logit it
    raises. An expert's number is the share of the tokens that it computes. All but names is
    measured on random tokens, each sequence of them twice.
    """
    model = located(model, download, "roles", model)
    texts = [None] if file is None else [None, whole_text("", file)]
    with waiting(f"running {model}"):
        opened = tasks.looking.open_for_looking(model)
        tables = [tasks.roles.roles(opened, text) for text in texts]
    if as_json:
        print(json.dumps([asdict(table) for table in tables], indent=2))
        return
    print("\n\n".join(part for table in tables for part in _tables(table)))


def _tables(found: "Roles") -> Iterator[str]:
    names = list(dict.fromkeys(role for head in found.heads for role in head.shares))
    rows = [["head", "role", *names]]
    for head in found.heads:
        shares = [_cell(head.shares[name]) if name in head.shares else "" for name in names]
        rows.append([head.head, head.role or "", *shares])
    chances = [
        {f"{head.shares[name].chance:.2f}" for head in found.heads if name in head.shares}
        for name in names
    ]
    rows.append(
        ["chance", "", *(" to ".join(sorted({min(those), max(those)})) for those in chances)]
    )
    about = f"{found.text}: {found.sequences} sequences of {found.length} tokens"
    yield f"{about}\n{columns(rows, left=2)}"
    if found.experts:
        rows = [[expert.expert, _cell(expert.tokens)] for expert in found.experts]
        even = f"{found.experts[0].tokens.chance:.2f}"
        yield columns([["expert", "tokens"], *rows, ["even shares", even]])


def _cell(share: "Share") -> str:
    return f"{share.share:.2f} ({share.low:.2f} to {share.high:.2f})"
