"""The settings of a session: tools, roles, servers, retrieval. Each mistake gets its one line."""

from pathlib import Path

import pytest

from onbook.config.errors import SettingsError
from onbook.config.mcp_settings import McpServer
from onbook.config.role_settings import Role
from onbook.config.tool_settings import ToolSettings
from tests.config.conftest import Places

_MCP = '[[mcp]]\nname = "x"\n'
_EITHER = "a server has either a command or a url, and not both"
_ADDRESS = "must be an address, as in https://example.org/mcp"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[tools]\nrounds = 0", "2: tools.rounds: expected a whole number of at least 1"),
        ("[tools]\nrounds = 201", "2: tools.rounds: expected a whole number of at most 200"),
        ("[tools]\nenable = true", "2: tools.enable: unknown key; did you mean enabled?"),
        ('[rag]\nembeddings = ""', "2: rag.embeddings: must be one line of text, and not empty"),
        ('[[roles]]\nname = "r"\ntemperature = 3', "3: roles[0].temperature: expected a number of at most 2"),
        ('[[roles]]\nname = "r"\ntop_p = 0', "3: roles[0].top_p: expected a number > 0"),
        ('[[roles]]\nname = "r"\nsystem = " "', "3: roles[0].system: must not be empty; leave it out instead"),
        ('[[roles]]\nname = "r"\ntols = []', "3: roles[0].tols: unknown key; did you mean tools?"),
        ('[[roles]]\nname = "r"\n[[roles]]\nname = "R"', "4: roles[1].name: another role is called R already"),
        (_MCP, f"1: mcp[0]: {_EITHER}"),
        (_MCP + 'command = "a"\nurl = "http://localhost/mcp"', f"1: mcp[0]: {_EITHER}"),
        (_MCP + 'command = ""', "3: mcp[0].command: must name a program"),
        (_MCP + "command = []", "3: mcp[0].command: must name a program"),
        (_MCP + 'command = "a \'b"', "3: mcp[0].command: a quote is opened and not closed"),
        (_MCP + "command = 3", "3: mcp[0].command: expected text in quotes or a list, got a whole number"),
        (_MCP + 'url = "ftp://example.org"', f"3: mcp[0].url: {_ADDRESS}"),
        (_MCP + 'url = "http://example.org:99999"', f"3: mcp[0].url: {_ADDRESS}"),
        (_MCP + 'url = "http://[x"', f"3: mcp[0].url: {_ADDRESS}"),
        (_MCP + 'command = "a"\nkey_env = "K"', "4: mcp[0].key_env: goes with a url; a program gets its keys by env"),
        (
            _MCP + 'url = "http://localhost"\nenv = ["K"]',
            "4: mcp[0].env: goes with a command; a url gets its token by key_env",
        ),
        (_MCP + 'command = "a"\ntimeout = 0', "4: mcp[0].timeout: expected a number > 0"),
        (_MCP + 'command = "a"\n' + _MCP + 'command = "a"', "5: mcp[1].name: another server is called x already"),
    ],
)
def test_a_mistake_is_one_line_with_file_line_and_key(places: Places, text: str, line: str) -> None:
    assert places.complaint(text) == f"onbook.toml:{line}"


@pytest.mark.parametrize(
    "text",
    [
        _MCP + 'command = "a"\nenv = ["sk-proj-abc123"]',
        _MCP + 'url = "https://example.org"\nkey_env = "sk-proj-abc123"',
        _MCP + 'url = "https://me:sk-proj-abc123@example.org/mcp"',
    ],
)
def test_a_key_of_a_server_is_refused_and_not_repeated(places: Places, text: str) -> None:
    assert "sk-proj" not in places.complaint(text)


def test_a_server_s_command_is_split_as_a_shell_would_or_taken_as_it_is() -> None:
    assert McpServer("x", "npx -y 'my server'").argv == ("npx", "-y", "my server")
    assert McpServer("x", ("npx", "a b")).argv == ("npx", "a b")
    assert McpServer("x", url="http://localhost/mcp").argv == ()


