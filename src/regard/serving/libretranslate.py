"""LibreTranslate's /translate and /languages."""

import json
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException

from regard.errors import BadArgumentError
from regard.http.guard import bearer
from regard.http.refusals import refusal
from regard.serving.asking import all_of
from regard.serving.run import decoded
from regard.serving.served import Model
from regard.serving.state import Here
from regard.serving.work import listed
from regard.translation.translator import Translator

libretranslate = APIRouter(tags=["LibreTranslate"])

FORM = "application/x-www-form-urlencoded"
# English names of the languages that models are often between.
NAMES = {
    "ar": "Arabic", "bn": "Bengali", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian",
    "lv": "Latvian", "mr": "Marathi", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "sv": "Swedish", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


class TranslateRequest(BaseModel):
    """A request of LibreTranslate's clients."""

    model_config = ConfigDict(extra="forbid")

    q: str | list[str]
    source: str
    target: str
    format: str = "text"
    alternatives: int = Field(0, ge=0, le=16)
    api_key: str | None = None


@libretranslate.get("/languages")
def languages(here: Here) -> list[dict[str, Any]]:
    """The languages that are served, and what each is translated to."""
    targets: dict[str, list[str]] = {}
    for source, target in _pairs(here.served.models):
        targets.setdefault(source, []).append(target)
        targets.setdefault(target, [])
    return [
        {"code": code, "name": NAMES.get(code, code), "targets": sorted(set(its))}
        for code, its in sorted(targets.items())
    ]


@libretranslate.post(
    "/translate",
    openapi_extra={"requestBody": {"content": {"application/json": {
        "schema": TranslateRequest.model_json_schema()}}}},
)  # fmt: skip
async def translate(request: Request, here: Here) -> Any:
    """A text or several, as JSON or as a form."""
    values = await _values(request)
    key = bearer(request.headers) or values.get("api_key")
    if not here.access.knows(key if isinstance(key, str) else None):
        return refusal("/translate", 403, "a key is needed; send it as api_key.")
    try:
        asked = TranslateRequest.model_validate(values)
    except ValidationError as error:
        complaints = [each | {"loc": ("body", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(complaints) from error
    if asked.format != "text":
        raise BadArgumentError('format may be "text"; send the text without markup.')
    pairs, source = _pairs(here.served.models), asked.source
    if source == "auto":
        source = _only_source(pairs, asked.target)
    if (source, asked.target) not in pairs:
        names = ", ".join(f"{a} → {b}" for a, b in pairs) or "no pair"
        raise BadArgumentError(f"{names} can be translated here; the request names another pair.")
    model, languages = pairs[source, asked.target]
    task = model.task.between(*languages) if any(languages) else model.task
    number = asked.alternatives + 1
    options = task.generation.with_alternatives(number) if number > 1 else {}
    texts = listed(asked.q) or [""]
    work, hypotheses = await decoded(request, model, task, texts, options)
    results = await all_of(request, work.results(hypotheses), work.deadline, whole=work.is_small)
    translations: list[Any] = [result.text for result in results]
    others = [[other.text for other in result.alternatives[1:]] for result in results]
    one = isinstance(asked.q, str)
    content = {"translatedText": translations[0] if one else translations}
    if number > 1:
        content["alternatives"] = others[0] if one else others
    return JSONResponse(content)


async def _values(request: Request) -> dict[str, Any]:
    body = await request.body()
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
        try:
            return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=16))
        except ValueError as error:
            raise HTTPException(
                400, "the form is not valid UTF-8, or has too many fields."
            ) from error
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "the body must be JSON, or a form.") from error
    if not isinstance(values, dict):
        raise HTTPException(400, "the body must be a JSON object.")
    return values


Pairs = dict[tuple[str, str], tuple[Model[Translator], tuple[str | None, str | None]]]


def _pairs(models: dict[str, Model[Any]]) -> Pairs:
    """The pairs of languages, each with its first model and what `between` takes."""
    pairs: Pairs = {}
    for model in models.values():
        if model.kind != "translate":
            continue
        languages, between = model.task.languages, Pairs()
        if languages.pairs:
            between = {pair: (model, pair) for pair in languages.pairs}
        elif languages.tokens:
            codes = {token.partition("_")[0]: token for token in languages.tokens}
            between = {
                (a, b): (model, (codes[a], codes[b])) for a in codes for b in codes if a != b
            }
        elif len(model.languages) == 2:
            between = {(model.languages[0], model.languages[1]): (model, (None, None))}
        pairs = pairs | between | pairs
    return pairs


def _only_source(pairs: Pairs, target: str) -> str:
    sources = sorted({a for a, b in pairs if b == target})
    if len(sources) != 1:
        raise BadArgumentError(
            f'source may be "auto" where one language can be meant; name one of {sources}.'
        )
    return sources[0]
