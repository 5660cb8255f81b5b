"""Writes the tables of docs/howto/pipelines.md: `python tools/pipeline_arguments.py`."""

from pathlib import Path

from regard.tasks.pipelines.arguments import tables

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "pipelines.md"
HEADING = "## Every argument\n"


def page() -> str:
    """The page with the tables that there are now."""
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(HEADING)
    return f"{before}{HEADING}\n{tables()}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
