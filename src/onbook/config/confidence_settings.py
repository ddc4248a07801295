"""How a model's confidence is found out, from the settings and from `--confidence-method`."""

import re
from typing import Literal

import msgspec

from onbook.config.errors import BadValueError, did_you_mean
from onbook.outcome import UsageError

Kind = Literal["ask", "logprobs", "samples"]


class Method(msgspec.Struct, frozen=True):
    """One way to find out: ask the model, look at its token probabilities, or compare several of its replies."""

    kind: Kind = "ask"
    samples: int = 0
    """How many replies are compared; 0 for the other kinds."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.samples}" if self.kind == "samples" else self.kind


class ConfidenceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How steps with a threshold are measured."""

    method: str = "ask"
    """`ask`, `logprobs` or `samples:N`, with N from 2 to 20 replies to compare."""

    def __post_init__(self) -> None:
        if problem := _problem(self.method):
            raise BadValueError(problem, key="method")


def method_of(text: str) -> Method:
    """The method that `text` names; UsageError with the right forms for anything else."""
    if problem := _problem(text):
        raise UsageError(f"confidence method: {problem}")
    kind, _, count = text.partition(":")
    return Method("samples", int(count)) if count else Method("logprobs" if kind == "logprobs" else "ask")


_METHOD = re.compile(r"ask|logprobs|samples:(?:[2-9]|1[0-9]|20)")
_FORMS = "write ask, logprobs or samples:N with N from 2 to 20, as in samples:5"


def _problem(text: str) -> str:
    if _METHOD.fullmatch(text):
        return ""
    shown = msgspec.json.encode(text[:40].encode("utf-8", "replace").decode()).decode()
    hint = did_you_mean(text, ("ask", "logprobs")) if ":" not in text else ""
    return f"{shown} is not known; {_FORMS}{hint}"
