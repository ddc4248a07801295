"""Keys in what a pipeline is given and in what it is told: the journal keeps none of them, and nobody is sent one."""

from pathlib import Path

from onbook.pipeline.call import PipelineCall
from onbook.pipeline.runner import run_pipeline
from tests.pipeline.conftest import Pipeline, sure
from tests.scripted import ScriptedServer

KEY = "sk-" + "ant-api03-" + "aB3dE6gH9jK2mN5pQ8sT" * 3


async def test_no_key_gets_into_the_journal_or_to_the_next_model(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    (prompts / "b.md").write_text("Look at {{it}}.")
    scripted_model.replies(sure(f"It is {KEY}, I think."), sure("Done."))
    call = PipelineCall.of(["90%", "a.md", "b.md"], variables=[f"it={KEY}"])
    await run_pipeline(piped.typed.live, call, f"the key {KEY}")
    assert all(KEY not in each["content"] for request in scripted_model.chats for each in request.messages)
    assert "It is [redacted], I think." in scripted_model.chats[1].messages[-1]["content"]
    kept = [path for path in (prompts / ".onbook").rglob("*") if path.is_file()]
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []
    assert any(path.name == "journal.sqlite" for path in kept)
