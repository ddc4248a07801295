"""Settings from files and the environment, and the one line each mistake gets."""

import os
from pathlib import Path

import pytest

from onbook.config.errors import SettingsError
from onbook.config.load import load_settings
from onbook.config.price_settings import Price
from onbook.config.settings import Route, Settings
from tests.config.conftest import Places


def test_without_any_file_everything_is_default(places: Places) -> None:
    loaded = places.load()
    assert loaded.settings == Settings()
    assert loaded.files == ()
    assert set(loaded.origins.values()) == {"default"}


def test_workspace_wins_over_user_and_the_environment_over_both(places: Places) -> None:
    user = places.write_user(
        'model = "user"\nagent_name = "Una"\ncontext = 100\n[[prices]]\nmodel="*"\ninput=1\noutput=1'
    )
    own = places.write('model = "own"\nagent_name = "Orson"')
    loaded = places.load(environ={"ONBOOK_AGENT_NAME": "Eve", "ONBOOK_ROLE": ""})
    assert loaded.settings == Settings(model="own", agent_name="Eve", context=100, prices=(Price("*", 1, 1),))
    assert loaded.files == (user, own)
    assert loaded.origins == {
        "model": str(own),
        "agent_name": "ONBOOK_AGENT_NAME",
        "role": "default",
        "context": str(user),
        "prices": str(user),
    }


def test_routes_merge_by_name_in_any_case_and_the_workspace_wins(places: Places) -> None:
    user = places.write_user(
        '[[routes]]\nname = "GPU"\nurl = "ollama://a"\nmodel = "m"\n[[routes]]\nname = "b"\nurl = "ollama://b"\n'
    )
    own = places.write('[[routes]]\nname = "gpu"\nurl = "ollama://c"\n[[routes]]\nname = "d"\nurl = "ollama://d"\n')
    loaded = places.load()
    assert [(route.name, route.url, route.model) for route in loaded.settings.routes] == [
        ("gpu", "ollama://c", None),
        ("b", "ollama://b", None),
        ("d", "ollama://d", None),
    ]
    assert loaded.origins["routes.gpu"] == str(own)
    assert loaded.origins["routes.b"] == str(user)
    assert loaded.settings.route("GPU") == Route("gpu", "ollama://c")
    assert loaded.settings.route("none") is None


def test_a_file_that_is_both_user_s_and_workspace_s_is_read_once_and_needs_no_trust(places: Places) -> None:
    places.workspace = places.user
    places.write_user('[[routes]]\nname = "cloud"\nurl = "openai://"\n')
    loaded = places.load(trusted=False)
    assert len(loaded.files) == 1
    assert loaded.notices == ()
    assert loaded.settings.route("cloud")


UNTRUSTED = """\
model = "local"
[[routes]]
name = "local"
url = "http://127.0.0.1:8000/v1"
[[routes]]
name = "keyed"
url = "http://localhost:8000/v1"
key_env = "MY_KEY"
[[routes]]
name = "far"
url = "http://far.example/v1"
[[routes]]
name = "cloud"
url = "openai://"
[[routes]]
name = "other"
url = "any://mistral"
"""


def test_an_untrusted_workspace_keeps_only_loopback_routes_without_a_key(places: Places) -> None:
    path = places.write(UNTRUSTED)
    loaded = places.load(trusted=False)
    assert [route.name for route in loaded.settings.routes] == ["local"]
    assert loaded.settings.model == "local"
    assert loaded.notices == (
        f"{path} is not trusted: left out routes keyed, far, cloud, other "
        "(a key or another host); read the file, then run: onbook trust",
    )
    assert "routes.far" not in loaded.origins


def test_a_trusted_workspace_keeps_all_its_routes(places: Places) -> None:
    places.write(UNTRUSTED)
    loaded = places.load(trusted=True)
    assert len(loaded.settings.routes) == 5
    assert loaded.notices == ()


def test_what_an_untrusted_workspace_may_not_say_does_not_hide_the_user_s_own_route(places: Places) -> None:
    places.write_user('[[routes]]\nname = "cloud"\nurl = "openai://"\n')
    places.write('[[routes]]\nname = "Cloud"\nurl = "https://evil.example/v1"\nkey_env = "OPENAI_API_KEY"\n')
    route = places.load(trusted=False).settings.route("cloud")
    assert route is not None
    assert route.url == "openai://"


def test_trust_is_asked_with_the_very_bytes_that_are_used(places: Places) -> None:
    path = places.write('model = "x"\r\n')
    asked: list[tuple[Path, bytes]] = []

    def is_trusted(file: Path, content: bytes) -> bool:
        asked.append((file, content))
        return True

    load_settings(places.workspace, environ={"ONBOOK_CONFIG_DIR": str(places.user)}, is_trusted=is_trusted)
    assert asked == [(path, b'model = "x"\r\n')]


def test_a_byte_order_mark_is_no_obstacle(places: Places) -> None:
    places.write(b'\xef\xbb\xbfmodel = "x"\n')
    assert places.load().settings.model == "x"


