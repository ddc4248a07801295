"""An answer held to a JSON schema: asked of the backend, and checked here whatever the backend made of it."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from onbook.outcome import UsageError
from onbook.policy.door import Denied, Door
from onbook.policy.paths import Missing

MOST_BYTES = 4 << 20


async def schema_of(door: Door, path: str) -> dict[str, Any]:
    """A JSON schema from a file that somebody named, known to be one."""
    try:
        return parse_schema(path, await door.read(path, by="user", limit=MOST_BYTES))
    except Denied as denied:
        why = "No such file or directory" if isinstance(denied.problem, Missing) else denied.reason
        raise UsageError(f"{path}: cannot read the schema: {why}") from None


def parse_schema(path: str, data: bytes) -> dict[str, Any]:
    """A JSON schema, or one line about what is wrong with it."""
    try:
        schema = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"{path}: the schema is nested too deeply") from None
    if not isinstance(schema, dict):
        raise UsageError(f'{path}: a JSON schema is an object, as in {{"type": "object", …}}')
    _check(path, schema)
    return schema


def misfit(answer: str, schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the answer, or None when it fits."""
    import fastjsonschema

    try:
        value = msgspec.json.decode(answer)
        _validator(schema)(value)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        return f"the answer is not JSON: {error}"
    except RecursionError:
        return "the answer does not fit the schema: it is nested too deeply to be checked"
    except ArithmeticError:
        return "the answer does not fit the schema: a number in it is too large to be checked"
    except fastjsonschema.JsonSchemaValueException as error:
        return f"the answer does not fit the schema: {error.message}"
    return None


def _check(path: str, schema: dict[str, Any]) -> None:
    """The schema can be made a validator, and that validator comes to an end whatever it is given."""
    import fastjsonschema

    try:
        validate = _validator(schema)
    except (RecursionError, IndentationError):  # the validator is generated code, and Python's nesting has an end
        raise UsageError(f"{path}: the schema is nested too deeply") from None
    except Exception as error:
        # Which of us meets the end of Python's nesting first depends on its version.
        problem = "the schema is nested too deeply" if "deeply nested" in str(error) else f"not a JSON schema: {error}"
        raise UsageError(f"{path}: {problem}") from None
    samples: tuple[Any, ...] = ({}, [], "", 0, None)
    for value in samples:
        try:
            validate(value)
        except fastjsonschema.JsonSchemaException:
            continue
        except RecursionError:
            raise UsageError(f"{path}: the schema refers to itself without end") from None
        except ArithmeticError:
            raise UsageError(f"{path}: not a JSON schema: multipleOf must be more than 0") from None


def _validator(schema: Mapping[str, Any]) -> Any:
    import fastjsonschema

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's own, about patterns that will mean something else some day
        return fastjsonschema.compile(dict(schema), handlers=_StayInside())


class _StayInside(dict[str, Callable[[str], Any]]):
    """A schema must not make us fetch anything. The library opens a reference of any scheme that has no handler, so
    there is one for all of them."""

    def __contains__(self, scheme: object) -> bool:
        return True

    def __missing__(self, scheme: str) -> Callable[[str], Any]:
        return _refuse


def _refuse(uri: str) -> Any:
    raise ValueError(f"a reference to {uri} leads outside the file")
