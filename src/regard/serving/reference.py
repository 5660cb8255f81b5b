"""/docs: the routes of the server as a page without scripts, by the schema of /openapi.json."""

import json
from typing import Any

from jinja2 import Environment

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>regard serve</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code{font-family:ui-monospace,monospace;font-size:.9em}
table{border-collapse:collapse}td,th{text-align:left;padding:.1rem 1rem .1rem 0}
@media(prefers-color-scheme:dark){body{background:#14161a;color:#ebecef}a{color:#8fb4ff}}
</style><h1>regard serve</h1><p>For programs: <a href="/openapi.json">openapi.json</a>.</p>
{% for path, methods in paths.items() %}{% for method, route in methods.items() -%}
<h2><code>{{ method.upper() }} {{ path }}</code></h2><p>{{ route.description or route.summary }}</p>
{%- set body = (route.requestBody or {}).get("content", {}).get("application/json", {}) -%}
{%- set fields = resolved(body.get("schema", {})) -%}
{%- if fields.properties %}<table><tr><th>field<th>type<th>default<th></tr>
{%- for name, field in fields.properties.items() -%}
<tr><td><code>{{ name }}</code><td>{{ type_of(field) }}<td>
{%- if name in (fields.required or []) %}required{% elif field.default is not none %}
{{- field.default | tojson if field.default is defined }}{% endif -%}
<td>{{ field.description }}</tr>{% endfor %}</table>{% endif %}
{% endfor %}{% endfor %}</html>"""


def page(schema: dict[str, Any]) -> str:
    """Return the page of an OpenAPI schema."""

    def resolved(part: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in part:
            return part
        component: dict[str, Any] = schema["components"]["schemas"][part["$ref"].rpartition("/")[2]]
        return component

    environment = Environment(autoescape=True)
    return environment.from_string(PAGE).render(
        paths=schema["paths"], resolved=resolved, type_of=type_of
    )


def type_of(part: dict[str, Any]) -> str:
    """Return the type of a field, in words."""
    if "$ref" in part:
        return str(part["$ref"].rpartition("/")[2])
    if "anyOf" in part:
        return " or ".join(
            type_of(option) for option in part["anyOf"] if option.get("type") != "null"
        )
    if "enum" in part:
        return " or ".join(json.dumps(option) for option in part["enum"])
    if part.get("type") == "array":
        return f"list of {type_of(part.get('items', {}))}"
    return str(part.get("type", "any"))
