"""Every persona that can be sent out, in one table: what it is told, what it may do, what it brings back.

Code elsewhere names a persona and gives it variables; nothing else about it is decided anywhere but here.
"""

from typing import Literal

import msgspec

from onbook.workflow.state.state import Mode

Role = Literal["executor", "advisor", "evaluator", "verifier", "scanner", "proposer"]
"""Whose model it is sent with. `scanner` and `proposer` are advisors with an exception of the seed's."""
Trade = Literal["reader", "maker", "proposer", "speaker"]
"""What it may do: read and write its one file; write inside scope and run the checks; read five files; only speak."""

COMMON = (
    *("task_description", "repo_path", "lang", "scope", "user_lang"),
    *("qa_discovery_notes", "critic_findings", "conventions"),
)
"""What every planner is given (seed 4, M10)."""
RETRY = ("verify_failure", "verify_report_path")
_PLAN = ("spec_content", "qa_feedback", "repo_path", "lang", "scope", "max_files", "user_lang")
_REVIEW = ("spec_content", "plan_content", "repo_path", "lang", "test_cmd", "user_lang", "output_path")
_MAKE = (*_PLAN, "plan_content", "round_num", "changes_path")


class Persona(msgspec.Struct, frozen=True, kw_only=True):
    """One persona."""

    name: str
    role: Role
    template: str
    """Its place below `templates/`, without the ending."""
    in_standard: str = ""
    """The template in standard mode, where that is another one."""
    trade: Trade = "reader"
    given: tuple[str, ...]
    """The names that its template may use."""
    may_lack: tuple[str, ...] = ()
    """Those of them that are not given every time; `(none)` stands in their place."""
    output: str = ""
    """The variable that names the file it must write; empty for one that only speaks."""
    inputs: tuple[str, ...] = ()
    """The variables that name files it may read although they belong to the workflow."""
    inputs_of_docs: tuple[str, ...] = ()
    """Files of the workflow's docs folder that it may read."""
    keyword: str = ""
    """What its first line begins with, before the dash: `proposal written — …`. Empty for a judge."""
    skills: tuple[str, ...] = ()
    """Words of which one must stand in the name of a skill that goes along with its prompt."""

    @property
    def is_judge(self) -> bool:
        """Whether its first line is PASS or FAIL."""
        return not self.keyword

    @property
    def fallback(self) -> str:
        """What counts as its first line when it gave none that can be read."""
        unread = "its first line could not be read"
        return f"FAIL — {unread}" if self.is_judge else f"{self.keyword} — confidence: Unknown — {unread}"

    def template_in(self, mode: Mode | None) -> str:
        """The template that it is sent out with."""
        return self.in_standard if mode == "standard" and self.in_standard else self.template

    @property
    def templates(self) -> tuple[str, ...]:
        """All that it can be sent out with."""
        return (self.template, self.in_standard) if self.in_standard else (self.template,)


def _proposer(name: str, *skills: str) -> Persona:
    """One of those who plan independently of each other."""
    return Persona(
        name=name,
        role="advisor",
        template=f"planner/{name}",
        given=(*COMMON, "output_path"),
        output="output_path",
        keyword="proposal written",
        skills=skills,
    )


def _reviewer(name: str, *skills: str) -> Persona:
    """One of those who review the plan before any code is written."""
    return Persona(
        name=name,
        role="advisor",
        template=f"generator/{name}",
        given=_REVIEW,
        output="output_path",
        keyword="review written",
        skills=skills,
    )


_ALL = (
    Persona(
        name="convention_scanner",
        role="scanner",
        template="planner/convention_scanner",
        given=("repo_path", "lang", "scope", "user_lang", "output_path"),
        may_lack=("user_lang",),
        output="output_path",
        keyword="conventions written",
    ),
    Persona(
        name="planner",
        role="advisor",
        template="planner/planner_single",
        given=(*COMMON, "spec_path", "spec_content", "revision"),
        may_lack=("spec_content", "revision"),
        output="spec_path",
        keyword="spec generated",
        skills=("planning", "brainstorm"),
    ),
    _proposer("architect", "architect"),
    _proposer("senior_developer", "planning"),
    _proposer("qa_specialist", "testing", "qa"),
    Persona(
        name="cross_critic",
        role="advisor",
        template="planner/cross_critique",
        given=("task_description", "user_lang", "persona", "other_proposals", "output_path"),
        output="output_path",
        keyword="critique written",
    ),
    Persona(
        name="synthesis",
        role="advisor",
        template="planner/synthesis",
        in_standard="planner/synthesis_standard",
        given=("task_description", "user_lang", "all_proposals", "all_critiques", "spec_path"),
        may_lack=("all_critiques",),
        output="spec_path",
        keyword="spec generated",
    ),
    Persona(
        name="lead_developer",
        role="executor",
        template="generator/lead_developer",
        given=(*_PLAN, "output_path"),
        output="output_path",
        keyword="plan written",
    ),
    _reviewer("combined_advisor", "review"),
    _reviewer("code_quality_advisor", "review"),
    _reviewer("test_stability_advisor", "testing"),
    Persona(
        name="generator",
        role="executor",
        template="generator/generator_single",
        trade="maker",
        given=(
            *("spec_content", "qa_feedback", "round_num", "scope", "max_files", "user_lang", "changes_path"),
            *RETRY,
            *("repo_path", "lang"),
        ),
        may_lack=(*RETRY, "repo_path", "lang"),
        output="changes_path",
        inputs=("verify_report_path",),
        keyword="changed",
        skills=("test-driven", "debugging"),
    ),
    Persona(
        name="implementer",
        role="executor",
        template="generator/implementation",
        in_standard="generator/implementation_standard",
        trade="maker",
        given=(*_MAKE, "advisor_review", "code_quality_review", "test_stability_review", *RETRY),
        may_lack=("advisor_review", "code_quality_review", "test_stability_review", *RETRY),
        output="changes_path",
        inputs=("verify_report_path",),
        keyword="changed",
        skills=("test-driven", "debugging"),
    ),
    Persona(
        name="verifier",
        role="verifier",
        template="verify/verify_layer1",
        trade="speaker",
        given=(
            *("build_cmd", "test_cmd", "lint_cmd", "type_check_cmd", "changes_md_path", "todo_blocking"),
            *("verify_report_path", "verify_failure", "user_lang"),
        ),
        may_lack=(
            *("build_cmd", "test_cmd", "lint_cmd", "type_check_cmd", "changes_md_path", "todo_blocking"),
            *("verify_failure", "user_lang"),
        ),
        inputs=("verify_report_path",),
    ),
    Persona(
        name="autofix_proposer",
        role="proposer",
        template="generator/auto_fix_proposer",
        trade="proposer",
        given=("spec_path", "changes_md_path", "verify_report_path", "failing_files_list", "output_path"),
        output="output_path",
        inputs=("spec_path", "changes_md_path", "verify_report_path"),
        keyword="auto_fix_patch written",
        skills=("debugging",),
    ),
    Persona(
        name="evaluator",
        role="evaluator",
        template="evaluator/evaluator_prompt",
        given=(
            *("spec_content", "changed_files_list", "test_available", "build_cmd", "test_cmd", "round_num", "scope"),
            *("user_lang", "qa_report_path", "verify_context"),
        ),
        output="qa_report_path",
        inputs_of_docs=("verify_report.md",),
        skills=("code-review",),
    ),
)

PERSONAS: dict[str, Persona] = {persona.name: persona for persona in _ALL}
