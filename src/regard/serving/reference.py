"""/docs: what the server answers, as a page without scripts, by the schema of /openapi.json."""

import json
from html import escape
from typing import Any

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "code,pre{font-family:ui-monospace,monospace;font-size:.9em}"
    "pre{overflow:auto;padding:.5rem;border:1px solid #8888}"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.1rem 1rem .1rem 0}"
    "@media(prefers-color-scheme:dark){body{background:#14161a;color:#ebecef}a{color:#8fb4ff}}"
)


def page(schema: dict[str, Any]) -> str:
    """The page of an OpenAPI schema."""
    parts = "".join(
        _operation(method.upper(), path, operation, schema)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>regard serve</title><style>{STYLE}</style><h1>regard serve</h1>"
        '<p>For programs: <a href="/openapi.json">openapi.json</a>.</p>'
        f"{parts}</html>"
    )


def _operation(method: str, path: str, operation: dict[str, Any], schema: dict[str, Any]) -> str:
    about = escape(operation.get("description", operation.get("summary", "")))
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    fields = _resolved(body.get("schema", {}), schema)
    required = fields.get("required", [])
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code><td>{escape(_type(each, schema))}"
        f"<td>{'required' if name in required else escape(_default(each))}</tr>"
        for name, each in fields.get("properties", {}).items()
    )
    table = f"<table><tr><th>field<th>type<th>default</tr>{rows}</table>" if rows else ""
    return f"<h2><code>{method} {escape(path)}</code></h2><p>{about}</p>{table}"


def _resolved(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    found: dict[str, Any] = schema["components"]["schemas"][part["$ref"].rpartition("/")[2]]
    return found


def _type(part: dict[str, Any], schema: dict[str, Any]) -> str:
    if "$ref" in part:
        return str(part["$ref"].rpartition("/")[2])
    if "anyOf" in part:
        kinds = [_type(each, schema) for each in part["anyOf"] if each.get("type") != "null"]
        return " or ".join(kinds)
    if "enum" in part:
        return " or ".join(json.dumps(each) for each in part["enum"])
    if part.get("type") == "array":
        return f"list of {_type(part.get('items', {}), schema)}"
    return str(part.get("type", "any"))


def _default(part: dict[str, Any]) -> str:
    default = part.get("default")
    return "" if default is None else json.dumps(default)
