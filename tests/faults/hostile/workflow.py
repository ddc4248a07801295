"""What a workflow reads: its state, patches, paths, scopes, reports, templates and the lines of its agents."""

import json
from pathlib import Path

import msgspec

from onbook.outcome import UsageError
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.agents.rendering import Template
from onbook.workflow.agents.returns import confidence_in, first_line, judged, read_return, without_first_line
from onbook.workflow.checks.counts import counts_in
from onbook.workflow.checks.report import failing_in, has_run, summary_in
from onbook.workflow.files.paths import validate_path
from onbook.workflow.files.scope import folders_of, in_scope
from onbook.workflow.gates import CHOICES
from onbook.workflow.options import OPTIONS, options_of
from onbook.workflow.patches.diff_blocks import diff_in, has_hunk
from onbook.workflow.patches.diffs import for_git, read_diff
from onbook.workflow.patches.hunks import fitted, patched
from onbook.workflow.setup.models import models_of
from onbook.workflow.setup.slug import slug_of
from onbook.workflow.state.loading import Kept, look
from tests.faults.hostile.mutations import as_bytes
from tests.faults.hostile.table import check_words, parser
from tests.faults.ledger import kept
from tests.workflow.states import fix, state_at

STATES = tuple(
    msgspec.json.encode(state).decode()
    for state in (state_at("plan_done"), state_at("evaluate_done"), state_at("verify_done", autofix=fix("applied")))
)
OLD = (
    '{"version": "2.0", "task": "Add a login", "mode": "single", "phase": "plan_done", "verify": {"layer1_retries": 0}}'
)
V1 = '{"task": "Add a login", "phase": "generate", "round": 2}'
DIFF = """\
diff --git a/play.py b/play.py
index 83db48f..bf2a1c4 100644
--- a/play.py
+++ b/play.py
@@ -1,3 +1,3 @@
 one
-two
+deux
 three
--- /dev/null
+++ "b/new\\303\\251.txt"
@@ -0,0 +1 @@
+x
\\ No newline at end of file
"""
FILE = b"one\ntwo\nthree\n"
REPORT = """\
# Verify report: Layer 1

Result: FAIL
Summary: FAIL — 1 failed

| Check | Result | Exit code | Time | Command |
| --- | --- | --- | --- | --- |
| Test | FAIL (1 failed) | 1 | 0.10 s | pytest |

## Failing files

- play.py

## Test

=== 1 failed, 2 passed in 0.03s ===
"""


@parser("state.json", *STATES, OLD, V1, '{"skill": "other"}')
def state(text: str, folder: Path) -> None:
    path = folder / ".harness" / "state.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(as_bytes(text))
    found = look(folder)
    if isinstance(found, Kept):
        path.write_bytes(msgspec.json.encode(found.state))
        again = look(folder)
        kept(isinstance(again, Kept) and again.state == found.state, "the state")


@parser("patch", DIFF, f"The fix:\n\n```diff\n{DIFF}```\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
def patch(text: str, folder: Path) -> None:
    data = as_bytes(text)
    diff = diff_in(data) if b"```" in data else data
    has_hunk(diff)
    for file in read_diff(diff):
        hunks = fitted(file.hunks, FILE)
        if file.target is not None and file.target.isprintable():
            for_git(file.target, hunks, is_new=file.source is None)
        patched(FILE, hunks)


@parser("path", "src/play.py", "docs/harness/x/", "./a/../b", "C:\\x", "a/.git/config", "con.txt", "mémoire/memory")
def path(text: str, folder: Path) -> None:
    for kind in ("output_dir", "file_reference", "diff_target"):
        try:
            found = validate_path(text, kind, root=folder, docs_path="docs/harness/x/", scopes=["src/**", "*.md"])
        except UsageError as error:
            check_words(error)
            continue
        kept((folder / found).resolve().is_relative_to(folder.resolve()), "the workspace")


@parser("--scope", "src/**/*.py", "!src/vendored/", "[a-z]*.md", "a\\ b/", "**/x", "[[:alpha:]_]?", "/top")
def scope(text: str, folder: Path) -> None:
    (wanted,) = options_of(["task"], {"scopes": [text]}).scopes
    for file in ("src/a/b.py", "x", "a b/c.md", "ä/x"):
        in_scope(file, [wanted, "!x"])
    folders_of([wanted])


@parser("--answer", "spec=proceed", "model=executor:opus,advisor:haiku", "commit = code", "mode=multi")
def answer(text: str, folder: Path) -> None:
    ((gate, _),) = options_of(["resume"], {"answers": [text]}).answers
    assert gate in CHOICES


@parser("options of a workflow", "multi", "de", "3", "docs/harness/x", "pytest -q", "executor:opus,evaluator:x")
def options(text: str, folder: Path) -> None:
    for row in OPTIONS:
        if row.kind in ("text", "number") and (not row.only or "start" in row.only):
            try:
                options_of([text or "x"], {row.field: text})
            except UsageError as error:
                check_words(error)
    models_of(text)


@parser(
    "task", "Count the lines of each character", "로그인 추가", "Ajouter une page d’accueil", "../../etc/passwd", ".."
)
def task(text: str, folder: Path) -> None:
    slug = slug_of(text)
    assert slug
    kept((folder / slug).resolve().parent == folder.resolve(), "the folder of the results")


@parser(
    "line of an agent",
    "PASS — all good",
    "FAIL L2 - two findings\n\nmore",
    "**Spec written** — docs/x (confidence: high)",
)
def agents_line(text: str, folder: Path) -> None:
    for persona in PERSONAS.values():
        assert len(read_return(text, persona).line) < 400
    line = first_line(text)
    assert "\x1b" not in line
    judged(line)
    confidence_in(line)
    without_first_line(text)


@parser("report of the checks", REPORT)
def report(text: str, folder: Path) -> None:
    summary_in(text)
    has_run(text)
    failing_in(text)


@parser(
    "output of tests",
    REPORT,
    "test result: ok. 3 passed; 0 failed\n",
    "ok  \texample.org/x\t0.1s\n",
    "Tests: 2 total\n",
)
def tests_output(text: str, folder: Path) -> None:
    counts_in(text)


@parser("template", "Plan the task for `{repo_path}`.\n{task_description}\nWrite {output_path}. {other} {{x}}")
def template(text: str, folder: Path) -> None:
    made = Template("templates/x.md", text)
    names = ("repo_path", "task_description", "output_path", "other")
    filled = made.render(dict.fromkeys(names, json.dumps(text[:200]) + "{task_description}"))
    assert filled or not text
    made.check(names, ("output_path",))
