"""The reference of all settings, made from the typed settings: what the code checks is what the page says.

`make docs` writes it as `docs/settings-reference.md`; a test compares.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from onbook.cli.settings_words import in_toml, keys_of, table_within
from onbook.config.flow_settings import StepTable
from onbook.config.load import environment_variable, is_scalar
from onbook.config.settings import Settings
from onbook.config.step_checks import KEYS
from onbook.config.untrusted import STRICTER
from onbook.flow.steps import Conditional, Foreach, Loop, Script

ALL, NOTHING = "all of it", "nothing"
_STRICTER = {
    table: "only " + " and ".join(f"`{key} = {in_toml(value)}`" for key, (value, *_) in keys.items())
    for table, keys in STRICTER.items()
}
BEFORE_TRUST = {
    **dict.fromkeys(("model", "agent_name", "role", "context"), ALL),
    "routes": "only routes to this machine that need no key",
    **_STRICTER,
    "roles": "all but `pipeline` and `workflow`",
    **dict.fromkeys(("pipelines", "workflows"), "what you run by its name, if none of yours has that name"),
    **dict.fromkeys(("budget", "prices", "confidence", "mcp", "rag", "workflow"), NOTHING),
}
"""What an untrusted workspace may set of each key at the top; `config/untrusted.py` sees to it."""
_ENGINE: dict[str, tuple[type[msgspec.Struct], str]] = {
    "shell": (Script, "shell"),
    "timeout": (Script, "timeout"),
    "max_iterations": (Loop, "most"),
    "on_exhausted": (Loop, "on_exhausted"),
    "parallel": (Foreach, "parallel"),
    "join": (Foreach, "join"),
    "on_empty": (Foreach, "on_empty"),
    "branch_input": (Conditional, "branch_input"),
}
"""Who knows what a step does without the key."""
_HEAD = """# Settings, key by key

Every table and key of `onbook.toml`, made from the code by `make docs`. Where the files lie, who wins and how it is
written is in [settings](settings.md). *Before trust* says what the file of a workspace may set that you have not
[trusted](trust.md).
"""


class Table(NamedTuple):
    """One table of the file."""

    heads: tuple[str, ...]
    """How it is written: `[policy]`, `[[routes]]`; the steps of pipelines and workflows are the same."""
    struct: type[msgspec.Struct]
    before_trust: str


def settings_page() -> str:
    """The whole page."""
    parts = [_HEAD, *_single_values()]
    for table in tables():
        parts += ["", f"## {' and '.join(f'`{head}`' for head in table.heads)}", "", *_about(table), ""]
        parts += _steps() if table.struct is StepTable else _rows(table.struct)
    return "\n".join(parts) + "\n"


def tables() -> list[Table]:
    """Every table below the top, in the order of the settings; one that stands in two places is one."""
    found: dict[type[msgspec.Struct], Table] = {}
    for field in msgspec.structs.fields(Settings):
        for head, struct in _within(field.name, field.type):
            inner = field.name in STRICTER and struct is not field.type
            known = found.get(struct, Table((), struct, NOTHING if inner else BEFORE_TRUST[field.name]))
            found[struct] = known._replace(heads=(*known.heads, head))
    return list(found.values())


def _within(path: str, kind: object) -> Iterator[tuple[str, type[msgspec.Struct]]]:
    """The table at `path`, and those inside it. A step in a step is written like any step."""
    form, struct = table_within(kind) or ("", None)
    if struct is None:
        return
    yield {"list": f"[[{path}]]", "named": f"[{path}.NAME]"}.get(form, f"[{path}]"), struct
    if struct is not StepTable:
        for field in msgspec.structs.fields(struct):
            yield from _within(f"{path}.{field.name}", field.type)


def _about(table: Table) -> list[str]:
    summary = " ".join((table.struct.__doc__ or "").split())
    return [summary, "", f"Before trust: {table.before_trust}."]


def _single_values() -> list[str]:
    """The keys at the top that are no tables: each has a variable."""
    rows = ["| key | value | default | variable | what it is |", "| --- | --- | --- | --- | --- |"]
    single = {field.name for field in msgspec.structs.fields(Settings) if is_scalar(field.type)}
    for name, value, default, sentence in keys_of(Settings):
        if name in single:
            rows.append(_row(f"`{name}`", value, default, f"`{environment_variable(name)}`", sentence))
    return ["## At the top", "", f"Before trust: {ALL}. An empty variable counts as not set.", "", *rows]


def _rows(struct: type[msgspec.Struct]) -> list[str]:
    rows = ["| key | value | default | what it is |", "| --- | --- | --- | --- |"]
    return rows + [_row(f"`{key.name}`", *key[1:]) for key in keys_of(struct)]


def _steps() -> list[str]:
    """The keys of a step, each with the types of steps that have it."""
    rows = ["| key | goes with | value | default | what it is |", "| --- | --- | --- | --- | --- |"]
    for key in keys_of(StepTable):
        owners = [kind for kind, keys in KEYS.items() if key.name in keys]
        engine, field = _ENGINE.get(key.name, (None, ""))
        default = f"`{in_toml(_default_of(engine, field))}`" if engine else key.default
        rows.append(_row(f"`{key.name}`", ", ".join(owners) or "all", key.value, default, key.sentence))
    return rows


def _default_of(struct: type[msgspec.Struct], name: str) -> object:
    return next(field.default for field in msgspec.structs.fields(struct) if field.name == name)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