_ROUTE = '[[routes]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('\nmodle = "x"', "onbook.toml:2: modle: unknown key; did you mean model?"),
        (
            "zzz = 1",
            "onbook.toml:1: zzz: unknown key; the keys here are model, agent_name, role, context, routes, policy, "
            "tools, budget, prices, confidence, roles, pipelines, workflows, mcp, rag, workflow",
        ),
        ("[MODEL]\nx = 1", "onbook.toml:1: MODEL: unknown key; did you mean model?"),
        ("model = 3", "onbook.toml:1: model: expected text in quotes, got a whole number"),
        ('context = "8k"', "onbook.toml:1: context: expected a whole number, got text in quotes"),
        ("context = 0", "onbook.toml:1: context: expected a whole number of at least 1"),
        ('agent_name = "  "', "onbook.toml:1: agent_name: must be one line of text, and not empty"),
        ('agent_name = "a\\nb"', "onbook.toml:1: agent_name: must be one line of text, and not empty"),
        ('role = ""', "onbook.toml:1: role: must not be empty; leave it out instead"),
        ("routes = 3", "onbook.toml:1: routes: expected a list, got a whole number"),
        ("[routes]\nname = 'a'", "onbook.toml:1: routes: expected a list, got a table"),
        ("[[routes]]\nurl = 'openai://'", "onbook.toml:1: routes[0].name: is missing"),
        (_ROUTE, "onbook.toml:1: routes[0].url: is missing"),
        (_ROUTE + "urk = ''", "onbook.toml:3: routes[0].urk: unknown key; did you mean url?"),
        (
            _ROUTE + "url = 'ollama://h:x'",
            "onbook.toml:3: routes[0].url: the host of the URL is not HOST or HOST:PORT",
        ),
        (
            _ROUTE + "url = 'openai://'\n\n[[routes]]\nname = 'A'\nurl = 'openai://'",
            "onbook.toml:6: routes[1].name: another route is called A already",
        ),
        (
            "[[routes]]\nname = '@a'\nurl = 'openai://'",
            "onbook.toml:2: routes[0].name: a route name is made of letters, digits, _ . - "
            "and ends with a letter or digit",
        ),
        ("model = ", "onbook.toml:1: not valid TOML: invalid value (at the end of the file)"),
        ("a = 1\nb = = 2", "onbook.toml:2: not valid TOML: invalid value (column 5)"),
        (b"a = 1\nb = '\xff'", "onbook.toml:2: is not UTF-8 text; save it as UTF-8"),
        ("context = " + "9" * 5000, "onbook.toml: not valid TOML: a number has too many digits"),
        ("a = " + "[" * 20000, "onbook.toml: is nested too deeply"),
    ],
)
def test_a_mistake_is_one_line_with_file_line_and_key(places: Places, text: str | bytes, line: str) -> None:
    assert places.complaint(text) == line


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abc123",
        "hf_AbCdEfGhIjKl",
        "ghp_0123456789abcdef",
        "AKIAABCDEFGHIJKLMNOP",
        "AbCdEf0123456789AbCdEf",
        "",
        "1ABC",
        "A B",
        "A-B",
        "KEY\n",
    ],
)
def test_a_key_in_place_of_its_variable_s_name_is_refused_and_not_repeated(places: Places, key: str) -> None:
    shown = key.replace("\n", "\\n")
    line = places.complaint(_ROUTE + f'url = "openai://"\nkey_env = "{shown}"')
    assert line.startswith("onbook.toml:4: routes[0].key_env: this must be the NAME of an environment variable")
    assert len(key) < 5 or key not in line


def test_a_password_in_a_url_is_refused_and_not_repeated(places: Places) -> None:
    line = places.complaint(_ROUTE + 'url = "https://me:hunter2@h/v1"')
    assert line.startswith("onbook.toml:3: routes[0].url: a URL must not carry a user name or a key")
    assert "hunter2" not in line


def test_a_mistake_in_the_user_s_file_names_that_file(places: Places) -> None:
    path = places.write_user("model = 1")
    with pytest.raises(SettingsError) as caught:
        places.load()
    assert str(caught.value).startswith(f"{path}:1: model: ")


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("ONBOOK_CONTEXT", "lots", "ONBOOK_CONTEXT: context: expected a whole number"),
        ("ONBOOK_CONTEXT", "-1", "ONBOOK_CONTEXT: context: expected a whole number of at least 1"),
        ("ONBOOK_AGENT_NAME", "a\nb", "ONBOOK_AGENT_NAME: agent_name: must be one line of text, and not empty"),
        ("ONBOOK_MODEL", "\udcff", "ONBOOK_MODEL: model: is not UTF-8 text"),
    ],
)
def test_a_bad_variable_is_named(places: Places, variable: str, value: str, line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        places.load(environ={variable: value})
    assert str(caught.value) == line


def test_variables_set_every_scalar_and_no_list(places: Places) -> None:
    environ = {"ONBOOK_MODEL": "null", "ONBOOK_CONTEXT": "8192", "ONBOOK_ROUTES": "x"}
    loaded = places.load(environ=environ)
    assert loaded.settings == Settings(model="null", context=8192)


def test_a_folder_in_place_of_the_file_is_one_line(places: Places) -> None:
    (places.workspace / "onbook.toml").mkdir()
    with pytest.raises(SettingsError, match=r"onbook\.toml: is a folder, not a file$"):
        places.load()


def test_a_pipe_in_place_of_the_file_is_refused_and_not_waited_for(places: Places) -> None:
    os.mkfifo(places.workspace / "onbook.toml")
    with pytest.raises(SettingsError, match=r"onbook\.toml: is not a regular file$"):
        places.load()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_one_line(places: Places) -> None:
    places.write("").chmod(0)
    with pytest.raises(SettingsError, match=r"onbook\.toml: cannot be read: permission denied$"):
        places.load()


def test_a_circle_of_links_is_one_line(places: Places) -> None:
    (places.workspace / "onbook.toml").symlink_to("onbook.toml")
    with pytest.raises(SettingsError, match=r"onbook\.toml: cannot be read: "):
        places.load()
