"""How many tests passed and failed, read from what the usual test programs print at their end."""

import re

_SUMMARIES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in \d[\d.]*s\b",  # pytest: 1 failed, 2 passed in 0.03s
        r"^test result: \w+\. (\d+ passed; \d+ failed)",  # cargo
        r"^ *Tests:? +(.*\d+ total|\d+ [a-z]+.*\(\d+\))",  # jest, vitest
        r"(Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+)",  # maven
        r"(Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+)",  # dotnet
        r"^(\d+ tests completed(?:, \d+ [a-z]+)*)",  # gradle, when some failed
        r"^(Ran \d+ tests?) in ",  # unittest
    )
)
_LONGEST = 300
"""Characters of a line that may be a summary: a pattern that looks twice at each of them is then quick all the same."""
_GO_PACKAGE = re.compile(r"^(ok|FAIL)\s+\S+\t", re.MULTILINE)


def counts_in(output: str) -> str:
    """The counts in the program's own words; empty where it says none."""
    shown = "\n".join(line for line in output.splitlines() if len(line) <= _LONGEST)
    for summary in _SUMMARIES:
        if found := summary.findall(shown):
            return " ".join(str(found[-1]).split())
    packages = _GO_PACKAGE.findall(shown)
    return f"{packages.count('ok')} packages ok, {packages.count('FAIL')} failed" if packages else ""
