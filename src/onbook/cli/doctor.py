"""`onbook doctor`: what works on this machine, and how to mend what does not."""

import asyncio
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import msgspec

from onbook.cli import options
from onbook.cli.advice import install_extra
from onbook.cli.stage import Stage, open_stage, say_notices, trust_store, workspace_root
from onbook.config.errors import SettingsError
from onbook.config.load import Loaded, load_settings
from onbook.config.places import SETTINGS_NAME
from onbook.config.settings import Route, Settings
from onbook.models.errors import ModelError, Refused, Unreachable
from onbook.models.resolver import NoModel, Resolver, choosing
from onbook.models.weights import SMOLLM2, is_pulled, verify, weights_path
from onbook.outcome import OnbookError, Outcome
from onbook.policy.sandbox import sandbox_state
from onbook.policy.secrets import redact
from onbook.terminal.screen import at_words, is_terminal, marked, printable, width_of
from onbook.words import counted
from onbook.workspace.root import PRIVATE_NAME, sessions_path

OLDEST, NEWEST = (3, 11), (3, 14)


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at. Only a `problem` makes the doctor fail; `absent` is a choice."""

    what: str
    state: str
    """`good`, `absent` or `problem`."""
    detail: str
    fix: str = ""


@click.command()
@options.as_json
@options.workspace
@click.pass_context
def doctor(ctx: click.Context, workspace: Path | None, *, as_json: bool) -> None:
    """Check Python, extras, weights, routes, git, sandbox and terminal, and say how to fix each."""
    stage, settings = _open(workspace)
    say_notices(stage)
    findings = []
    for finding in (*_machine(), settings, *_examine(stage)):
        findings.append(finding)
        click.echo(msgspec.json.encode(finding) if as_json else _line(finding))
    bad = any(finding.state == "problem" for finding in findings)
    ctx.exit((Outcome.FAILED if bad else Outcome.PASSED).exit_code)


def _line(finding: Finding) -> str:
    mark = {"good": "✓", "absent": "–", "problem": "✗"}[finding.state]
    line = printable(f"{mark} {finding.what}: {finding.detail}{f'; {finding.fix}' if finding.fix else ''}")
    line = at_words(line, width_of(sys.stdout))
    return marked(line) if is_terminal(sys.stdout) else line


def _open(workspace: Path | None) -> tuple[Stage, Finding]:
    """The stage, and what its settings are like. Where they are broken, as much of them as can be had."""
    try:
        stage = open_stage(workspace)
    except SettingsError as error:
        finding = Finding("settings", "problem", str(error), "mend that line; onbook config check looks again")
        return Stage(workspace_root(workspace), _settings_without_workspace(), os.environ), finding
    files = ", ".join(map(str, stage.loaded.files)) or "no file; everything is at its default"
    return stage, Finding("settings", "good", files)


def _settings_without_workspace() -> Loaded:
    try:
        return load_settings(None, environ=os.environ, is_trusted=trust_store().is_trusted)
    except SettingsError:
        return Loaded(Settings(), (), (), (), {})


def _machine() -> Iterator[Finding]:
    yield _python()
    yield _system()


def _examine(stage: Stage) -> Iterator[Finding]:
    yield _workspace(stage)
    yield _extra("local", "xllamacpp", "the embedded model")
    yield _weights()
    yield _extra("cloud", "any_llm", "any:// routes")
    yield _extra("mcp", "mcp", "MCP servers")
    yield from asyncio.run(_models(stage))
    yield from _mcp_servers(stage)
    yield _git()
    yield _sandbox(stage)
    yield _trust()
    yield _terminal()


def _python() -> Finding:
    version = platform.python_version()
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return Finding("python", "good", version)
    wanted = f"install Python {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
    return Finding("python", "problem", f"{version} is not supported", wanted)


def _system() -> Finding:
    name = platform.system()
    if name in ("Linux", "Darwin"):
        return Finding("system", "good", f"{name} {platform.machine()}")
    return Finding("system", "problem", f"{name} is not supported", "use Linux or macOS")


def _workspace(stage: Stage) -> Finding:
    places = (sessions_path(stage.root), stage.root / PRIVATE_NAME, stage.root)
    place = next((path for path in places if path.exists()), stage.root)
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return Finding("workspace", "good", str(stage.root))
    fix = "choose another folder with --workspace, or give --no-record"
    return Finding("workspace", "problem", f"sessions cannot be recorded in {place}", fix)


def _extra(name: str, module: str, purpose: str) -> Finding:
    if find_spec(module) is not None:
        return Finding(f"extra {name}", "good", purpose)
    return Finding(f"extra {name}", "absent", f"not installed ({purpose})", install_extra(name))


def _weights() -> Finding:
    fix = "onbook model pull smollm2"
    if verify(SMOLLM2):
        return Finding("weights", "good", str(weights_path(SMOLLM2)))
    if is_pulled(SMOLLM2):
        return Finding("weights", "problem", "the file is damaged", f"rm {weights_path(SMOLLM2)} && {fix}")
    return Finding("weights", "absent", "smollm2 is not pulled", fix)


async def _models(stage: Stage) -> list[Finding]:
    resolver = Resolver(stage.settings, stage.environ, stage.model_origin, unchosen=stage.unchosen_route)
    try:
        reachable = await resolver.ollama.reachable()
        found = [
            Finding("ollama", "good", "answers")
            if reachable
            else Finding("ollama", "absent", "no local Ollama answers", "start it with: ollama serve")
        ]
        for route in stage.settings.routes:
            found.append(await _route(resolver, route, stage))
        return [*found, await _answering(resolver, stage)]
    finally:
        await resolver.aclose()


async def _route(resolver: Resolver, route: Route, stage: Stage) -> Finding:
    try:
        models = await resolver.backend(route).list_models()
    except OnbookError as error:
        return Finding(f"route {route.name}", "problem", str(error), _fix(error, route, stage))
    detail = "answers" if models is None else f"answers, {counted(len(models), 'model')}"
    return Finding(f"route {route.name}", "good", detail)


def _fix(error: OnbookError, route: Route, stage: Stage) -> str:
    """What helps against this error of this route; nothing where the error says it itself."""
    if isinstance(error, Unreachable):
        here = " --here" if stage.loaded.origins.get(f"routes.{route.name.casefold()}") == _own(stage) else ""
        return f"is the server running? onbook route rm {route.name}{here} removes it"
    if isinstance(error, Refused):
        if route.key_variable is None:
            return f"it wants a key: onbook route add {route.name} {route.url} --key-env VAR"
        is_set = stage.environ.get(route.key_variable, "").strip()
        return f"check the key in {route.key_variable}" if is_set else f"export {route.key_variable}=…"
    return f"onbook route probe {route.name}" if isinstance(error, ModelError) else ""


def _own(stage: Stage) -> str:
    return str(stage.root / SETTINGS_NAME)


async def _answering(resolver: Resolver, stage: Stage) -> Finding:
    try:
        chosen = await resolver.choose()
    except NoModel as error:
        if error.routes:
            return Finding("model", "problem", "none is chosen", choosing(error.routes))
        pull = "onbook model pull smollm2 for the embedded one"
        embedded = pull if find_spec("xllamacpp") else f"{install_extra('local')}, then {pull}"
        ways = f"either {embedded}; or start Ollama or name a server: onbook route add NAME URL"
        return Finding("model", "problem", "there is none to ask", ways)
    except OnbookError as error:
        route = stage.settings.route(stage.settings.model or "") or stage.unchosen_route
        return Finding("model", "problem", str(error), _fix(error, route, stage) if route else "")
    return Finding("model", "good", f"{chosen.model} would answer ({chosen.why})")


def _mcp_servers(stage: Stage) -> Iterator[Finding]:
    """Whether each could be started or called; none is."""
    from onbook.session.mcp.check import obstacle
    from onbook.session.mcp.servers import home_of

    for server in stage.settings.mcp:
        problem = obstacle(server, home_of(server, stage.loaded.origins), stage.environ)
        detail = server.url or shlex.join(server.argv)
        yield Finding(f"mcp {server.name}", "problem" if problem else "good", redact(problem or detail))


def _git() -> Finding:
    if path := shutil.which("git"):
        return Finding("git", "good", path)
    fix = "xcode-select --install" if sys.platform == "darwin" else "install the package git"
    return Finding("git", "absent", "not installed (the workflow needs it)", fix)


def _sandbox(stage: Stage) -> Finding:
    if sys.platform != "linux":
        return Finding("sandbox", "absent", "there is none for this system: what models start is not shut in")
    state = sandbox_state(stage.settings.policy.sandbox)
    return Finding("sandbox", "good" if state.active else "absent", state.detail)


def _trust() -> Finding:
    if problem := trust_store().problem():
        return Finding("trust", "problem", problem)
    return Finding("trust", "good", f"{counted(len(trust_store().show()), 'workspace')} trusted")


def _terminal() -> Finding:
    if is_terminal(sys.stdout):
        return Finding("terminal", "good", os.environ.get("TERM", ""))
    return Finding("terminal", "absent", "not a terminal: no colours, no spinner")
