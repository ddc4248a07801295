"""Models that cannot call tools take part too: what they say is written for them, through the same narrow door."""

import pytest

from onbook.workflow.agents.hand_in import hand_in
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.gates import Stopped
from onbook.workflow.work import Errand
from tests.scripted import Reply, Request, ScriptedServer, Status
from tests.scripted.known_errors import ollama_no_tools
from tests.workflow.agents.test_sending import proposal
from tests.workflow.staging import DOCS, SPEC, Staged

MADE = """\
2 files changed — the sum

I made these:

```python src/sum.py
def add(a, b):
    return a + b
```

````markdown docs/sum.md
# Sum

```python
add(1, 2)
```
````

Nothing is left.
"""


def toolless(server: ScriptedServer, *replies: Reply) -> list[Request]:
    """The server turns tools down; what else it was asked is in the list that is returned."""
    asked: list[Request] = []
    said = list(replies)

    def answer(request: Request) -> Reply | Status:
        if request.body.get("tools"):
            return ollama_no_tools()
        asked.append(request)
        return said.pop(0) if len(said) > 1 else said[0]

    server.rule(lambda _: True, answer)
    return asked


def making(**variables: str) -> Errand:
    given = {
        "spec_content": SPEC,
        "qa_feedback": "(First round)",
        "round_num": "1",
        "scope": "(no limit)",
        "max_files": "20",
        "user_lang": "en",
        "changes_path": f"{DOCS}changes.md",
    }
    return Errand("generator", f"{DOCS}changes.md", given | variables)


async def test_the_reply_of_a_writing_persona_becomes_its_artefact(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun()
    asked = toolless(
        scripted_model, Reply("proposal written — a class\n\n```markdown\n# A class\n\nOf its own.\n```\n")
    )
    (sent,) = await work.agents.send(work, proposal())
    assert sent.said == "proposal written — a class"
    assert (work.root / sent.artefact).read_text() == "# A class\n\nOf its own.\n"
    assert "You have no tools" in asked[-1].conversation


async def test_a_reply_without_its_line_is_the_artefact_as_a_whole(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun()
    toolless(scripted_model, Reply("# A class\n\nOf its own."))
    (sent,) = await work.agents.send(work, proposal())
    assert sent.said.startswith("proposal written — confidence: Unknown")
    assert (work.root / sent.artefact).read_text() == "# A class\n\nOf its own.\n"


async def test_a_line_with_nothing_after_it_is_no_artefact(staged: Staged, scripted_model: ScriptedServer) -> None:
    work = await staged.begun("plan_ready", "artefact=stop")
    asked = toolless(scripted_model, Reply("proposal written — a lie"))
    with pytest.raises(Stopped):
        await work.agents.send(work, proposal())
    assert sum("You have no tools" in request.conversation for request in asked) == 3


async def test_a_judges_verdict_and_report_come_in_one_reply(staged: Staged, scripted_model: ScriptedServer) -> None:
    work = await staged.begun()
    report = f"{DOCS}qa_report.md"
    toolless(scripted_model, Reply("FAIL L3 — no sum\n\n## QA Report\n\n### Verdict: FAIL\n"))
    given = dict.fromkeys(PERSONAS["evaluator"].given, "-") | {"qa_report_path": report}
    (sent,) = await work.agents.send(work, Errand("evaluator", report, given))
    assert sent.said == "FAIL L3 — no sum"
    assert (work.root / report).read_text() == "## QA Report\n\n### Verdict: FAIL\n"


async def test_a_generator_answers_with_files_and_its_words_become_changes_md(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun("generating")
    toolless(scripted_model, Reply(MADE))
    (sent,) = await work.agents.send(work, making())
    assert sent.said == "2 files changed — the sum"
    assert (work.root / "src/sum.py").read_text() == "def add(a, b):\n    return a + b\n"
    assert (work.root / "docs/sum.md").read_text() == "# Sum\n\n```python\nadd(1, 2)\n```\n"
    changes = (work.root / sent.artefact).read_text()
    assert changes.startswith("## Changed Files\n\n- `src/sum.py`\n- `docs/sum.md`\n")
    assert changes.endswith("## Notes\n\nI made these:\n\nNothing is left.\n")


async def test_a_generator_that_names_no_file_is_told_how_it_is_done(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun("generating", "artefact=stop")
    asked = toolless(scripted_model, Reply("1 file changed — the sum\n\n```python\nadd = sum\n```\n"))
    with pytest.raises(Stopped):
        await work.agents.send(work, making())
    problem = f"{DOCS}changes.md was not written, and the reply has no fenced block that names a file"
    assert staged.said.count(f"[harness] ⚠ generator: {problem}") == 3
    assert f"The last one came to nothing: {problem}." in asked[-1].conversation


async def test_files_in_a_reply_go_through_the_same_door_and_what_is_refused_is_said(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun("generating", scopes=("src/",))
    toolless(scripted_model, Reply(MADE + "\n```json .harness/state.json\n{}\n```\n\n```python ../out.py\n1\n```\n"))
    before = (work.root / ".harness/state.json").read_bytes()
    await work.agents.send(work, making())
    assert (work.root / "src/sum.py").exists()
    assert not (work.root / "docs/sum.md").exists()
    assert not (work.root.parent / "out.py").exists()
    assert len((work.root / ".harness/state.json").read_bytes()) >= len(before)
    refused = [line for line in staged.said if "refused to write" in line]
    assert any("docs/sum.md: it lies outside the scope src/" in line for line in refused)
    assert len(refused) == 3


async def test_who_cannot_look_is_shown_the_files_that_the_prompt_speaks_of(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun("generating")
    (work.root / "sum.py").write_text("def add(a, b): ...\n")
    (work.root / "other.py").write_text("unmentioned = True\n")
    asked = toolless(scripted_model, Reply("1 file changed — x\n\n```python sum.py\nadd = sum\n```\n"))
    await work.agents.send(work, making(spec_content="Mend add in `sum.py`, which is broken."))
    assert "def add(a, b): ..." in asked[-1].conversation
    assert "other.py" in asked[-1].conversation
    assert "unmentioned" not in asked[-1].conversation


async def test_a_file_of_a_reply_that_names_changes_md_is_it(staged: Staged) -> None:
    work = await staged.begun("generating")
    written: dict[str, bytes] = {}

    class Door:
        async def write(self, path: str, data: bytes, *, by: str) -> None:
            written[path] = data

    blocks = "```python a.py\n1\n```\n\n```markdown changes.md\n## Changed Files\n\n- `a.py` — one\n```\n"
    reply = f"1 file changed — x\n\n{blocks}"
    await hand_in(reply, PERSONAS["generator"], "changes.md", Door())  # type: ignore[arg-type]
    assert list(written) == ["a.py", "changes.md"]
    assert written["changes.md"] == b"## Changed Files\n\n- `a.py` \xe2\x80\x94 one\n"
    assert work.state.phase == "generating"
