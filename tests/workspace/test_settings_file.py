"""Routes added to and removed from a real `onbook.toml`: the rest of the file stays as it was."""

import threading
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.errors import SettingsError
from onbook.config.parse import parse_settings
from onbook.config.settings import Route, Settings
from onbook.outcome import UsageError
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.settings_file import add_route, remove_route

FILE = """\
# my settings
model = "one"   # the usual

# the first route
[[routes]]
name = "one"    # here
url = "ollama://localhost"

# the second
[[routes]]
name = "Two"
url = "openai://"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "onbook.toml"


def _settings(path: Path) -> Settings:
    return parse_settings(path.read_bytes(), path)


def test_a_route_is_added_at_the_end_and_nothing_else_changes(path: Path) -> None:
    path.write_text(FILE)
    route = Route("three", "https://h/v1", model="m", key_env="K_EY", context=9)
    add_route(path, route)
    text = path.read_text()
    assert text.startswith(FILE)
    assert text[len(FILE) :] == (
        '\n[[routes]]\nname = "three"\nurl = "https://h/v1"\nmodel = "m"\nkey_env = "K_EY"\ncontext = 9\n'
    )
    assert _settings(path).routes[-1] == route


def test_the_file_and_its_folder_are_made_when_missing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "onbook.toml"
    add_route(path, Route("a", "ollama://h"))
    assert path.read_text() == '[[routes]]\nname = "a"\nurl = "ollama://h"\n'


def test_windows_line_ends_stay(path: Path) -> None:
    path.write_bytes(b'model = "x"\r\n')
    add_route(path, Route("a", "ollama://h"))
    content = path.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n") == 5


def test_a_route_joins_a_list_written_on_one_line(path: Path) -> None:
    path.write_text('routes = [{name = "a", url = "ollama://a"}] # mine\nmodel = "a"\n')
    add_route(path, Route("b", "ollama://b", model="m"))
    assert [route.name for route in _settings(path).routes] == ["a", "b"]
    assert "# mine" in path.read_text()
    assert remove_route(path, "a")
    assert [route.name for route in _settings(path).routes] == ["b"]


def test_routes_with_other_tables_between_them_are_handled(path: Path) -> None:
    path.write_text(
        '[[routes]]\nname = "a"\nurl = "ollama://a"\n\n# note\n[[routes]]\nname = "b"\nurl = "ollama://b"\n'
    )
    add_route(path, Route("c", "ollama://c"))
    assert remove_route(path, "b")
    assert [route.name for route in _settings(path).routes] == ["a", "c"]
    assert "# note" in path.read_text()


def test_a_name_that_is_taken_is_refused_with_the_way_to_replace_it(path: Path) -> None:
    path.write_text(FILE)
    with pytest.raises(UsageError) as caught:
        add_route(path, Route("two", "ollama://h"))
    assert str(caught.value) == f"{path} already has a route Two; to replace it, run first: onbook route rm Two"
    assert path.read_text() == FILE


def test_a_route_is_removed_by_name_in_any_case_and_comments_stay(path: Path) -> None:
    path.write_text(FILE)
    assert remove_route(path, "TWO")
    text = path.read_text()
    assert text.startswith('# my settings\nmodel = "one"   # the usual\n')
    assert 'name = "one"    # here' in text
    assert "Two" not in text
    assert remove_route(path, "one")
    assert tomllib.loads(path.read_text()) == {"model": "one"}


def test_removing_what_is_not_there_changes_nothing(path: Path) -> None:
    assert not remove_route(path, "x")
    assert not path.exists()
    path.write_text(FILE)
    assert not remove_route(path, "x")
    assert path.read_text() == FILE


def test_a_broken_route_can_be_removed(path: Path) -> None:
    path.write_text(FILE + '\n[[routes]]\nname = "bad"\nurl = "nonsense"\n')
    assert remove_route(path, "bad")
    assert len(_settings(path).routes) == 2


@pytest.mark.parametrize("text", ["model = ", "modle = 1\n", "routes = 3\n"])
def test_a_file_that_would_not_be_valid_is_not_written(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(SettingsError):
        add_route(path, Route("a", "ollama://h"))
    assert path.read_text() == text


def test_many_at_once_lose_nothing(path: Path) -> None:
    threads = [threading.Thread(target=add_route, args=(path, Route(f"r{n}", "ollama://h"))) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {route.name for route in _settings(path).routes} == {f"r{n}" for n in range(12)}


def test_git_sees_no_lock_file(path: Path) -> None:
    add_route(path, Route("a", "ollama://h"))
    assert {found.name for found in path.parent.iterdir()} == {"onbook.toml", ".onbook"}


@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8), st.sampled_from(["routes = []\n", 'model = "m"\n']))
def test_any_order_of_adding_and_removing_ends_with_the_right_routes(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], start: str
) -> None:
    path = tmp_path_factory.mktemp("w") / "onbook.toml"
    path.write_text(start)
    expected: list[str] = []
    for name in names:
        if name in expected:
            assert remove_route(path, name)
            expected.remove(name)
        else:
            add_route(path, Route(name, "ollama://h"))
            expected.append(name)
    assert [route.name for route in _settings(path).routes] == expected


def test_a_file_that_only_its_reader_understands_is_left_as_it_is(path: Path) -> None:
    deep = "[policy]\n" + ".".join("a" * 120) + " = 1\n"
    path.write_text(deep)
    with pytest.raises(WorkspaceError, match="cannot be edited safely"):
        add_route(path, Route("one", "ollama://localhost"))
    assert path.read_text() == deep


def test_where_no_lock_can_be_made_the_line_is_about_the_settings(path: Path) -> None:
    in_the_way = path.parent / ".onbook"
    in_the_way.write_text("")
    with pytest.raises(WorkspaceError) as caught:
        add_route(path, Route("one", "openai://"))
    assert str(caught.value) == f"cannot write {path}: no lock in {in_the_way}: file exists"
    assert not path.exists()
