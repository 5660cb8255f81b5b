"""Pages that are made of what is there: every command's help, and every committed result."""

import ast
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument


def commands_page() -> str:
    """What `--help` says of every command, in the order that `regard --help` lists them."""
    from regard.cli.app import app

    root = typer.main.get_command(app)
    parts = [
        "# Commands",
        "`regard COMMAND --help` says the same in a terminal. A mistake is one line and exit code"
        " 2; `--debug`, in any place, adds the traceback.",
    ]
    parts += described(root, "regard", depth=2)
    return "\n\n".join(parts) + "\n"


def described(command: Any, name: str, depth: int) -> list[str]:
    """A heading, what it does and a table of its options for each command below `command`."""
    parts: list[str] = []
    for word, child in getattr(command, "commands", {}).items():
        title = f"{name} {word}"
        parts += [f"{'#' * depth} {title}", paragraphs(child.help or "")]
        if hasattr(child, "commands"):
            parts += described(child, title, depth + 1)
        else:
            parts += [f"```text\n{usage(child, title)}\n```", options(child)]
    return parts


def usage(command: Any, title: str) -> str:
    """The line that `--help` begins with."""
    context = typer.Context(command, info_name=title)
    return " ".join([title, *command.collect_usage_pieces(context)])


def options(command: Any) -> str:
    """A row for each argument and option: how it is written, and what it does."""
    rows = ["| | |", "|---|---|"]
    for parameter in command.get_params(typer.Context(command)):
        names = " ".join([*parameter.opts, *parameter.secondary_opts])
        argument = isinstance(parameter, TyperArgument)
        if argument:
            names = (parameter.metavar or parameter.name or "").strip("[]{}.").upper()
        if names == "--help" or getattr(parameter, "hidden", False):
            continue
        context = typer.Context(command)
        says = paragraphs(getattr(parameter, "help", "") or "")
        default = default_of(parameter, context)
        required = " Required." if parameter.required and not argument else ""
        rows.append(f"| {spelled(names)} | {cell(says)}{required}{default} |")
    return "\n".join(rows)


def default_of(parameter: Any, context: typer.Context) -> str:
    """The default, as help shows it."""
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        return f" Default: {cell(shown)}."
    value = parameter.get_default(context)
    plain = value is not None and not isinstance(value, bool) and str(value) not in ("", "()", "[]")
    return f" Default: `{cell(str(value))}`." if plain and not callable(value) else ""


def spelled(names: str) -> str:
    return " ".join(f"`{name}`" for name in names.split())


def cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def paragraphs(text: str) -> str:
    return text.replace("\b", "").replace("\f", "").strip()


def results_page(benchmarks: Path) -> str:
    """Each committed result under what its script says that it measures, Markdown as it is and text
    as text; `regard ladder`, which has no script, says it in the result."""
    results = benchmarks / "results"
    story = (
        (results / "README.md").read_text(encoding="utf-8").replace("# Results", "# Benchmarks", 1)
    )
    parts = [story.strip()]
    for path in sorted(set(results.glob("*.txt")) | set(results.glob("[a-z]*.md"))):
        parts.append(f"## {path.stem.replace('_', ' ').capitalize()}")
        printed = path.read_text(encoding="utf-8").rstrip()
        printed = printed if path.suffix == ".md" else f"```text\n{printed}\n```"
        script = benchmarks / f"{path.stem}.py"
        if not script.exists():
            parts.append(printed)
            continue
        says = ast.get_docstring(ast.parse(script.read_text("utf-8"))) or ""
        parts += [says.split("\n\n")[0], printed, f"`python benchmarks/{script.name}`"]
    return "\n\n".join(parts) + "\n"
