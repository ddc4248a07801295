"""What a persona may do: decided by its own door, whatever its prompt or its model says."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from onbook.policy.door import Answer, Denied, Door
from onbook.policy.effects import Effect, Run
from onbook.workflow.agents.bounds import Job, PersonaBounds
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.agents.tools import tools_of
from tests.session.conftest import MakeDoor
from tests.session.conftest import make_door as make_door

DOCS = "docs/harness/sum/"


class Somebody:
    """Says yes to everything, and remembers that it was asked."""

    def __init__(self) -> None:
        self.asked: list[Effect] = []

    async def ask(self, effect: Effect, reason: str, change: object = None) -> Answer:
        self.asked.append(effect)
        return "always"


@pytest.fixture
def files(workspace: Path) -> Path:
    for name in ("src/a.py", "src/b.py", "lib/c.py", ".harness/planner/proposal_architect.md", f"{DOCS}spec.md"):
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("needle\n" * 3)
    return workspace


def narrowed(door: Door, persona: str, output: str = ".harness/out.md", **job: Any) -> tuple[Door, PersonaBounds]:
    fields: dict[str, Any] = {"docs_path": DOCS, "max_files": 20} | job
    bounds = PersonaBounds(Job(persona=PERSONAS[persona], output=output, **fields))
    return door.narrowed(bounds), bounds


async def test_a_planner_reads_the_repository_but_nothing_of_the_workflow(files: Path, make_door: MakeDoor) -> None:
    door, _ = narrowed(make_door(), "senior_developer")
    assert await door.read("src/a.py", by="model")
    for path in (".harness/planner/proposal_architect.md", f"{DOCS}spec.md", "./docs/../docs/harness/sum/spec.md"):
        with pytest.raises(Denied, match="belongs to the workflow"):
            await door.read(path, by="model")


async def test_a_link_into_the_workflows_folder_leads_nowhere(files: Path, make_door: MakeDoor) -> None:
    (files / "src/way").symlink_to(files / ".harness")
    door, _ = narrowed(make_door(), "evaluator")
    with pytest.raises(Denied, match="belongs to the workflow"):
        await door.read("src/way/planner/proposal_architect.md", by="model")


async def test_the_record_of_the_session_is_closed_to_agents(files: Path, make_door: MakeDoor) -> None:
    (files / ".onbook/sessions").mkdir(parents=True)
    (files / ".onbook/sessions/a.fountain").write_text("what the others said")
    door, _ = narrowed(make_door(), "evaluator")
    with pytest.raises(Denied, match="belongs to the workflow"):
        await door.read(".onbook/sessions/a.fountain", by="model")


async def test_what_was_named_to_it_an_agent_reads(files: Path, make_door: MakeDoor) -> None:
    door, _ = narrowed(make_door(), "evaluator", inputs=frozenset({f"{DOCS}spec.md"}))
    assert await door.read(f"{DOCS}spec.md", by="model")


async def test_searching_and_listing_pass_over_what_is_closed(files: Path, make_door: MakeDoor) -> None:
    door, _ = narrowed(make_door(), "architect")
    tools = {tool.spec.name: tool for tool in tools_of(PERSONAS["architect"], door, frozenset(), {})}
    found = str(await tools["search_files"].run({"pattern": "needle"}))
    listed = str(await tools["list_files"].run({"glob": "*.md"}))
    assert "src/a.py" in found
    assert "spec.md" not in found + listed
    assert "proposal" not in found + listed


async def test_everyone_writes_their_one_output_even_below_harness(files: Path, make_door: MakeDoor) -> None:
    door, _ = narrowed(make_door(), "architect", ".harness/planner/mine.md")
    await door.write(".harness/planner/mine.md", b"mine", by="model")
    assert (files / ".harness/planner/mine.md").read_bytes() == b"mine"


@pytest.mark.parametrize("path", ["src/a.py", ".harness/state.json", "README.md", f"{DOCS}spec.md", "../x"])
async def test_a_planner_writes_no_other_file_and_that_is_said(files: Path, make_door: MakeDoor, path: str) -> None:
    door, bounds = narrowed(make_door(), "architect")
    with pytest.raises(Denied):
        await door.write(path, b"x", by="model")
    assert len(bounds.refusals) == 1


async def test_an_output_that_became_a_link_is_not_followed(files: Path, make_door: MakeDoor) -> None:
    (files / ".harness/out.md").symlink_to(files / "src/a.py")
    door, _ = narrowed(make_door(), "architect")
    with pytest.raises(Denied):
        await door.write(".harness/out.md", b"x", by="model")
    assert (files / "src/a.py").read_bytes().startswith(b"needle")


async def test_a_maker_writes_inside_scope_without_a_question_and_nowhere_else(
    files: Path, make_door: MakeDoor
) -> None:
    door, bounds = narrowed(make_door(), "generator", f"{DOCS}changes.md", scopes=("src/",))
    await door.write("src/new.py", b"x", by="model")
    with pytest.raises(Denied, match="outside the scope src/"):
        await door.write("lib/c.py", b"x", by="model")
    for path in (".git/hooks/pre-commit", ".harness/state.json", ".onbook/x", f"{DOCS}spec.md"):
        with pytest.raises(Denied):
            await door.write(path, b"x", by="model")
    assert len(bounds.refusals) == 5


@pytest.mark.parametrize("path", [".env", "deploy/id_ed25519", "onbook.toml", "Onbook.TOML"])
async def test_a_maker_leaves_keys_and_settings_alone(files: Path, make_door: MakeDoor, path: str) -> None:
    door, _ = narrowed(make_door(), "generator", f"{DOCS}changes.md")
    with pytest.raises(Denied, match=r"holds keys|onbook's own settings"):
        await door.write(path, b"x", by="model")


async def test_a_maker_changes_as_many_files_as_were_allowed(files: Path, make_door: MakeDoor) -> None:
    door, _ = narrowed(make_door(), "generator", f"{DOCS}changes.md", max_files=2, touched=frozenset({"src/a.py"}))
    await door.write("src/a.py", b"x", by="model")
    await door.write("src/b.py", b"x", by="model")
    await door.write("src/b.py", b"y", by="model")
    await door.write(f"{DOCS}changes.md", b"changes", by="model")
    with pytest.raises(Denied, match="2 files are the most"):
        await door.delete("lib/c.py", by="model")


async def test_what_the_settings_forbid_stays_forbidden_to_a_maker(files: Path, make_door: MakeDoor) -> None:
    from onbook.config.policy_settings import Permission

    rules = make_door(permissions=(Permission("src", write="deny"),))
    door, _ = narrowed(rules, "generator", f"{DOCS}changes.md")
    with pytest.raises(Denied, match="the settings forbid"):
        await door.write("src/a.py", b"x", by="model")


async def test_a_maker_runs_the_four_commands_even_in_safe_mode_and_no_other(files: Path, make_door: MakeDoor) -> None:
    check = Run(("echo tested && true",), shell=True)
    door, bounds = narrowed(make_door(safe_mode=True), "generator", f"{DOCS}changes.md", checks={"test": check})
    assert (await door.run(check, by="model")).output == b"tested\n"
    for effect in (Run(("echo", "hi")), Run(("echo tested && rm -rf .",), shell=True)):
        with pytest.raises(Denied, match="its job does not need that"):
            await door.run(effect, by="model")
    assert len(bounds.refusals) == 2


async def test_nobody_is_ever_asked_in_mid_run_and_no_earlier_yes_counts(files: Path, make_door: MakeDoor) -> None:
    somebody = Somebody()
    door, _ = narrowed(make_door("write", "run", "connect", asker=somebody), "architect")
    with pytest.raises(Denied):
        await door.write("src/a.py", b"x", by="model")
    with pytest.raises(Denied):
        await door.run(Run(("echo", "hi")), by="model")
    with pytest.raises(Denied):
        await door.connect("https://example.org", by="model")
    assert somebody.asked == []


async def test_reading_that_the_settings_want_a_question_for_is_refused(files: Path, make_door: MakeDoor) -> None:
    from onbook.config.policy_settings import Permission

    door, _ = narrowed(make_door(permissions=(Permission("lib", read="ask"),)), "architect")
    with pytest.raises(Denied, match="nobody is asked in the middle of a workflow"):
        await door.read("lib/c.py", by="model")


async def test_the_proposer_reads_five_files_of_a_hundred_lines(files: Path, make_door: MakeDoor) -> None:
    for number in range(6):
        (files / f"src/f{number}.py").write_text("".join(f"line {at}\n" for at in range(1, 301)))
    report = f"{DOCS}verify_report.md"
    (files / report).write_text("all of it\n")
    door, _ = narrowed(make_door(), "autofix_proposer", inputs=frozenset({report}))
    (read, *_) = tools_of(PERSONAS["autofix_proposer"], door, frozenset({report}), {})
    for number in range(5):
        said = str(await read.run({"path": f"src/f{number}.py", "start": 101}))
        assert said.splitlines()[0] == "line 101"
        assert "line 200" in said
        assert "line 201\n" not in said
    with pytest.raises(Denied, match="5 files are the most"):
        await read.run({"path": "src/f5.py"})
    with pytest.raises(Exception, match="was read already"):
        await read.run({"path": "./src/f0.py", "start": 1})
    assert "all of it" in str(await read.run({"path": report}))
    assert "all of it" in str(await read.run({"path": report}))


async def test_who_only_speaks_reads_what_was_named_and_nothing_else(files: Path, make_door: MakeDoor) -> None:
    door, _ = narrowed(make_door(), "verifier", "", inputs=frozenset({f"{DOCS}spec.md"}))
    assert await door.read(f"{DOCS}spec.md", by="model")
    with pytest.raises(Denied, match="only what was named"):
        await door.read("src/a.py", by="model")


async def test_a_flood_is_not_written(files: Path, make_door: MakeDoor) -> None:
    door, _ = narrowed(make_door(), "architect")
    with pytest.raises(Denied, match="too many"):
        await door.write(".harness/out.md", b"x" * (1 << 21), by="model")


async def test_the_door_of_the_session_stays_as_wide_as_it_was(files: Path, make_door: MakeDoor) -> None:
    somebody = Somebody()
    door = make_door(asker=somebody)
    narrowed(door, "architect")
    await door.write("src/a.py", b"x", by="model")
    assert len(somebody.asked) == 1


async def test_two_agents_at_once_write_both(files: Path, make_door: MakeDoor) -> None:
    door = make_door()
    one, _ = narrowed(door, "architect", ".harness/one.md")
    two, _ = narrowed(door, "qa_specialist", ".harness/two.md")
    await asyncio.gather(one.write(".harness/one.md", b"1", by="model"), two.write(".harness/two.md", b"2", by="model"))
    assert ((files / ".harness/one.md").read_bytes(), (files / ".harness/two.md").read_bytes()) == (b"1", b"2")
