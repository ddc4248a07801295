"""A walk through the code: nobody but the door starts a process, opens a file or calls a host on anybody's behalf.

Each module that may has a reason here. A new one fails this test until somebody has written down why.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path

import pytest

import onbook

SOURCE = Path(onbook.__file__).parent

MAY_START = {
    "policy/process.py": "the door's own",
    "policy/companion.py": "the door's own, for programs that stay: MCP servers",
    "policy/sandbox.py": "tries bubblewrap itself, once",
    "policy/guardian.py": "the shell that ends the door's programs when onbook was killed",
    "models/wheel_fetch.py": "pip, for weights that a person asked for by name",
    "flow/spawn.py": "scripts of a flow, each of which the door let pass and wrote down",
    "journal/processes.py": "asks ps, where there is no /proc, whether the process of a run still lives",
}
MAY_TOUCH_FILES = {
    "policy/paths.py": "the door's own: the fence",
    "policy/hands.py": "the door's own: what it does with files",
    "policy/bulk.py": "the door's own: whole folders, let through as one reading",
    "policy/audit.py": "the door's own log",
    "policy/undo.py": "the door's own copies",
    "policy/decide.py": "looks for names of secrets in a folder that a program would read",
    "policy/grants.py": "what the person said yes to, in the user's state folder",
    "policy/begun.py": "which runs the person began, in the user's state folder",
    "policy/trust.py": "what the person trusts, in the user's state folder",
    "policy/proc.py": "reads /proc, to end what a program left behind",
    "policy/sandbox.py": "looks which of the user's folders must be hidden",
    "policy/guardian.py": "/dev/null, for what the guardian would say",
    "workspace/": "finds the workspace, writes the person's settings and the records below .onbook/",
    "config/parse.py": "the settings",
    "transcript/": "the record of the session, below .onbook/sessions/",
    "models/weights.py": "the embedded model's weights, in the user's cache",
    "models/wheel_fetch.py": "fetches those weights, which a person asked for by name",
    "models/embedded.py": "looks for those weights",
    "session/knowledge/": "the index below .onbook/; the files in it are read through the door",
    "session/skills/catalogue.py": "looks which skills there are",
    "flow/spool.py": "nameless files below .onbook/tmp/, for what goes from step to step",
    "flow/data.py": "those files, and standard input",
    "flow/joining.py": "those files",
    "flow/script_actor.py": "those files, as a script's standard input",
    "flow/spawn.py": "the first line of a script that would not start, to say why",
    "flow/reaper.py": "which children onbook has, in /proc, to end what a script left behind",
    "journal/": "the runs and their outputs, below .onbook/; a script's file only to see whether it has changed",
    "commands/path_offers.py": "names of files, to complete what a person is typing",
    "commands/manual.py": "onbook's own manual",
    "terminal/history.py": "what the person typed, in the user's state folder",
    "workflow/agents/library.py": "onbook's own templates; a workspace's are read through the door",
    "workflow/agents/record.py": "takes away what an agent is to make anew, under .harness/",
    "workflow/state/approvals.py": "what the person approved, in the user's state folder",
    "workflow/files/git_guard.py": "puts git's settings and hooks back when an external agent has changed them",
    "workflow/files/git_memory.py": "what git's settings and hooks were before, in the user's state folder",
    "workflow/files/artefacts.py": "hashes of what agents left behind",
    "workflow/finish/deleting.py": "deletes what a workflow made, as the person chose",
    "workflow/state/loading.py": "onbook's own .harness/state.json",
    "workflow/state/lock.py": "onbook's own lock in .onbook/",
    "workflow/state/store.py": "onbook's own .harness/state.json",
    "cli/help.py": "onbook's own manual",
    "cli/markdown_offers.py": "names of files, to complete what a person types in a shell",
    "cli/pages.py": "writes onbook's own manual, for `make docs`",
    "cli/route.py": "the settings, to see whether they are trusted",
    "cli/streams.py": "gives a closed standard stream back, as /dev/null",
}
MAY_CALL_HOSTS = {
    "models/http.py": "models, at the addresses of the person's settings",
    "models/any_provider.py": "models of other providers, with the person's key",
    "models/embedded.py": "the embedded model, on this machine",
    "models/wheel_fetch.py": "the package index, for weights that a person asked for by name",
    "session/mcp/": "MCP servers of the person's settings; each call of a tool passes the door",
}

_STARTERS = {"subprocess", "pty", "multiprocessing"}
_STARTING = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "create_subprocess_exec"} | {
    "create_subprocess_shell",
    *(f"exec{kind}" for kind in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *(f"spawn{kind}" for kind in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
}
_FILE_MODULES = {"tempfile", "sqlite3", "apsw", "mmap", "fileinput", "zipfile", "tarfile", "linecache"}
_OF_OS = {"open", "remove", "unlink", "rename", "replace", "rmdir", "removedirs", "mkdir", "makedirs", "listdir"} | {
    *("scandir", "walk", "fwalk", "link", "symlink", "truncate", "chmod", "chown", "mkfifo", "mknod", "utime")
}
_OF_SHUTIL = {
    "copy",
    "copy2",
    "copyfile",
    "copytree",
    "copyfileobj",
    "move",
    "rmtree",
    "make_archive",
    "unpack_archive",
}
_OF_PATHS = {"read_text", "read_bytes", "write_text", "write_bytes", "unlink", "rename", "rmdir", "mkdir", "touch"} | {
    *("symlink_to", "hardlink_to", "chmod", "iterdir", "rglob", "write_atomic")
}
_BY_NAME = {"open", "write_atomic", "open_plain", "read_plain"}
_HOST_MODULES = {"socket", "httpx2", "httpx", "urllib3", "requests", "aiohttp", "websockets", "mcp", "any_llm"} | {
    *("http.client", "http.server", "urllib.request", "ftplib", "smtplib", "socketserver", "ssl")
}
_CONNECTING = {"open_connection", "open_unix_connection", "create_connection", "create_datagram_endpoint"}


def starts(tree: ast.AST) -> Iterator[str]:
    """Whatever could start a process."""
    yield from (name for name in imported(tree) if name.partition(".")[0] in _STARTERS)
    yield from (call for call in calls_of(tree, "os", "asyncio", "posix") if call.partition(".")[2] in _STARTING)


def touches_files(tree: ast.AST) -> Iterator[str]:
    """Whatever could read, write, list or remove a file. Only asking whether one is there is nobody's secret."""
    yield from (name for name in imported(tree) if name.partition(".")[0] in _FILE_MODULES)
    yield from (call for call in calls_of(tree, "os") if call.partition(".")[2] in _OF_OS)
    yield from (call for call in calls_of(tree, "shutil") if call.partition(".")[2] in _OF_SHUTIL)
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _BY_NAME:
            yield node.func.id
        elif isinstance(node, ast.Call) and is_of_a_path(node):
            yield f".{node.func.attr}"  # type: ignore[attr-defined]


