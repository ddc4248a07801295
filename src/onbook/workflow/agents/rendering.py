"""Templates with named placeholders, filled in a single pass: what is inserted is never looked at again.

    Plan the task below for `{repo_path}`.       a name stands in its line
    {task_description}                           text of users and files stands in a fence, as data

Any other brace is a brace.
"""

import re
from collections.abc import Iterable, Mapping

import msgspec

from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError
from onbook.policy.effects import one_line
from onbook.policy.secrets import redact
from onbook.session.pending import fenced

NONE = "(none)"
"""What stands where there is nothing to insert."""
DATA: Mapping[str, str] = {
    "task_description": "task",
    "qa_discovery_notes": "notes from the specification",
    "critic_findings": "findings of the specification's critic",
    "conventions": "conventions of the project",
    "spec_content": "spec",
    "revision": "what is to be changed",
    "other_proposals": "proposals of the others",
    "all_proposals": "proposals",
    "all_critiques": "critiques",
    "plan_content": "implementation plan",
    "advisor_review": "review",
    "code_quality_review": "code quality review",
    "test_stability_review": "test and stability review",
    "qa_feedback": "feedback",
    "verify_failure": "what failed",
    "failing_files_list": "failing files",
    "changed_files_list": "changed files",
    "verify_context": "state of the checks",
}
"""What comes from users, files and models, and what its fence is called."""
LINES = frozenset(
    {
        *("repo_path", "lang", "scope", "user_lang", "persona", "round_num", "max_files", "todo_blocking"),
        *("spec_path", "output_path", "changes_path", "changes_md_path", "verify_report_path", "qa_report_path"),
        *("build_cmd", "test_cmd", "lint_cmd", "type_check_cmd", "test_available"),
    }
)
"""What is one line, written where it stands."""
NAMES = frozenset(DATA) | LINES
"""All there are."""
_LONGEST_LINE = 1_000
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class BadTemplate(UsageError):
    """A template that cannot be filled in: which, where, and why."""


class Template(msgspec.Struct, frozen=True):
    """A prompt with places to fill in."""

    source: str
    """How a person finds it: its path."""
    text: str

    @property
    def names(self) -> dict[str, int]:
        """Each name that stands in it, with the first line on which it does."""
        found: dict[str, int] = {}
        for match in _PLACEHOLDER.finditer(self.text):
            found.setdefault(match[1], self.text.count("\n", 0, match.start()) + 1)
        return found

    def check(self, given: Iterable[str], needed: Iterable[str] = ()) -> None:
        """BadTemplate for a name that nobody will give, and for one that must be there and is not."""
        known = frozenset(given)
        for name, line in self.names.items():
            if name not in NAMES or name not in known:
                hint = did_you_mean(name, sorted(known)) or f"; there are {', '.join(sorted(known))}"
                raise BadTemplate(f"{self.source}:{line}: {{{name}}} is not known here{hint}")
        for name in needed:
            if name not in self.names:
                end = self.text.count("\n") + 1
                raise BadTemplate(f"{self.source}:{end}: {{{name}}} is missing; the agent must be told of it")

    def render(self, values: Mapping[str, str]) -> str:
        """The text with everything filled in; BadTemplate for a name without a value."""
        for name, line in self.names.items():
            if name not in values:
                raise BadTemplate(f"{self.source}:{line}: {{{name}}} was not given")
        return _PLACEHOLDER.sub(lambda found: _inserted(found[1], values[found[1]]), self.text)


def _inserted(name: str, value: str) -> str:
    if not value.strip():
        return NONE
    if name in DATA:
        return fenced(DATA[name], redact(value))
    return one_line(value.strip(), _LONGEST_LINE).replace("`", "'")
