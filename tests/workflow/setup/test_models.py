"""Seed 4, "Model Selection": presets, own words, aliases that the settings map, and the active model for the rest."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.events import Note
from onbook.models.resolver import UnknownModel
from onbook.outcome import UsageError
from onbook.workflow.setup.models import PRESETS, Casting, costly_verifier, model_for, models_of, with_verifier
from onbook.workflow.state.state import ModelConfig
from tests.commands.conftest import Typed
from tests.commands.conftest import typed as typed
from tests.scripted import ScriptedServer


@pytest.mark.parametrize(
    ("preset", "executor", "advisor", "evaluator"),
    [
        ("default", None, None, None),
        ("all-opus", "opus", "opus", "opus"),
        ("balanced", "sonnet", "opus", "opus"),
        ("economy", "haiku", "sonnet", "sonnet"),
    ],
)
def test_the_presets_are_the_seed_s(
    preset: str, executor: str | None, advisor: str | None, evaluator: str | None
) -> None:
    assert models_of(preset) == ModelConfig(preset, executor, advisor, evaluator, "haiku")


def test_roles_that_are_not_named_are_those_of_balanced() -> None:
    assert models_of("executor:llama3:latest , evaluator:gpu") == ModelConfig(
        "custom", "llama3:latest", "opus", "gpu", "haiku"
    )


def test_the_flag_names_the_verifier_whatever_the_preset() -> None:
    assert with_verifier(PRESETS["economy"], None).verifier == "haiku"
    assert with_verifier(PRESETS["economy"], "gpu").verifier == "gpu"


def test_only_a_large_verifier_is_warned_of() -> None:
    costly = [name for name in ("haiku", "gpu", "sonnet", "opus") if costly_verifier(ModelConfig(verifier=name))]
    assert costly == ["sonnet", "opus"]


@pytest.mark.parametrize(
    ("preset", "role", "name"),
    [
        ("default", "executor", None),
        ("default", "scanner", None),
        ("default", "proposer", "opus"),
        ("default", "verifier", "haiku"),
        ("economy", "scanner", "haiku"),
        ("balanced", "scanner", "opus"),
        ("economy", "proposer", "sonnet"),
        ("economy", "evaluator", "sonnet"),
    ],
)
def test_each_role_has_its_model(preset: str, role: str, name: str | None) -> None:
    assert model_for(PRESETS[preset], role) == name


@given(st.text(max_size=40) | st.from_regex(r"(executor|advisor|evaluator):[\w:]{0,6}(,(executor|x):\w*)?"))
def test_any_words_are_models_or_one_clear_line(words: str) -> None:
    try:
        told = models_of(words).preset
    except UsageError as refused:
        told = str(refused)
    assert told in (*PRESETS, "custom") or ("\n" not in told and len(told) < 300)


@pytest.fixture
def aliases(user_settings: Path, scripted_model: ScriptedServer) -> None:
    """opus is a route by the settings, sonnet is one by its name, haiku is nothing."""
    routes = "".join(
        f'[[routes]]\nname = "{name}"\nurl = "{scripted_model.openai_url}"\nmodel = "{model}"\n'
        for name, model in (("far", "llama3:latest"), ("sonnet", "llama3:latest"))
    )
    with user_settings.open("a") as file:
        file.write(f'{routes}[workflow.models]\nopus = "far"\n')


@pytest.mark.usefixtures("aliases")
async def test_an_alias_is_what_the_settings_say_or_a_route_of_that_name(typed: Typed) -> None:
    casting = Casting(typed.live)
    assert [(await casting.named(name)).name for name in ("opus", "sonnet", "far", None)] == [
        *("far", "sonnet", "far", "scripted")
    ]


@pytest.mark.usefixtures("aliases")
async def test_an_alias_that_nothing_is_set_for_is_the_active_model_and_says_so_once(typed: Typed) -> None:
    casting = Casting(typed.live)
    models = [await casting.model_of(ModelConfig(), "verifier") for _ in range(3)]
    assert {model.name for model in models} == {"scripted"}
    told = [note.text for note in typed.seen.of(Note) if note.text.startswith("haiku")]
    assert told == [
        'haiku: no model is set for it, so scripted serves; set one with [workflow.models] haiku = "…" in onbook.toml'
    ]


@pytest.mark.usefixtures("aliases")
async def test_a_name_that_nothing_answers_to_is_found_out_beforehand(typed: Typed) -> None:
    await Casting(typed.live).check(models_of("executor:far"))
    with pytest.raises(UnknownModel, match="nobody"):
        await Casting(typed.live).check(models_of("executor:nobody"))