def test_the_role_must_be_one_that_some_file_defines(places: Places) -> None:
    places.write_user('[[roles]]\nname = "Critic"\nsystem = "Be strict."\n')
    places.write('\nrole = "critic"')
    settings = places.load().settings
    assert settings.role_named(settings.role or "") == Role("Critic", system="Be strict.")
    assert places.complaint('\nrole = "crtic"') == "onbook.toml:2: role: there is no role crtic; did you mean Critic?"
    assert places.complaint('role = "zz"') == "onbook.toml:1: role: there is no role zz; the roles are Critic"


def test_a_role_where_none_is_defined_says_how_to_define_it(places: Places) -> None:
    with pytest.raises(SettingsError) as caught:
        places.load(environ={"ONBOOK_ROLE": "critic"})
    assert str(caught.value) == "ONBOOK_ROLE: role: there is no role critic; define it with [[roles]]"


def test_roles_and_servers_merge_by_name_and_a_later_one_replaces_the_earlier_whole(places: Places) -> None:
    user = places.write_user('[[roles]]\nname = "a"\nsystem = "x"\n[[mcp]]\nname = "s"\ncommand = "one"\nenv = ["E"]\n')
    own = places.write('[[roles]]\nname = "A"\ntools = []\n[[mcp]]\nname = "t"\ncommand = "two"\n')
    loaded = places.load()
    assert loaded.settings.roles == (Role("A", tools=()),)
    assert loaded.settings.mcp == (McpServer("s", "one", env=("E",)), McpServer("t", "two"))
    assert loaded.origins["roles.a"] == str(own)
    assert (loaded.origins["mcp.s"], loaded.origins["mcp.t"]) == (str(user), str(own))


def test_prices_of_the_workspace_come_before_the_user_s(places: Places) -> None:
    places.write_user('[[prices]]\nmodel = "*"\ninput = 1\noutput = 1\n')
    places.write('[[prices]]\nmodel = "llama3*"\ninput = 0\noutput = 0\n')
    assert [price.model for price in places.load().settings.prices] == ["llama3*", "*"]


STRANGER = """\
role = "guide"
[tools]
rounds = 200
enabled = true
[budget]
tokens = 1000000
[rag]
embeddings = "far"
[[roles]]
name = "guide"
[[prices]]
model = "*"
input = 0
output = 0
[[mcp]]
name = "files"
command = "sh -c 'curl example.org'"
env = ["OPENAI_API_KEY"]
[[mcp]]
name = "far"
url = "https://example.org/mcp"
key_env = "TOKEN"
"""


def test_a_stranger_s_file_cannot_spend_loosen_or_start_anything(places: Places) -> None:
    places.write_user("[tools]\nenabled = false\nrounds = 3\n[budget]\ntokens = 10\n")
    path = places.write(STRANGER)
    loaded = places.load(trusted=False)
    settings = loaded.settings
    assert settings.tools == ToolSettings(enabled=False, rounds=3)
    assert settings.budget.tokens == 10
    assert (settings.mcp, settings.prices, settings.rag.embeddings) == ((), (), None)
    assert settings.roles == (Role("guide"),)
    assert loaded.notices == (
        f"{path} is not trusted: left out tools.rounds, tools.enabled (it may only switch them off), "
        "MCP servers files, far, budget, prices, rag; read the file, then run: onbook trust",
    )


def test_what_a_stranger_s_file_would_do_is_shown_before_it_is_trusted(places: Places) -> None:
    places.write(STRANGER)
    assert places.load(trusted=False).left_out == (
        "tools.rounds = 200",
        "tools.enabled = true",
        "MCP server files, which runs sh -c 'curl example.org' with OPENAI_API_KEY",
        "MCP server far at https://example.org/mcp with the key in TOKEN",
        'budget = {"tokens":1000000}',
        'prices = [{"model":"*","input":0,"output":0}]',
        'rag = {"embeddings":"far"}',
    )
    assert len(places.load(trusted=True).settings.mcp) == 2


def test_a_stranger_s_file_may_switch_the_tools_off(places: Places) -> None:
    places.write("[tools]\nenabled = false\n")
    loaded = places.load(trusted=False)
    assert (loaded.settings.tools.enabled, loaded.notices) == (False, ())


def test_tables_have_no_variables(places: Places, tmp_path: Path) -> None:
    loaded = places.load(environ={"ONBOOK_BUDGET": "tokens=1", "ONBOOK_TOOLS": "off"})
    assert loaded.settings.budget.tokens is None
    assert loaded.settings.tools.enabled
