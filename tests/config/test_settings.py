"""Routes as values, and the page that documents every setting."""

import re
from pathlib import Path

import pytest

from onbook.config.load import environment_variable
from onbook.config.merge import merge_values
from onbook.config.places import cache_dir, state_dir, user_settings_file
from onbook.config.route_url import SCHEMES
from onbook.config.settings import Route
from onbook.outcome import UsageError

PAGE = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()


def test_a_route_made_in_code_is_checked_too() -> None:
    with pytest.raises(UsageError, match=r"^url: unknown scheme htp://"):
        Route("a", "htp://x")


def test_a_route_s_key_is_the_named_one_or_the_provider_s() -> None:
    assert Route("a", "openai://").key_variable == "OPENAI_API_KEY"
    assert Route("a", "openai://", key_env="WORK_KEY").key_variable == "WORK_KEY"
    assert Route("a", "ollama://h").key_variable is None


def test_merging_goes_into_tables_and_replaces_plain_lists() -> None:
    under = {"policy": {"a": 1, "b": 2}, "list": [1, 2], "model": "x"}
    over = {"policy": {"b": 3}, "list": [9]}
    assert merge_values(under, over) == {"policy": {"a": 1, "b": 3}, "list": [9], "model": "x"}


def test_every_place_can_be_moved(tmp_path: Path) -> None:
    environ = {f"ONBOOK_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "CACHE", "STATE")}
    assert user_settings_file(environ) == tmp_path / "CONFIG" / "onbook.toml"
    assert cache_dir(environ) == tmp_path / "CACHE"
    assert state_dir(environ) == tmp_path / "STATE"


def test_places_are_the_platform_s_own_otherwise() -> None:
    assert user_settings_file({}).parts[-2:] == ("onbook", "onbook.toml")
    assert "onbook" in str(cache_dir({}))
    assert "onbook" in str(state_dir({}))


def test_the_settings_page_names_every_scheme_and_variable() -> None:
    assert all(f"`{scheme}://" in PAGE for scheme in SCHEMES)
    scalars = ("model", "agent_name", "role", "context")
    assert all(environment_variable(name) in PAGE for name in scalars)


def test_every_error_line_on_the_settings_page_is_what_onbook_says(tmp_path: Path) -> None:
    """Each pair of a `toml` block and the `text` block right after it is tried."""
    from onbook.config.errors import SettingsError
    from onbook.config.parse import parse_settings

    pairs = re.findall(r"```toml\n((?:(?!```).)*)```\n+```text\n(.*?)\n```", PAGE, re.S)
    assert len(pairs) >= 5
    for text, line in pairs:
        with pytest.raises(SettingsError) as caught:
            parse_settings(text.encode(), Path("onbook.toml"))
        assert str(caught.value) == line


def test_every_other_example_on_the_settings_page_is_valid() -> None:
    from onbook.config.parse import parse_settings

    examples = re.findall(r"```toml\n((?:(?!```).)*)```\n(?!\n*```text)", PAGE, re.S)
    assert examples
    for text in examples:
        parse_settings(text.encode(), Path("onbook.toml"))
