"""Plays of steps: prompts one after the other, and scripts of every kind. What had passed is not done again."""

from tests.conftest import write_script
from tests.faults.kills.model import PROMPTS
from tests.faults.kills.play import Play
from tests.faults.kills.theatre import Stage

FILES = ("a.md", "b.md", "c.md")
PIPELINE = """
[[pipelines]]
name = "all"

[[pipelines.steps]]
name = "once"
command = "./work.sh once"

[[pipelines.steps]]
name = "rounds"
type = "loop"
max_iterations = 5
exit_pattern = "xxxx"
substeps = [{ name = "round", command = "./round.sh" }]

[[pipelines.steps]]
name = "items"
command = "./items.sh"

[[pipelines.steps]]
name = "each"
type = "foreach"
parse_pattern = "ITEM: (.*)"
parallel = 3
substeps = [{ name = "item", command = "./item.sh" }]

[[pipelines.steps]]
name = "which"
type = "conditional"
command = "./work.sh which"
condition_pattern = "which"
on_match = ["./work.sh then"]
on_no_match = ["./work.sh else"]
"""


def _write_prompts(stage: Stage) -> None:
    for file, prompt in zip(FILES, PROMPTS, strict=True):
        (stage.root / file).write_text(prompt)


def _resume_pipeline(stage: Stage) -> object:
    passed, before = {each.address for each in stage.passed}, len(stage.server.chats)
    if stage.is_unfinished:
        done = stage.run("pipeline", "--resume")
    else:
        passed, done = set(), stage.run("pipeline", "90%", *FILES)
    asked = [request.last for request in stage.server.chats[before:]]
    for file, prompt in zip(FILES, PROMPTS, strict=True):
        assert file not in passed or not any(prompt in text for text in asked), f"{file} was asked again"
    return done.code, done.stdout, {each.address for each in stage.passed}


def _write_scripts(stage: Stage) -> None:
    (stage.root / "onbook.toml").write_text(PIPELINE)
    slowly = "sleep 0.02; echo {0} >> log; {1}"
    write_script(stage.root / "work.sh", slowly.format("$1", "cat > /dev/null; echo $1"))
    write_script(stage.root / "round.sh", "read x; " + slowly.format('"round-$x"', 'echo "x$x"'))
    write_script(stage.root / "items.sh", slowly.format("items", "cat > /dev/null; printf 'ITEM: %s\\n' 1 2 3 4 5 6"))
    write_script(stage.root / "item.sh", "read x; " + slowly.format('"item-$x"', 'echo "done $x"'))


def _resume_scripts(stage: Stage) -> object:
    passed, log = {each.address for each in stage.passed}, stage.root / "log"
    before = log.read_text().split() if log.exists() else []
    if stage.is_unfinished:
        done = stage.run("runs", "resume")
    else:
        passed, done = set(), stage.run("script", "run", "all")
    stage.check_nobody_is_left()
    again = log.read_text().split()[len(before) :]
    for address in passed:
        assert _logged(address) not in again, f"{address} ran again"
    return done.code, done.stdout, {each.address for each in stage.passed}


def _logged(address: str) -> str:
    """What a script writes into its log, by the address of its step."""
    number = address.partition("[")[2].partition("]")[0]
    if address.startswith("each/"):
        return f"item-{number}"
    if address.startswith("rounds/"):
        return f"round-{'x' * (int(number) - 1)}once"
    return {"which": "which", "once": "once", "items": "items"}.get(address, "then")


PLAYS = (
    Play("prompt pipeline", ("pipeline", "90%", *FILES), _resume_pipeline, set_stage=_write_prompts),
    Play("script pipeline", ("script", "run", "all"), _resume_scripts, set_stage=_write_scripts),
)
