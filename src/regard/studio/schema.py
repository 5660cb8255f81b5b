"""The contract between server and page: `python -m regard.studio.schema > web/schema.json`."""

import json

from pydantic import TypeAdapter

from regard.studio.app import create_app
from regard.studio.live_model import PageConfig, PageDecoding, PageImage, PageReading, PageTap
from regard.studio.packing import Numbers, Rows

IN_FILES = (
    PageConfig,
    PageDecoding,
    PageImage,
    PageReading,
    PageTap,
    Rows,
    Numbers,
)  # of a page that computes itself


def schema() -> str:
    """Return the OpenAPI schema, from which `npm run types` in web/ makes src/schema.d.ts."""
    answers = create_app([], {}).openapi()
    for kind in IN_FILES:
        content = TypeAdapter(kind).json_schema(ref_template="#/components/schemas/{model}")
        content.pop("$defs", None)
        answers["components"]["schemas"][kind.__name__] = content
    return json.dumps(answers, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(schema(), end="")
