"""A walk through the code: no process is started anywhere but in the door."""

import ast
from pathlib import Path

import onbook

SOURCE = Path(onbook.__file__).parent
STARTERS = {"subprocess", "pty", "multiprocessing"}
CALLS = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "create_subprocess_exec"} | {
    "create_subprocess_shell",
    *(f"exec{kind}" for kind in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *(f"spawn{kind}" for kind in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
}
MAY_START = {
    "policy/process.py": "the door's own",
    "policy/sandbox.py": "tries bubblewrap itself, once",
    "models/wheel_fetch.py": "pip, for weights that a person asked for by name",
}


def starts_something(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.partition(".")[0] in STARTERS]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in STARTERS:
            found.append(node.module or "")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in ("os", "asyncio", "posix"):
                found.append(f"{owner.id}.{node.func.attr}")
    return found


def test_only_the_door_starts_processes() -> None:
    found = {
        str(path.relative_to(SOURCE)): starts
        for path in sorted(SOURCE.rglob("*.py"))
        if (starts := starts_something(ast.parse(path.read_bytes())))
    }
    assert set(found) <= set(MAY_START), found


def test_the_walk_finds_what_it_looks_for() -> None:
    assert starts_something(ast.parse("import subprocess")) == ["subprocess"]
    assert starts_something(ast.parse("from subprocess import run")) == ["subprocess"]
    assert starts_something(ast.parse("import os\nos.system('ls')")) == ["os.system"]
