"""Where templates come from: those of onbook, and in their place those of a workspace that is trusted."""

import os
from importlib.resources import files
from pathlib import Path

from onbook.outcome import UsageError
from onbook.policy.door import Denied, Door
from onbook.policy.paths import Missing
from onbook.policy.trust import TEMPLATES, TrustStore
from onbook.workflow.agents.personas import PERSONAS, Persona
from onbook.workflow.agents.rendering import BadTemplate, Template

MOST_BYTES = 256 << 10

Library = dict[str, Template]
"""Templates by their place below `templates/`, without the ending."""


async def load_library(door: Door, trust: TrustStore) -> tuple[Library, list[str]]:
    """Every template there is, each checked, so that nothing is sent out when one is wrong; and what to say of those
    that were left out because nobody trusts them."""
    library: Library = {}
    notices: list[str] = []
    for persona in PERSONAS.values():
        for name in persona.templates:
            library[name] = await _template(name, door, trust, notices)
            _check(library[name], persona)
    return library, notices


def own_template(name: str) -> Template:
    """The one that comes with onbook."""
    resource = files("onbook.workflow").joinpath("templates", *f"{name}.md".split("/"))
    try:
        return Template(f"templates/{name}.md", resource.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadTemplate(f"templates/{name}.md is missing from this installation; install onbook again") from None


async def _template(name: str, door: Door, trust: TrustStore, notices: list[str]) -> Template:
    path = f"{TEMPLATES}/{name.rpartition('/')[2]}.md"
    if not _is_there(door.root / path):  # nothing is read, and the log says nothing of it
        return own_template(name)
    looking = door.because("the workflow has a template of that name")
    try:
        content = await looking.read(path, by="user", limit=MOST_BYTES + 1)
    except Denied as denied:
        if isinstance(denied.problem, Missing):
            return own_template(name)
        raise UsageError(f"{path}: {denied.reason.removeprefix('it ')}") from None
    if len(content) > MOST_BYTES:
        raise BadTemplate(f"{path}: larger than {MOST_BYTES >> 10} KiB; shorten it")
    if not trust.is_trusted_file(door.root, path, content):
        notices.append(f"{path} is not trusted: left out; read the file, then run: onbook trust")
        return own_template(name)
    return Template(path, _text(path, content))


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


def _text(path: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadTemplate(f"{path}: not UTF-8 text; save it as UTF-8") from None
    if not text.strip():
        raise BadTemplate(f"{path}: is empty; remove it to use onbook's own")
    return text


def _check(template: Template, persona: Persona) -> None:
    template.check(persona.given, (persona.output,) if persona.output else ())
