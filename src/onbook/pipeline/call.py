"""How a prompt pipeline was called: read once, from a session's line or from a shell's, and kept in the journal."""

import re
import shlex
from collections.abc import Sequence
from typing import Self

import msgspec

from onbook.config.confidence_settings import method_of
from onbook.config.percent import RIGHT_FORM, share_of
from onbook.flow.steps import Flow, Once, Prompt
from onbook.outcome import UsageError
from onbook.policy.secrets import redact

USAGE = "write CONFIDENCE% FILE…, as in 85% review.md summarise.md"
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d+)?")


class PipelineCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody asked for. Files are paths as the workspace's door understands them."""

    confidence: str
    """What every step has to reach: `90%`."""
    files: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    method: str = "ask"
    """Where the confidence comes from, as `--confidence-method` has it."""
    model: str | None = None
    """The one that `--model` named for the steps that mention none."""

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        *,
        variables: Sequence[str] = (),
        method: str = "ask",
        model: str | None = None,
    ) -> Self:
        """The call that these words mean: a confidence, then the files."""
        if not words:
            raise UsageError(f"pipeline: nothing to run: {USAGE}")
        confidence, *files = words
        checked_confidence(confidence)
        if not files:
            raise UsageError(f"pipeline: no file to send: {USAGE}")
        if "" in files:
            raise UsageError('pipeline: cannot read "": a file needs a name')
        return cls(confidence, tuple(files), _variables(variables), str(method_of(method)), model)

    @classmethod
    def from_journal(cls, text: str) -> Self | None:
        """The call that a journal kept; None where it kept none that can be made: it may have come with a clone."""
        try:
            call = msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return None
        return call if call.files and share_of(call.confidence) is not None else None

    def for_journal(self) -> str:
        return msgspec.json.encode(self).decode()

    @property
    def line(self) -> str:
        """The call as a line of a session."""
        method = ["--confidence-method", self.method] if self.method != "ask" else []
        variables = [word for name, value in self.variables for word in ("--var", f"{name}={value}")]
        return shlex.join(["/pipeline", *method, *variables]) + f" {self.confidence} {shlex.join(self.files)}"

    @property
    def flow(self) -> Flow:
        """One step for each file; the first knows the conversation so far."""
        steps = tuple(
            Once(
                file,
                Prompt(file, confidence=self.confidence, with_history=number == 0, variables=self.variables),
            )
            for number, file in enumerate(self.files)
        )
        return Flow(shlex.join(self.files), "prompts", steps)


def checked_confidence(text: str) -> str:
    """The text, if it is a confidence to reach; else one line that shows how to write it."""
    if share_of(text) is not None:
        return text
    right = f"write it as {text}%" if _NUMBER.fullmatch(text) and share_of(f"{text}%") and float(text) > 1 else ""
    raise UsageError(f'pipeline: "{text}" is not a confidence: {right or f"write {RIGHT_FORM}"}')


def _variables(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise UsageError(f'pipeline: --var "{each}": write name=value, as in --var topic=rivers')
        if name in found:
            raise UsageError(f"pipeline: --var {name} is given twice")
        found[name] = redact(value)
    return tuple(found.items())
