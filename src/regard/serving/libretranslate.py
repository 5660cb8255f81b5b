"""LibreTranslate's interface: /translate, /detect, /languages and what its clients read besides.

As there, values come as JSON, as a form or in the address, and fields that it does not have are
ignored.
"""

from email.message import Message
from typing import Any, Literal, TypeVar
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from regard.errors import BadArgumentError, RegardError
from regard.http.bodies import json_of
from regard.http.guard import bearer
from regard.http.refusals import refusal
from regard.serving.asking import all_of
from regard.serving.hooks import decoded
from regard.serving.served import Model
from regard.serving.state import Here, State
from regard.serving.work import listed
from regard.tasks.translation.task import Translator

libretranslate = APIRouter(tags=["LibreTranslate"])

RequestT = TypeVar("RequestT", bound=BaseModel)
FIELDS = 16  # of a form
AUTO = "auto"
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


class _Keyed(BaseModel):
    q: str | list[str]
    api_key: str | None = None


class TranslateRequest(_Keyed):
    """A request of LibreTranslate's clients."""

    source: str = AUTO
    target: str
    format: Literal["text", "html"] = "text"  # markup stays in a text as well
    alternatives: int = Field(0, ge=0, le=16)


class DetectRequest(_Keyed):
    """Texts whose language is asked for."""


def _documented(kind: type[BaseModel]) -> dict[str, Any]:
    content = {"application/json": {"schema": kind.model_json_schema()}}
    return {"requestBody": {"content": content}}


@libretranslate.get("/languages")
def languages(here: Here) -> list[dict[str, Any]]:
    """Return the languages that are served, and what each is translated to."""
    targets: dict[str, set[str]] = {}
    for source, target in _pairs(here.served.models):
        targets.setdefault(source, set()).add(target)
        targets.setdefault(target, set())
    return [
        {"code": code, "name": NAMES.get(code, code), "targets": sorted(its)}
        for code, its in sorted(targets.items())
    ]


@libretranslate.get("/frontend/settings")
def settings(here: Here) -> dict[str, Any]:
    """Return the settings that a page of LibreTranslate asks for first."""
    pairs = _pairs(here.served.models)
    first = next(iter(pairs), ("", ""))
    source, target = ({"code": code, "name": NAMES.get(code, code)} for code in first)
    return {
        "apiKeys": here.access.key is not None,
        "charLimit": here.served.limits.text,
        "frontendTimeout": 500,
        "keyRequired": here.access.key is not None,
        "language": {"source": source, "target": target},
        "suggestions": False,
        "supportedFilesFormat": [],
    }


@libretranslate.get("/health")
def health() -> dict[str, str]:
    """Return the server answers."""
    return {"status": "ok"}


@libretranslate.post("/suggest")
@libretranslate.post("/translate_file")
def missing(request: Request) -> JSONResponse:
    """Parts of the interface that are not here."""
    path = request.url.path
    return refusal(path, 403, f"{path} is not available here; send texts to /translate.")


@libretranslate.post("/detect", openapi_extra=_documented(DetectRequest))
async def detect(request: Request, here: Here) -> Any:
    """Return the languages that a text may be in, of those that are translated here."""
    fields = await _fields(request, here, DetectRequest)
    if isinstance(fields, JSONResponse):
        return fields
    return _detected(_pairs(here.served.models), " ".join(listed(fields.q)))


@libretranslate.post("/translate", openapi_extra=_documented(TranslateRequest))
async def translate(request: Request, here: Here) -> Any:
    """Return a text or several."""
    fields = await _fields(request, here, TranslateRequest)
    if isinstance(fields, JSONResponse):
        return fields
    pairs, texts = _pairs(here.served.models), listed(fields.q)
    codes = {code for pair in pairs for code in pair}
    source, target = (_code(name, codes) for name in (fields.source, fields.target))
    detected = None
    if source == AUTO:
        detected = _source(pairs, target, " ".join(texts))
        source = detected["language"]
    if not texts or (source == target and source in codes):
        results: list[Any] = texts
    elif (source, target) in pairs:
        results = await _translated(request, pairs[source, target], texts, fields.alternatives)
    else:
        names = ", ".join(f"{a} → {b}" for a, b in pairs) or "no pair"
        raise BadArgumentError(f"{names} can be translated here; the request names another pair.")
    # A text that cannot be read stays as it is, and does not take the others with it.
    written = [text if isinstance(text, str) else text.text for text in results]
    others = [
        [] if isinstance(text, str) else [other.text for other in text.alternatives[1:]]
        for text in results
    ]
    is_one = isinstance(fields.q, str)
    content: dict[str, Any] = {"translatedText": written[0] if is_one else written}
    if fields.alternatives:
        content["alternatives"] = others[0] if is_one else others
    if detected is not None:
        content["detectedLanguage"] = detected if is_one else [detected] * len(written)
    return JSONResponse(content)


