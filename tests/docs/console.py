"""A page that is carried out: its commands run in one shell, and what they say is compared with what the page shows.

    ```markdown outline.md        a block that names a file: it is written
    ```console                    `$ ` begins a command, what follows is what it says
    $ onbook ask "Hello"
    …                             any lines
    smollm2 · … · context 1%      any words
    ```

Standard output and error come together, as on a terminal. Numbers, ids, the spaces of columns and the name of the model
that answers may differ from one day to the next, and are not compared.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ANYTHING = "…"
_FENCE = re.compile(r"^(?P<fence>```+)(?P<info>.*)\n(?P<body>(?:.*\n)*?)^(?P=fence)$", re.MULTILINE)
_COMMAND = re.compile(
    r"^\$ (?P<line>.*<<'EOF'\n(?:.*\n)*?EOF$|(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE
)
_END = "-- end of a command --"


@dataclass(frozen=True)
class File:
    """A file that the reader saves."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command that the reader types, and what the page says that it says."""

    line: str
    shown: tuple[str, ...]


Step = File | Command


def steps(page: str) -> list[Step]:
    """Everything the reader is told to do, in order."""
    return [step for fence in _FENCE.finditer(page) for step in _steps(fence["info"].split(), fence["body"])]


def carry_out(todo: list[Step], folder: Path, env: dict[str, str]) -> list[tuple[str, ...]]:
    """Do all of it in one shell; the lines that each command has written."""
    script = "\n".join(_shell_words(step) for step in todo)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=110,
    )
    written = done.stdout.decode().split(f"{_END}\n")[:-1]
    return [_lines(each) for each in written]


def difference(command: Command, written: tuple[str, ...]) -> str | None:
    """What is not as the page has it; None when everything is."""
    pattern = "".join(_pattern(line) for line in command.shown)
    if re.fullmatch(pattern, "".join(f"{plain(line)}\n" for line in written)):
        return None
    return "\n".join([f"$ {command.line}", "-- the page:", *command.shown, "-- today:", *written])


def plain(line: str) -> str:
    """A line without what differs from run to run."""
    line = re.sub(r"\((embedded; no other model is set up|route \w+, onbook\.toml|--model)\)", "", line)
    line = re.sub(r"smollm2|llama3:latest", "MODEL", line)
    line = re.sub(r"\b\d{8}T\d{6}Z-[0-9a-f]{6}\b|\b(?=[a-f]*\d)[0-9a-f]{7,8}\b", "ID", line)
    line = re.sub(r"\d[\d,.]*(?<!\.)", "0", line)
    return re.sub(r"\.{3,}|-{3,}|\s+", " ", line).strip()


def _steps(info: list[str], body: str) -> Iterator[Step]:
    if info == ["console"]:
        for typed in _COMMAND.finditer(body):
            yield Command(typed["line"], _lines(typed["shown"]))
    elif len(info) > 1:
        yield File(info[1], body)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.rstrip("\n").splitlines())


def _shell_words(step: Step) -> str:
    if isinstance(step, Command):
        return f"{step.line}\nended=$?; echo; echo '{_END}'; (exit $ended)"
    return f"mkdir -p \"$(dirname '{step.name}')\"\ncat > '{step.name}' <<'{_END}'\n{step.text}{_END}"


def _pattern(line: str) -> str:
    if line == ANYTHING:
        return r"(?:.*\n)*?"
    words = (re.escape(plain(part)) for part in line.split(ANYTHING))
    return r"\s*.*?\s*".join(words) + r"\n"
