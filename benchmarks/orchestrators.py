"""Beside the two nearest orchestrators, spec-kit's workflow engine and microsoft/conductor: the same shell steps."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.commands import timed
from benchmarks.harness import Contender, Row, marginal, take_turns
from benchmarks.lab import Lab
from benchmarks.peers import CONDUCTOR, SPECIFY

STEPS = 100
GO = "go"
"""The file that the last step waits for, where a run has to fail and be taken up again."""
_OURS, _SPECIFY, _CONDUCTOR = "onbook", "specify", "conductor"
_SIZES = {"one": 1, "many": STEPS}


def started(lab: Lab) -> list[Row]:
    """From the shell to the help and back: what everybody pays before anything is done."""
    programs = {_OURS: lab.ours / "onbook", _SPECIFY: lab.programs(SPECIFY) / "specify"}
    if lab.has(CONDUCTOR):
        programs[_CONDUCTOR] = lab.programs(CONDUCTOR) / "conductor"
    contenders = {name: timed([str(path), "--help"], _environ(lab)) for name, path in programs.items()}
    costs = take_turns(contenders, rounds=15)
    return [costs.row("--help", _OURS, peer, target=0.25, kind="wall") for peer in [*programs][1:]]


def steps(lab: Lab) -> list[Row]:
    """A run of 100 steps, each `sh -c "cat < tN > tM"`: all of it, and what one more step costs."""
    folder = _workspace(lab, "orchestrator-steps", [_command(number) for number in range(STEPS)])
    runs = {
        _OURS: lambda size: _timed_run(lab, folder, [str(lab.ours / "onbook"), "script", "run", size]),
        _SPECIFY: lambda size: _timed_run(lab, folder, [*_specify(lab), "run", f"{size}.yml", "--json"]),
    }
    if lab.has(CONDUCTOR) and _conducts(lab, folder):
        runs[_CONDUCTOR] = lambda size: _timed_run(lab, folder, _conductor(lab, size))
    whole = take_turns({name: _whole(run) for name, run in runs.items()}, rounds=5)
    each = take_turns({name: marginal(run, STEPS - 1) for name, run in runs.items()}, rounds=5)
    return [
        row
        for peer in [*runs][1:]
        for row in (
            whole.row(f"run of {STEPS} shell steps", _OURS, peer, target=0.5, kind="wall"),
            each.row("one more shell step", _OURS, peer, target=0.5, kind="wall"),
        )
    ]


def resumed(lab: Lab) -> list[Row]:
    """Going on with a run whose last step of 100 failed: from the command to its end, one step left to do."""
    commands = [_command(number) for number in range(STEPS - 1)]
    folder = _workspace(lab, "orchestrator-resume", [*commands, f"test -f {GO} && {_command(STEPS - 1)}"])
    ours = str(lab.ours / "onbook")
    specify = _specify(lab)

    def our_run() -> list[str]:
        _fails(lab, folder, [ours, "script", "run", "many"])
        return [ours, "runs", "resume"]

    def their_run() -> list[str]:
        said = _fails(lab, folder, [*specify, "run", "many.yml", "--json"])
        return [*specify, "resume", str(json.loads(said)["run_id"]), "--json"]

    contenders = {_OURS: _taken_up(lab, folder, our_run), _SPECIFY: _taken_up(lab, folder, their_run)}
    costs = take_turns(contenders, rounds=5)
    return [costs.row(f"resume at step {STEPS} of {STEPS}", *contenders, target=0.5, kind="wall")]


def _command(number: int) -> str:
    return f"cat < t{number} > t{number + 1}"


def _workspace(lab: Lab, name: str, commands: list[str]) -> Path:
    """The same commands for everybody: an `onbook.toml`, and YAML files for the others."""
    tables = [
        f'[[pipelines]]\nname = "{size}"\nallow_empty = true\n{_toml(commands[-n:])}' for size, n in _SIZES.items()
    ]
    folder = lab.workspace(name, "\n".join(tables))
    for size, count in _SIZES.items():
        (folder / f"{size}.yml").write_text(_speckit_yaml(size, commands[-count:]))
        (folder / f"{size}.conductor.yml").write_text(_conductor_yaml(size, commands[-count:]))
    (folder / "t0").write_text("hello\n")
    (folder / f"t{STEPS - 1}").write_text("hello\n")
    return folder


def _toml(commands: list[str]) -> str:
    step = '[[pipelines.steps]]\nname = "s{}"\ncommand = "{}"\nshell = true\n'
    return "".join(step.format(number, command) for number, command in enumerate(commands))


def _speckit_yaml(name: str, commands: list[str]) -> str:
    head = f'schema_version: "1.0"\nworkflow:\n  id: {name}\n  name: {name}\n  version: 1.0.0\nsteps:\n'
    step = "  - id: s{}\n    type: shell\n    run: {}\n"
    return head + "".join(step.format(number, command) for number, command in enumerate(commands))


def _conductor_yaml(name: str, commands: list[str]) -> str:
    limits = f"  limits:\n    max_iterations: {len(commands) + 1}\n"
    head = f"workflow:\n  name: {name}\n  entry_point: s0\n{limits}agents:\n"
    step = "  - name: s{}\n    type: script\n    command: sh\n    args: ['-c', '{}']\n    routes:\n      - to: {}\n"
    following = [*(f"s{number}" for number in range(1, len(commands))), "$end"]
    return head + "".join(
        step.format(number, command, then)
        for number, (command, then) in enumerate(zip(commands, following, strict=True))
    )


def _specify(lab: Lab) -> list[str]:
    return [str(lab.programs(SPECIFY) / "specify"), "workflow"]


def _conductor(lab: Lab, size: str) -> list[str]:
    return [str(lab.programs(CONDUCTOR) / "conductor"), "--silent", "run", f"{size}.conductor.yml"]


def _conducts(lab: Lab, folder: Path) -> bool:
    """Whether it runs shell steps here: it may want an account before it does anything."""
    try:
        _timed_run(lab, folder, _conductor(lab, "one"))
    except RuntimeError as error:
        lab.leave_out(f"conductor's steps: {error}")
        return False
    return True


def _whole(run: Callable[[str], float]) -> Contender:
    return lambda: run("many")


def _timed_run(lab: Lab, folder: Path, command: list[str]) -> float:
    """Seconds of the run; what it was to write is there afterwards, and gone before the next."""
    last = folder / f"t{STEPS}"
    last.unlink(missing_ok=True)
    seconds = timed(command, _environ(lab), folder)()
    if last.read_text() != "hello\n":
        raise RuntimeError(f"{command} wrote {last.read_text()!r}")
    return seconds


def _taken_up(lab: Lab, folder: Path, fail: Callable[[], list[str]]) -> Contender:
    def cost() -> float:
        (folder / GO).unlink(missing_ok=True)
        command = fail()
        (folder / GO).touch()
        return _timed_run(lab, folder, command)

    return cost


def _fails(lab: Lab, folder: Path, command: list[str]) -> bytes:
    done = subprocess.run(
        command, env=_environ(lab), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if not done.returncode:
        raise RuntimeError(f"{command} was to fail")
    return done.stdout


def _environ(lab: Lab) -> dict[str, str]:
    return lab.environ | {"CONDUCTOR_NO_UPDATE_CHECK": "1"}
