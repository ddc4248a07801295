"""An answer held to a JSON schema: asked of the backend, and checked here whatever the backend made of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from onbook.outcome import UsageError


def read_schema(path: Path) -> dict[str, Any]:
    """A JSON schema from a file, known to be one."""
    try:
        schema = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot read the schema: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not JSON: {error}") from None
    if not isinstance(schema, dict):
        raise UsageError(f'{path}: a JSON schema is an object, as in {{"type": "object", …}}')
    try:
        _validator(schema)
    except Exception as error:
        raise UsageError(f"{path}: not a JSON schema: {error}") from None
    return schema


def misfit(answer: str, schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the answer, or None when it fits."""
    import fastjsonschema

    try:
        value = msgspec.json.decode(answer)
    except msgspec.DecodeError as error:
        return f"the answer is not JSON: {error}"
    try:
        _validator(schema)(value)
    except fastjsonschema.JsonSchemaValueException as error:
        return f"the answer does not fit the schema: {error.message}"
    return None


def _validator(schema: Mapping[str, Any]) -> Any:
    import fastjsonschema

    # A schema must not make us fetch anything: references stay inside it.
    return fastjsonschema.compile(dict(schema), handlers={"http": _refuse, "https": _refuse, "file": _refuse})


def _refuse(uri: str) -> Any:
    raise ValueError(f"a reference to {uri} leads outside the file")
