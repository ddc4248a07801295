"""The reference of the settings says what the code checks: words for types, defaults, and what a stranger may set."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from onbook.cli.settings_page import ALL, BEFORE_TRUST, NOTHING, settings_page, tables
from onbook.cli.settings_words import keys_of, value_in_words
from onbook.config.parse import read_settings_file
from onbook.config.settings import Settings
from onbook.config.untrusted import without_untrusted

STRANGER = """
model = "a"
agent_name = "b"
role = "r"
context = 5
[policy]
safe_mode = true
sandbox = "on"
timeout = 9
[tools]
enabled = false
rounds = 9
[budget]
turns = 1
[confidence]
method = "logprobs"
[rag]
embeddings = "v"
[workflow]
mode = "multi"
[[routes]]
name = "here"
url = "ollama://localhost"
[[routes]]
name = "away"
url = "ollama://example.org"
[[prices]]
model = "a"
input = 1
output = 1
[[roles]]
name = "r"
pipeline = "p"
system = "s"
[[pipelines]]
name = "p"
steps = [{ name = "s", command = "true" }]
[[workflows]]
name = "w"
steps = [{ name = "s", command = "true" }]
[[mcp]]
name = "m"
command = "m"
"""


class _Undescribed(msgspec.Struct):
    told: int = 1
    """What it is."""
    untold: int = 2


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (str | None, "text"),
        (bool, "`true` or `false`"),
        (Annotated[int, msgspec.Meta(gt=0)], "whole number, 1 or more"),
        (Annotated[int, msgspec.Meta(ge=1, le=5000)] | None, "whole number, 1 to 5,000"),
        (Annotated[float, msgspec.Meta(gt=0, le=1)], "number, above 0, up to 1"),
        (Literal["pass", "error"] | None, '`"pass"`, `"error"`'),
        (str | tuple[str, ...], "text or list of texts"),
        (tuple[_Undescribed, ...], "list of tables"),
        (dict[str, str], "table of texts"),
    ],
)
def test_a_type_is_told_in_words(kind: object, words: str) -> None:
    assert value_in_words(kind) == words


def test_a_setting_that_nobody_explained_has_no_place_on_the_page() -> None:
    with pytest.raises(ValueError, match=r"_Undescribed\.untold has no docstring"):
        keys_of(_Undescribed)


def test_every_table_stands_under_the_head_that_the_file_gives_it() -> None:
    heads = [head for table in tables() for head in table.heads]
    assert {"[policy]", "[[policy.permissions]]", "[[routes]]", "[workflow.agents.NAME]"} <= set(heads)
    assert "\n## `[[pipelines.steps]]` and `[[workflows.steps]]`\n" in settings_page()


def test_a_step_s_defaults_are_those_of_the_engine() -> None:
    page = settings_page()
    assert "| `max_iterations` | loop | whole number, 1 to 1,000,000 | `10` |" in page
    assert "| `timeout` | once, conditional | number, 1 to 3,600 | `30` |" in page


def test_what_the_page_says_of_an_untrusted_file_is_what_becomes_of_it(tmp_path: Path) -> None:
    (tmp_path / "onbook.toml").write_text(STRANGER)
    found = read_settings_file(tmp_path / "onbook.toml")
    assert found is not None
    kept, _ = without_untrusted(found, Settings())
    assert set(found.values) == set(BEFORE_TRUST) == set(Settings.__struct_fields__)
    told_all = {key for key, told in BEFORE_TRUST.items() if told == ALL}
    assert {key: kept[key] for key in told_all} == {key: found.values[key] for key in told_all}
    assert {key for key in BEFORE_TRUST if key not in kept} == {
        key for key, told in BEFORE_TRUST.items() if told == NOTHING
    }
    assert kept["policy"] == {"safe_mode": True, "sandbox": "on"}
    assert kept["tools"] == {"enabled": False}
    assert [route["name"] for route in kept["routes"]] == ["here"]
    assert kept["roles"] == [{"name": "r", "system": "s"}]
    assert (kept["pipelines"], kept["workflows"]) == (found.values["pipelines"], found.values["workflows"])
