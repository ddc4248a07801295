"""A prompt pipeline in a loop: its final reply is what the iteration says."""

from pathlib import Path

from onbook.outcome import Outcome
from tests.loop.conftest import Looped
from tests.scripted import Reply, ScriptedServer


async def test_until_looks_at_the_final_reply_of_a_pipeline(
    looped: Looped, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "check.md").write_text("Is it done?")
    block = '\n\n---\n{"confidence": 0.9}'
    scripted_model.replies(Reply(f"not yet{block}"), Reply(f"DONE{block}"))
    assert await looped("5m --until ^DONE$ /pipeline 80% check.md") is Outcome.PASSED
    assert looped.said == ['Loop finished after 2 iteration(s) — "^DONE$" matched']
