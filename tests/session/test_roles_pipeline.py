"""What a role does with a first message: its pipeline, then its workflow, then the model."""

import asyncio
from pathlib import Path

import pytest

from onbook.events import GateWaiting, Note, RunFinished, RunStarted
from onbook.outcome import Outcome
from onbook.policy.effects import Run
from tests.commands.conftest import Typed, typed  # noqa: F401 - a fixture
from tests.policy.conftest import Person
from tests.scripted import Reply, ScriptedServer, Status

SETTINGS = """
[[roles]]
name = "developer"
pipeline = "dev_pipeline"

[[roles]]
name = "quiet"
pipeline = "only_detect"

[[roles]]
name = "planner"
pipeline = "dev_pipeline"
workflow = "plan"

[[roles]]
name = "thinker"
workflow = "plan"

[[roles]]
name = "harnessed"
workflow = "all_of_it"

[[pipelines]]
name = "dev_pipeline"
[[pipelines.steps]]
name = "detect_files"
command = "./scripts/detect.sh"
[[pipelines.steps]]
name = "shout"
command = "tr a-z A-Z"

[[pipelines]]
name = "only_detect"
[[pipelines.steps]]
name = "detect_files"
command = "./scripts/detect.sh"

[[workflows]]
name = "plan"
[[workflows.steps]]
name = "two_views"
type = "parallel"
[[workflows.steps.substeps]]
name = "risks"
prompt = "risks.md"
[[workflows.steps.substeps]]
name = "steps"
prompt = "steps.md"
temperature = 0.1
[[workflows.steps]]
name = "sum_up"
prompt = "sum.md"

[[workflows]]
name = "all_of_it"
kind = "harness"
"""
DETECT = '#!/bin/sh\ncat\necho "relevant: login.rs, role $OCTOMIND_ROLE"\n'


