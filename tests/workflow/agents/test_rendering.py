"""Templates: names from a fixed set, filled in once, and nothing that is inserted is ever looked at again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.workflow.agents.library import own_template
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.agents.rendering import DATA, LINES, NAMES, NONE, BadTemplate, Template

ALL = [(persona, name) for persona in PERSONAS.values() for name in persona.templates]


@pytest.mark.parametrize(("persona", "name"), ALL, ids=[name for _, name in ALL])
def test_every_template_uses_what_its_persona_is_given_and_names_its_output(persona: object, name: str) -> None:
    template, owner = own_template(name), next(each for each in PERSONAS.values() if name in each.templates)
    template.check(owner.given, (owner.output,) if owner.output else ())
    assert template.render(dict.fromkeys(owner.given, "x"))


def test_every_name_of_the_table_is_known() -> None:
    assert {name for persona in PERSONAS.values() for name in persona.given} == NAMES
    assert not set(DATA) & LINES


def test_an_unknown_name_is_told_with_template_and_line() -> None:
    template = Template(".onbook/templates/architect.md", "One\n\nTwo {task_descripton}\n")
    with pytest.raises(
        BadTemplate, match=r"^\.onbook/templates/architect\.md:3: \{task_descripton\} is not known here"
    ):
        template.check(["task_description"])


def test_a_name_of_another_persona_is_unknown_too() -> None:
    with pytest.raises(BadTemplate, match=r"a\.md:1: \{plan_content\} is not known"):
        Template("a.md", "{plan_content}").check(PERSONAS["architect"].given)


def test_a_template_that_does_not_name_the_output_is_refused() -> None:
    with pytest.raises(BadTemplate, match=r"a\.md:2: \{output_path\} is missing"):
        Template("a.md", "One\nTwo").check(["output_path"], ["output_path"])


def test_a_name_without_a_value_is_told_with_template_and_line() -> None:
    with pytest.raises(BadTemplate, match=r"a\.md:2: \{lang\} was not given"):
        Template("a.md", "{scope}\n{lang}").render({"scope": "."})


def test_other_braces_are_braces() -> None:
    assert Template("a.md", 'json {"a": {}} and {1} and { lang }').render({}) == 'json {"a": {}} and {1} and { lang }'


def test_keys_are_not_sent_along() -> None:
    rendered = Template("a.md", "{conventions}").render({"conventions": "token: sk-proj-" + "a1B2" * 12})
    assert "a1B2a1B2" not in rendered


def test_nothing_to_insert_is_said() -> None:
    assert Template("a.md", "{conventions}").render({"conventions": " \n"}) == NONE


@given(st.text())
def test_text_of_users_and_files_stands_in_a_fence_that_it_cannot_end(text: str) -> None:
    rendered = Template("a.md", "before\n{task_description}\nafter").render({"task_description": text})
    if text.strip():
        first, *inside, last, after = rendered.removeprefix("before\n").split("\n")
        fence = first.partition(" ")[0]
        assert last == fence
        assert not any(line.strip().startswith(fence) for line in inside)
        assert after == "after"


@given(st.sampled_from(sorted(DATA)), st.sampled_from(sorted(NAMES)))
def test_a_placeholder_that_was_inserted_stays_as_it_is(name: str, other: str) -> None:
    rendered = Template("a.md", f"{{{name}}}").render({name: f"{{{other}}}", other: "secret"})
    assert f"{{{other}}}" in rendered or name == other
    assert "secret" not in rendered or name == other


@given(st.sampled_from(sorted(LINES)), st.text())
def test_what_is_one_line_stays_one_line_and_inside_its_quotes(name: str, value: str) -> None:
    rendered = Template("a.md", f"- at `{{{name}}}` here").render({name: value})
    assert rendered.count("\n") == 0
    assert rendered.count("`") == 2


def test_who_judges_is_told_nothing_of_who_made_it() -> None:
    text = own_template("evaluator/evaluator_prompt").text
    words = {word.strip(".,:;`()*").casefold() for word in text.split()}
    assert not words & {"generator", "ai", "agent", "agents", "model", "implementer"}


def test_the_openings_of_the_templates_tell_them_apart() -> None:
    openings = [own_template(name).text.partition("\n")[0] for _, name in ALL]
    assert len(set(openings)) == len(openings)


@pytest.mark.parametrize("name", ["synthesis", "synthesis_standard", "cross_critique"])
def test_notes_of_the_spec_phase_go_to_first_proposals_only(name: str) -> None:
    assert not {"qa_discovery_notes", "critic_findings"} & set(own_template(f"planner/{name}").names)
