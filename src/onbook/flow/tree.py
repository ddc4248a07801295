"""A flow as a tree that people can read: every step at its depth, with what it would run."""

import shlex
from collections.abc import Callable, Iterator, Sequence

from onbook.flow.steps import SECONDS, ActorDefinition, Conditional, Flow, Foreach, Loop, Once, Parallel, Script, Step

Judge = Callable[[ActorDefinition], str]
"""What stands in the way of an actor, in a few words; nothing where nothing does."""


def tree_of(flow: Flow, judge: Judge = lambda _: "") -> Iterator[str]:
    """The lines of the tree, with what `judge` has to say about a step behind it."""
    yield from _steps(flow.steps, judge, "", numbered=True)


def _steps(steps: Sequence[Step], judge: Judge, indent: str, *, numbered: bool = False) -> Iterator[str]:
    for number, step in enumerate(steps, 1):
        yield f"{indent}{f'{number}. ' if numbered else ''}{step.name}: {_what(step, judge)}"
        yield from _inside(step, judge, f"{indent}{'   ' if numbered else '  '}")


def _inside(step: Step, judge: Judge, indent: str) -> Iterator[str]:
    if isinstance(step, Conditional):
        for name, branch in (("on_match", step.on_match), ("on_no_match", step.on_no_match)):
            yield f"{indent}{name}:{'' if branch else ' passes it on'}"
            yield from _steps(branch, judge, f"{indent}  ")
    elif not isinstance(step, Once):
        yield from _steps(step.substeps, judge, indent)
        if isinstance(step, Parallel) and step.aggregator is not None:
            yield f"{indent}then:"
            yield from _steps((step.aggregator,), judge, f"{indent}  ")


def _what(step: Step, judge: Judge) -> str:
    if isinstance(step, Loop):
        exhausted = "" if step.on_exhausted == "pass" else ", else an error"
        return f"loop until {_quoted(step.until)}, at most {step.most} rounds{exhausted}"
    if isinstance(step, Foreach):
        at_once = f", {step.parallel} at once" if step.parallel > 1 else ""
        return f"for each {_quoted(step.items)}{at_once}"
    if isinstance(step, Parallel):
        return "all at once"
    found = f"; does its output have {_quoted(step.pattern)}?" if isinstance(step, Conditional) else ""
    problem = judge(step.actor)
    return f"{described(step.actor)}{found}{f'  ✗ {problem}' if problem else ''}"


def described(actor: ActorDefinition) -> str:
    """What an actor would do: the command as a shell would take it, or the prompt and who answers it."""
    if isinstance(actor, Script):
        line = f"sh: {actor.argv[0]}" if actor.shell else shlex.join(actor.argv)
        limit = f"{actor.timeout:g} s" if actor.timeout != SECONDS else ""
        keys = f"with {', '.join(actor.env)}" if actor.env else ""
    else:
        line = f"prompt {actor.file}"
        limit = f"at {actor.confidence}" if actor.confidence else ""
        keys = f"by {actor.model}" if actor.model else ""
    details = ", ".join(filter(None, (limit, keys)))
    return f"{line} ({details})" if details else line


def _quoted(pattern: str) -> str:
    return f'"{pattern}"'