def calls_hosts(tree: ast.AST) -> Iterator[str]:
    """Whatever could speak to a host."""
    yield from (name for name in imported(tree) if name in _HOST_MODULES or name.partition(".")[0] in _HOST_MODULES)
    yield from (call for call in calls_of(tree, "asyncio", "loop") if call.partition(".")[2] in _CONNECTING)


def imported(tree: ast.AST) -> Iterator[str]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def calls_of(tree: ast.AST, *owners: str) -> Iterator[str]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in owners:
            yield f"{node.value.id}.{node.attr}"


def is_of_a_path(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    if isinstance(call.func.value, ast.Name) and call.func.value.id in ("os", "shutil"):
        return False
    return call.func.attr in _OF_PATHS or is_path_open(call) or is_path_replace(call)


def is_path_open(call: ast.Call) -> bool:
    """`path.open()` or `path.open("rb")`; a backend's `open(model)` is another thing."""
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr != "open":
        return False
    first = call.args[0] if call.args else None
    is_mode = isinstance(first, ast.Constant) and isinstance(first.value, str) and set(first.value) <= set("rwxab+t")
    return is_mode or (first is None and isinstance(call.func.value, ast.Name | ast.BinOp | ast.Call))


def is_path_replace(call: ast.Call) -> bool:
    """`path.replace(target)`: a text's own `replace` takes two, a struct's takes keywords."""
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr == "replace" and len(call.args) == 1 and not call.keywords


def reasons(name: str, allowed: dict[str, str]) -> list[str]:
    """The entries that let the module have effects: its own, or that of its folder."""
    return [each for each in allowed if name == each or (each.endswith("/") and name.startswith(each))]


def found_by(look: Callable[[ast.AST], Iterator[str]]) -> dict[str, list[str]]:
    """The modules in which the look finds something."""
    modules = {name: sorted(set(look(tree))) for name, tree in trees().items()}
    return {name: what for name, what in modules.items() if what}


@cache
def trees() -> dict[str, ast.AST]:
    """Every module of onbook."""
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_bytes()) for path in sorted(SOURCE.rglob("*.py"))}


@lru_cache(1)
def nodes_of(tree: ast.AST) -> list[ast.AST]:
    return list(ast.walk(tree))


@pytest.mark.parametrize(
    ("look", "allowed"),
    [(starts, MAY_START), (touches_files, MAY_TOUCH_FILES), (calls_hosts, MAY_CALL_HOSTS)],
    ids=["processes", "files", "hosts"],
)
def test_only_modules_with_a_reason_have_effects(
    look: Callable[[ast.AST], Iterator[str]], allowed: dict[str, str]
) -> None:
    found = found_by(look)
    assert {name: what for name, what in found.items() if not reasons(name, allowed)} == {}
    needed = {each for name in found for each in reasons(name, allowed)}
    assert sorted(set(allowed) - needed) == [], "these need no reason any more"


@pytest.mark.parametrize(
    ("look", "code", "what"),
    [
        (starts, "import subprocess", "subprocess"),
        (starts, "from subprocess import run", "subprocess"),
        (starts, "import os\nos.system('ls')", "os.system"),
        (starts, "import os\nstart = os.system", "os.system"),
        (touches_files, "open('x')", "open"),
        (touches_files, "Path('x').read_text()", ".read_text"),
        (touches_files, "path.open('rb')", ".open"),
        (touches_files, "path.open()", ".open"),
        (touches_files, "old.replace(new)", ".replace"),
        (touches_files, "os.unlink('x')", "os.unlink"),
        (touches_files, "import sqlite3", "sqlite3"),
        (touches_files, "shutil.rmtree('x')", "shutil.rmtree"),
        (calls_hosts, "import httpx2", "httpx2"),
        (calls_hosts, "from urllib.request import urlopen", "urllib.request"),
        (calls_hosts, "asyncio.open_connection('h', 1)", "asyncio.open_connection"),
    ],
)
def test_the_walk_finds_what_it_looks_for(look: Callable[[ast.AST], Iterator[str]], code: str, what: str) -> None:
    assert list(look(ast.parse(code))) == [what]


@pytest.mark.parametrize("code", ["text.replace('a', 'b')", "backend.open(model)", "replace(x, a=1)", "path.exists()"])
def test_the_walk_passes_over_what_is_harmless(code: str) -> None:
    assert list(touches_files(ast.parse(code))) == []