@pytest.fixture(autouse=True)
def _workspace(workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(SETTINGS)
    (workspace / "scripts").mkdir()
    script(workspace, DETECT)
    for name in ("risks", "steps", "sum"):
        (workspace / f"{name}.md").write_text(f"Say {name}.\n")


@pytest.fixture
def session(typed: Typed) -> Typed:  # noqa: F811
    """A session whose user says yes to what a role starts."""
    typed.live.door.asker = Person("once")
    return typed


def script(workspace: Path, text: str) -> None:
    path = workspace / "scripts" / "detect.sh"
    path.write_text(text)
    path.chmod(0o755)


def sent(server: ScriptedServer) -> list[str]:
    """The last message of every request."""
    return [request.messages[-1]["content"] for request in server.chats]


async def test_a_first_message_goes_through_the_pipeline(session: Typed, scripted_model: ScriptedServer) -> None:
    await session("/role use developer")
    assert await session("fix the login bug") is Outcome.PASSED
    assert sent(scripted_model) == ["FIX THE LOGIN BUG\nRELEVANT: LOGIN.RS, ROLE DEVELOPER"]


async def test_the_audit_log_says_that_the_role_started_the_scripts(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    await session("/role use developer")
    await session("fix the login bug")
    await session("/script run only_detect x")
    lines = [line for line in session.live.door.audit.tail(10) if isinstance(line.effect, Run)]
    assert [line.reason for line in lines] == [
        "role developer started it",
        "role developer started it",
        "a person typed it",
    ]


async def test_later_messages_go_straight_to_the_model(session: Typed, scripted_model: ScriptedServer) -> None:
    await session("/role use developer")
    await session("fix the login bug")
    await session("thanks")
    assert sent(scripted_model)[-1] == "thanks"


async def test_taking_a_role_makes_the_next_message_a_first_one_again(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    await session("hello")
    await session("/role developer")
    await session("fix it")
    await session("thanks")
    assert [each.partition("\n")[0] for each in sent(scripted_model)] == ["hello", "FIX IT", "thanks"]


async def test_after_clear_the_next_message_is_a_first_one(session: Typed, scripted_model: ScriptedServer) -> None:
    await session("/role developer")
    await session("one")
    await session("/clear")
    await session("two")
    assert sent(scripted_model)[-1].startswith("TWO\n")


async def test_a_message_to_somebody_by_name_can_be_the_first_too(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    await session("/role developer")
    await session("@scripted fix it")
    assert sent(scripted_model)[-1].startswith("FIX IT\n")


async def test_the_pipeline_s_output_is_the_workflow_s_input_and_its_answer_the_message(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    scripted_model.rule("Say risks.", Reply("It may break."))
    scripted_model.rule("Say steps.", Reply("First look."))
    scripted_model.rule("Say sum.", Reply("Look, and do not break it."))
    await session("/role planner")
    assert await session("fix it") is Outcome.PASSED
    first, second, third, last = sent(scripted_model)
    given = "FIX IT\nRELEVANT: LOGIN.RS, ROLE PLANNER"
    assert {first, second} == {f"{given}\n\n---\n\nSay risks.\n", f"{given}\n\n---\n\nSay steps.\n"}
    assert third == "It may break.\n\nFirst look.\n\n---\n\nSay sum.\n"
    assert last == "Look, and do not break it."
    kinds = [each.kind for each in session.events.of(RunStarted)]
    assert [kind for kind in kinds if kind != "prompt"] == ["script", "workflow", "chat"]
    assert kinds.count("prompt") == 3


async def test_without_a_pipeline_the_workflow_is_given_the_message(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    await session("/role thinker")
    await session("fix it")
    assert sent(scripted_model)[0].startswith("fix it\n\n---\n\n")


async def test_a_failed_pipeline_leaves_the_message_unsent_and_the_session_alive(
    session: Typed, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, "#!/bin/sh\necho no luck >&2\nexit 3\n")
    await session("/role developer")
    assert await session("fix it") is Outcome.FAILED
    assert not scripted_model.chats
    assert not session.live.chat.conversation.history
    assert session.events.of(Note)[-1].text.startswith("the message was not sent; send it again")
    script(workspace, DETECT)
    assert await session("fix it") is Outcome.PASSED
    assert sent(scripted_model)[0].startswith("FIX IT\n")


async def test_a_model_that_fails_leaves_the_message_a_first_one(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    await session("hello")
    await session("/role developer")
    scripted_model.replies(Status(400, {"error": {"message": "no"}}))
    assert await session("fix it") is Outcome.MODEL_FAILED
    await session("fix it")
    assert sent(scripted_model)[-1].startswith("FIX IT\n")


async def test_a_workflow_whose_model_fails_ends_with_the_model_s_outcome(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    scripted_model.rule("Say sum.", Status(400, {"error": {"message": "no"}}))
    await session("/role thinker")
    assert await session("fix it") is Outcome.MODEL_FAILED
    assert len(scripted_model.chats) == 3
    assert not session.live.chat.conversation.history


async def test_a_missing_prompt_is_said_before_the_pipeline_runs(
    session: Typed, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, "#!/bin/sh\ntouch ran\ncat\n")
    (workspace / "sum.md").unlink()
    await session("/role planner")
    assert await session("fix it") is Outcome.USAGE
    assert session.error == 'workflow plan: cannot read "sum.md": it does not exist'
    assert not (workspace / "ran").exists()
    assert not scripted_model.chats


@pytest.mark.parametrize(
    ("output", "words"),
    [(r"printf '\377'", "is not UTF-8 text"), (r"printf 'a\000b'", "is binary")],
)
async def test_an_output_that_no_model_can_read_is_not_sent(
    session: Typed, scripted_model: ScriptedServer, workspace: Path, output: str, words: str
) -> None:
    script(workspace, f"#!/bin/sh\n{output}\n")
    await session("/role quiet")
    assert await session("fix it") is Outcome.FAILED
    assert session.error.startswith(f"the output of pipeline only_detect {words}")
    assert not scripted_model.chats


async def test_keys_that_a_script_prints_do_not_reach_the_model(
    session: Typed, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, f"#!/bin/sh\necho sk-ant-{'a1B2' * 12}\n")
    await session("/role quiet")
    await session("fix it")
    assert "a1B2a1B2" not in sent(scripted_model)[0]


async def test_a_first_message_is_the_task_of_a_harness_and_the_next_one_is_talk(
    session: Typed, scripted_model: ScriptedServer
) -> None:
    await session("/role harnessed")
    assert await session("fix it") is Outcome.WAITING
    assert session.events.of(GateWaiting)[0].gate == "mode"
    assert await session("hello") is Outcome.PASSED
    assert not session.events.of(GateWaiting)
    assert len(scripted_model.chats) == 1


async def test_a_no_leaves_the_message_unsent(session: Typed, scripted_model: ScriptedServer, workspace: Path) -> None:
    script(workspace, "#!/bin/sh\ntouch ran\ncat\n")
    session.live.door.asker = Person("no")
    await session("/role developer")
    assert await session("fix it") is Outcome.FAILED
    assert session.error.startswith("refused to start pipeline dev_pipeline by itself: on a first message it runs ")
    assert not scripted_model.chats
    assert not (workspace / "ran").exists()


async def test_cancelling_ends_the_script_and_leaves_the_message_unsent(
    session: Typed, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, "#!/bin/sh\ntouch began\nexec sleep 60\n")
    await session("/role developer")
    sending = asyncio.create_task(session("fix it"))
    while not (workspace / "began").exists():
        await asyncio.sleep(0.01)
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    assert not scripted_model.chats
    assert session.events.of(RunFinished)[-1].outcome == "cancelled"


async def test_what_waits_goes_along_with_the_message_and_not_through_the_pipeline(
    session: Typed, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "notes.txt").write_text("quiet\n")
    await session("/role developer")
    await session("/read notes.txt")
    await session("fix it")
    assert "quiet" in sent(scripted_model)[0]
    assert sent(scripted_model)[0].index("quiet") < sent(scripted_model)[0].index("FIX IT")


async def test_a_role_is_shown_with_all_it_brings(session: Typed) -> None:
    await session("/role show planner")
    assert session.text == "planner\n  pipeline: dev_pipeline\n  workflow: plan\n"
    await session("/role show")
    assert session.text == "no role\n"
    await session("/role list")
    assert session.text.splitlines()[0] == "  developer, pipeline dev_pipeline"


async def test_an_output_of_nothing_but_blanks_is_not_sent(
    session: Typed, scripted_model: ScriptedServer, workspace: Path
) -> None:
    script(workspace, "#!/bin/sh\necho\n")
    await session("/role quiet")
    assert await session("fix it") is Outcome.FAILED
    assert session.error == "the output of pipeline only_detect is empty: there is nothing to send"
    assert not scripted_model.chats