async def _translated(
    request: Request, pair: "Way", texts: list[str], alternatives: int
) -> list[Any]:
    """Return the result for each text; the text itself where it is refused."""
    model, languages = pair
    task = model.task.between(*languages) if any(languages) else model.task
    options = task.generation.with_alternatives(alternatives + 1) if alternatives else {}
    work, hypotheses = await decoded(request, model, task, texts, options)
    made = work.results(hypotheses)
    results = await all_of(request, made, work.deadline, whole=work.is_small)
    return [
        text if isinstance(result, RegardError) else result
        for text, result in zip(texts, results, strict=True)
    ]


async def _fields(request: Request, here: State, kind: type[RequestT]) -> RequestT | JSONResponse:
    """Return the values of a request; a refusal of one without the key."""
    values = dict(parse_qsl(request.url.query, keep_blank_values=True, max_num_fields=FIELDS))
    values |= await _body(request)
    key = bearer(request.headers) or values.get("api_key")
    if not here.access.knows(key if isinstance(key, str) else None):
        return refusal(request.url.path, 403, "a key is needed; send it as api_key.")
    try:
        return kind.model_validate({name: v for name, v in values.items() if v is not None})
    except ValidationError as error:
        complaints = [entry | {"loc": ("body", *entry["loc"])} for entry in error.errors()]
        raise RequestValidationError(complaints) from error


async def _body(request: Request) -> dict[str, Any]:
    body, content = await request.body(), Message()
    content["content-type"] = request.headers.get("content-type", "application/json")
    try:
        match content.get_content_type():
            case "application/x-www-form-urlencoded":
                return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS))
            case "multipart/form-data":
                return _parts(body, str(content.get_param("boundary", "")).encode())
    except ValueError as error:
        raise HTTPException(
            400, "the form is malformed, not valid UTF-8, or has too many fields."
        ) from error
    if not body.strip() and request.url.query:
        return {}
    try:
        values = json_of(body)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "the body must be JSON, or a form.") from error
    if not isinstance(values, dict):
        raise HTTPException(400, "the body must be a JSON object.")
    return values


def _parts(body: bytes, boundary: bytes) -> dict[str, str]:
    """Return the fields of a form in parts (RFC 7578)."""
    if not boundary:
        raise ValueError("no boundary")
    values: dict[str, str] = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary, FIELDS + 1)[1:]:
        if part.startswith(b"--"):
            return values
        head, between, content = part.partition(b"\r\n\r\n")
        fields = Message()
        for line in head.decode().splitlines():
            name, _, value = line.partition(":")
            fields[name.strip()] = value.strip()
        field = fields.get_param("name", header="content-disposition")
        if not between or not isinstance(field, str):
            raise ValueError("no field")
        values.setdefault(field, content.decode())
    raise ValueError("too many fields, or no end")


Way = tuple[Model[Translator], tuple[str | None, str | None]]  # a model, and what `between` takes
Pairs = dict[tuple[str, str], Way]


def _pairs(models: dict[str, Model[Any]]) -> Pairs:
    """Return the pairs of languages, each with its first model."""
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


def _code(name: str, codes: set[str]) -> str:
    """Return a language that is served, by its code in any case and with any region: en for
    "en-US"."""
    plain = name.strip().lower().replace("_", "-")
    spellings = {code.lower(): code for code in codes}
    return spellings.get(plain) or spellings.get(plain.partition("-")[0], plain)


def _source(pairs: Pairs, target: str, text: str) -> dict[str, Any]:
    """Return the language that a text most likely is in, of those that are translated to the
    target."""
    detected = _detected({pair: way for pair, way in pairs.items() if pair[1] == target}, text)
    if not detected or (len(detected) > 1 and not detected[0]["confidence"]):
        sources = sorted(entry["language"] for entry in detected)
        raise BadArgumentError(
            f'source may be "auto" where one language can be meant; name one of {sources}.'
        )
    return detected[0]


def _detected(pairs: Pairs, text: str) -> list[dict[str, Any]]:
    """Return the languages that models read, the likeliest of a text first. The confidence, 0 to
    100, is the share of its words that a model's calibration lists: 0 for a model without one."""
    shares: dict[str, float] = {}
    for (source, _), (model, _) in pairs.items():
        share = model.task.calibration.coverage(text)
        shares[source] = max(shares.get(source, 0.0), share)
    return [
        {"confidence": round(100 * share), "language": source}
        for source, share in sorted(shares.items(), key=lambda pair: -pair[1])
    ]
