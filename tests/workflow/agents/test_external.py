"""Personas that are programs: the prompt on standard input, the reply on standard output, nothing left behind."""

import asyncio
import os
from pathlib import Path

import pytest
import pytest_asyncio

from onbook.events import ProcessFinished, RunStarted
from onbook.policy.process import NotStarted
from onbook.workflow.gates import Stopped, Waiting
from tests.conftest import eventually, write_script
from tests.scripted import ScriptedServer
from tests.workflow.agents.test_sending import proposal
from tests.workflow.agents.test_without_tools import making
from tests.workflow.staging import DOCS, Staged


@pytest.fixture
def program(workspace: Path, environment: dict[str, str]) -> Path:
    """The program that the settings seat as architect and generator; a test writes it."""
    path = workspace.parent / "bin" / "mine"
    environment |= {"OPENAI_API_KEY": "swordfish-swordfish", "MY_TOKEN": "marlin-marlin-marlin"}
    (workspace / "onbook.toml").write_text(
        f'[workflow.agents]\narchitect = {{ command = ["{path}", "a b"], env = ["MY_TOKEN"] }}\n'
        f'generator = {{ command = "{path}" }}\nqa_specialist = {{ command = "{path}" }}\n'
        f'senior_developer = {{ command = "{path}", timeout = 1 }}\n'
    )
    return path


@pytest_asyncio.fixture
async def at_work(program: Path, staged: Staged) -> Staged:
    return staged


async def test_the_reply_of_a_program_becomes_the_artefact(
    program: Path, at_work: Staged, scripted_model: ScriptedServer
) -> None:
    work = await at_work.begun()
    write_script(
        program, 'cat >prompt.txt\npwd >where.txt\necho aside >&2\nprintf "proposal written — $1\\n\\n# Mine\\n"'
    )
    (sent,) = await work.agents.send(work, proposal())
    assert sent.said == "proposal written — a b"
    assert (work.root / sent.artefact).read_text() == "# Mine\n"
    assert "Add a sum" in (work.root / "prompt.txt").read_text()
    assert Path((work.root / "where.txt").read_text().strip()) == work.root
    assert scripted_model.chats == []
    (run,) = [event for event in at_work.typed.seen.of(RunStarted) if event.kind == "agent"]
    assert run.step is not None
    assert run.step.address == "plan/architect"
    assert at_work.typed.seen.one(ProcessFinished).exit_code == 0


async def test_a_program_may_write_its_artefact_itself(program: Path, at_work: Staged) -> None:
    work = await at_work.begun("generating")
    write_script(
        program,
        "cat >/dev/null; echo 'print(1)' >one.py\n"
        f"echo '- `one.py` — one' >{DOCS}changes.md\necho '1 file changed — by hand'\necho '```python two.py\n2\n```'",
    )
    (sent,) = await work.agents.send(work, making())
    assert sent.said == "1 file changed — by hand"
    assert (work.root / sent.artefact).read_text() == "- `one.py` — one\n"
    assert not (work.root / "two.py").exists()


async def test_a_program_may_answer_with_files(program: Path, at_work: Staged) -> None:
    work = await at_work.begun("generating")
    write_script(program, "cat >/dev/null\nprintf '1 file changed — two\\n\\n```python two.py\\n2\\n```\\n'")
    await work.agents.send(work, making())
    assert (work.root / "two.py").read_text() == "2\n"


async def test_what_a_program_changed_outside_the_scope_is_said(program: Path, at_work: Staged) -> None:
    work = await at_work.begun("generating", scopes=("src/",))
    write_script(program, f"cat >/dev/null; echo 1 >stray.py; echo x >{DOCS}changes.md; echo '1 file changed — x'")
    await work.agents.send(work, making())
    assert "[harness] ⚠ generator: changed stray.py, which lies outside the scope" in at_work.said


async def test_a_program_gets_no_keys_but_those_that_are_named(program: Path, at_work: Staged) -> None:
    work = await at_work.begun()
    write_script(program, "cat >/dev/null; env >env.txt; printf 'proposal written — x\\n\\ny\\n'")
    await work.agents.send(work, proposal())
    seen = (work.root / "env.txt").read_text()
    assert "swordfish" not in seen
    assert "MY_TOKEN=marlin" in seen


async def test_a_program_that_fails_is_tried_again_and_then_somebody_is_asked(program: Path, at_work: Staged) -> None:
    work = await at_work.begun()
    write_script(program, "cat >/dev/null; echo x >>tries.txt; echo no luck >&2; exit 3")
    with pytest.raises(Waiting):
        await work.agents.send(work, proposal())
    assert (work.root / "tries.txt").read_text() == "x\nx\nx\n"
    assert any("exit code 3: no luck" in line for line in at_work.said)


async def test_a_program_that_does_not_stop_talking_is_no_help(program: Path, at_work: Staged) -> None:
    work = await at_work.begun("plan_ready", "artefact=stop")
    write_script(program, "cat >/dev/null; head -c 3000000 /dev/zero | tr '\\0' x")
    with pytest.raises(Stopped):
        await work.agents.send(work, proposal())
    assert any("said more than 1,048,576 bytes" in line for line in at_work.said)


async def test_a_program_that_is_not_there_is_said(program: Path, at_work: Staged) -> None:
    work = await at_work.begun()
    with pytest.raises(NotStarted, match=f"there is no program {program}"):
        await work.agents.send(work, proposal())


async def test_a_program_that_takes_too_long_is_ended_with_all_it_started(program: Path, at_work: Staged) -> None:
    work = await at_work.begun("plan_ready", "artefact=stop")
    write_script(
        program,
        "cat >/dev/null\nif [ -e again ]; then exit 1; fi\ntouch again\nsleep 60 & echo $! >pid.txt\nwait",
    )
    with pytest.raises(Stopped):
        await work.agents.send(work, proposal("senior_developer"))
    assert any("1 s" in line for line in at_work.said)
    pid = int((work.root / "pid.txt").read_text())
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())


async def test_two_programs_run_side_by_side(program: Path, at_work: Staged) -> None:
    work = await at_work.begun()
    os.mkfifo(work.root / "meet")
    write_script(
        program,
        "cat >/dev/null\nif [ $# -gt 0 ]; then echo x >meet; else read line <meet; fi\n"
        "printf 'proposal written — x\\n\\ny\\n'",
    )
    async with asyncio.timeout(20):
        sent = await work.agents.send(work, proposal(), proposal("qa_specialist"))
    assert [each.said for each in sent] == ["proposal written — x"] * 2
