"""Step 1, setup: from what was typed to a state in which planning can begin.

`first_state` is everything that can be known before anything is written; the machine makes it the early checkpoint.
`setup` does the rest, and does it again from there after a kill at any point.
"""

import asyncio
from typing import Any

import msgspec

from onbook.outcome import UsageError
from onbook.session.live import Live
from onbook.workflow.calling import to_begin
from onbook.workflow.files.artefacts import SPEC, sha256_of
from onbook.workflow.files.repository import Repository
from onbook.workflow.files.snapshot import candidates, take_snapshot
from onbook.workflow.gates import Stopped, gate_question
from onbook.workflow.options import COMMANDS, WorkflowOptions
from onbook.workflow.setup.detect import Commands, detect
from onbook.workflow.setup.language import language_named, language_of
from onbook.workflow.setup.model_gate import check_given_models, chosen_models
from onbook.workflow.setup.models import costly_verifier, models_of
from onbook.workflow.setup.output_folder import BASE, checked, folder_for, folder_of_spec, is_result, make_folder
from onbook.workflow.setup.slug import slug_of
from onbook.workflow.state.state import NO_LIMIT, Dispatch, Flags, Mode, State, Verify, timestamp
from onbook.workflow.status import columns, scope_label
from onbook.workflow.work import Work

GIVEN = "spec"
"""Stands in place of a persona for a spec that was there from the beginning: nobody is sent out to write it."""
_MOST_SHOWN = 5


async def first_state(live: Live, options: WorkflowOptions) -> State:
    """What the early checkpoint keeps: the task, its place, and whatever else was said. UsageError where it cannot be;
    nothing is written yet."""
    given = folder_of_spec(live.root, options.from_spec) if options.from_spec is not None else None
    task = options.task or (given[1] if given else "")
    if not task:
        raise UsageError(f"workflow needs a task, as in {to_begin('add a --version flag')}")
    await check_given_models(live, options)
    base = checked(live.root, options.output_dir).rstrip("/") if options.output_dir is not None else None
    if given:
        folder, slug = given[0], slug_of(given[0].rstrip("/").rpartition("/")[2])
    else:
        slug, folder = folder_for(live.root, base or BASE, slug_of(task), task)
    state = State(
        task=task,
        slug=slug,
        docs_path=folder,
        cli_flags=Flags(options.verifier_model, base),
        user_lang=await _language(task, options),
        lang_stays=options.user_lang is not None,
        has_git=await Repository(live.door).is_here(),
        repo_name=live.root.name,
        repo_path=str(live.root),
        dispatches=_given_spec(live, folder) if given else (),
        created_at=timestamp(),
    )
    return msgspec.structs.replace(state, **_said(state, options))


async def setup(work: Work, options: WorkflowOptions) -> None:
    """From the early checkpoint to `plan_ready`, with the gates `dirty`, `mode` and `model` on the way."""
    _take_place(work, options)
    await _take_repository(work)
    mode = await _mode(work, options)
    models = await chosen_models(work, options)
    found = await asyncio.to_thread(detect, work.root, work.state.scopes)
    work.advance(phase="plan_ready", mode=mode, model_config=models, lang=found.lang, **_commands(work.state, found))
    _summarise(work)


def is_spec_given(state: State) -> bool:
    """Whether a finished spec was given, so that planning is skipped."""
    return any(each.persona == GIVEN for each in state.dispatches)


async def _language(task: str, options: WorkflowOptions) -> str:
    if options.user_lang is not None:
        return language_named(options.user_lang)
    return await asyncio.to_thread(language_of, task)


def _given_spec(live: Live, folder: str) -> tuple[Dispatch, ...]:
    """The same before and after: it is nobody's artefact, so nothing takes it for one."""
    found = sha256_of(live.root / folder / SPEC)
    return (Dispatch(GIVEN, folder + SPEC, found, found),)


def _said(state: State, options: WorkflowOptions) -> dict[str, Any]:
    """What was said counts; what was not stays as it is."""
    plain = ("mode", "max_files", "max_rounds", *COMMANDS)
    scopes = options.scopes or state.scopes
    return {name: getattr(options, name) or getattr(state, name) for name in plain} | {
        "run_style": options.run_style,
        "model_config": models_of(options.models) if options.models is not None else state.model_config,
        "scopes": scopes,
        "scope": ", ".join(scopes) or NO_LIMIT,
        "verify": Verify(todo_blocking=options.todo_blocking or state.verify.todo_blocking),
    }


def _take_place(work: Work, options: WorkflowOptions) -> None:
    """The folder for the results, looked at again: after a kill it may be another's by now."""
    state = work.state
    slug, folder = state.slug, checked(work.root, state.docs_path)
    if not is_spec_given(state):
        base, _, name = folder.rstrip("/").rpartition("/")
        slug, folder = folder_for(work.root, base, name, state.task)
    marker = make_folder(work.root, folder, state.task)
    work.advance(slug=slug, docs_path=folder, manifest=(marker,), **_said(state, options))


async def _take_repository(work: Work) -> None:
    """A snapshot of what git cannot tell; with git, the branch too, after somebody has seen what is not committed."""
    if not work.state.has_git:
        await take_snapshot(work, await candidates(work))
        return
    repository = Repository(work.live.door)
    work.advance(base_commit=await repository.head())
    edits = await candidates(work)
    if own := [path for path in edits if not is_result(work.root, path)]:
        shown = ", ".join(own[:_MOST_SHOWN]) + (", …" if len(own) > _MOST_SHOWN else "")
        question = gate_question(work.words, "dirty", count=len(own), paths=shown)
        if (await work.gates.ask(question)).choice != "continue":
            raise Stopped(question)
    await take_snapshot(work, edits)
    branch = await repository.take_branch(work.state.slug, work.state.branch)
    work.advance(branch=branch, edits_before=edits)


async def _mode(work: Work, options: WorkflowOptions) -> Mode:
    known = work.state.mode or (None if options.answers_gate("mode") else work.live.settings.workflow.mode)
    if known is not None:
        return known
    answer = await work.gates.ask(gate_question(work.words, "mode"))
    chosen: Mode = msgspec.convert(answer.choice, Mode)
    return chosen


def _commands(state: State, found: Commands) -> dict[str, str | None]:
    return {
        "build_cmd": state.build_cmd or found.build,
        "test_cmd": state.test_cmd or found.test,
        "lint_cmd": state.lint_cmd or found.lint,
        "type_check_cmd": state.type_check_cmd or found.type_check,
    }


def _summarise(work: Work) -> None:
    """The seed's summary, and its warning."""
    state, models = work.state, work.state.model_config
    none = work.words("summary.none")
    rows = (
        ("directory", str(work.root)),
        ("branch", state.branch if state.has_git else None),
        ("mode", str(state.mode)),
        ("model", models.preset if models else none),
        ("verifier", models.verifier if models else none),
        ("style", state.run_style),
        ("language", state.lang),
        ("test", state.test_cmd or none),
        ("build", state.build_cmd or none),
        ("lint", state.lint_cmd or none),
        ("type_check", state.type_check_cmd or none),
        ("scope", scope_label(state, work.words)),
        ("output", state.docs_path),
    )
    shown = [(work.words(f"summary.{name}"), value) for name, value in rows if value is not None]
    work.say("\n".join([work.words("summary.started"), *columns(shown)]))
    if models is not None and costly_verifier(models):
        work.say(work.words("summary.verifier_cost", model=models.verifier), "warning")
