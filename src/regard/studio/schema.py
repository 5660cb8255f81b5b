"""The contract between server and page: `python -m regard.studio.schema > web/schema.json`."""

import json

from regard.studio.app import create_app


def schema() -> str:
    """The OpenAPI schema, from which `npm run types` in web/ makes src/schema.d.ts."""
    return json.dumps(create_app([], {}).openapi(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(schema(), end="")
