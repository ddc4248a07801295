"""The policy in `onbook.toml`: mistakes get one line, and a stranger's file can only make it stricter."""

import re
from pathlib import Path

import pytest

from onbook.config.errors import SettingsError
from onbook.config.load import Loaded, load_settings
from onbook.config.parse import parse_settings
from onbook.config.policy_settings import Permission, PolicySettings

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()


def load(folder: Path, *, trusted: bool) -> Loaded:
    environ = {"ONBOOK_CONFIG_DIR": str(folder / "config")}
    return load_settings(folder / "project", environ=environ, is_trusted=lambda _file, _content: trusted)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "onbook.toml").write_text(
        '[policy]\nsandbox = "on"\ntimeout = 5\n[[policy.permissions]]\npath = "private"\nread = "deny"\n'
    )
    return tmp_path


LOOSER = """\
[policy]
safe_mode = false
sandbox = "off"
programs = ["sh"]
timeout = 9000
[[policy.permissions]]
path = "."
write = "allow"
"""


def test_a_stranger_s_file_cannot_loosen_the_policy(folder: Path) -> None:
    path = folder / "project" / "onbook.toml"
    path.write_text(LOOSER)
    loaded = load(folder, trusted=False)
    assert loaded.settings.policy == PolicySettings(
        sandbox="on", timeout=5.0, permissions=(Permission("private", read="deny"),)
    )
    assert loaded.notices == (
        f"{path} is not trusted: left out policy.safe_mode, policy.sandbox, policy.programs, policy.timeout, "
        "policy.permissions (it may only make the policy stricter); read the file, then run: onbook trust",
    )


def test_a_trusted_file_sets_the_policy(folder: Path) -> None:
    (folder / "project" / "onbook.toml").write_text(LOOSER)
    policy = load(folder, trusted=True).settings.policy
    assert not policy.safe_mode
    assert policy.programs == ("sh",)
    assert policy.permissions == (Permission(".", write="allow"),)


def test_a_stranger_s_file_may_make_the_policy_stricter(folder: Path) -> None:
    (folder / "config" / "onbook.toml").write_text("[policy]\nsafe_mode = false\n")
    (folder / "project" / "onbook.toml").write_text('[policy]\nsafe_mode = true\nsandbox = "on"\n')
    loaded = load(folder, trusted=False)
    assert loaded.settings.policy == PolicySettings(safe_mode=True, sandbox="on")
    assert loaded.notices == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[policy]\nsafemode = true", "onbook.toml:2: policy.safemode: unknown key; did you mean safe_mode?"),
        ("[policy]\ntimeout = 0", "onbook.toml:2: policy.timeout: expected a number > 0"),
        ('[policy]\nprograms = [" ls"]', "onbook.toml:2: policy.programs[0]: must be the name of a program"),
        (
            "[[policy.permissions]]\npath = '../x'",
            "onbook.toml:2: policy.permissions[0].path: must lie in the workspace",
        ),
        (
            "[[policy.permissions]]\npath = '/etc'",
            "onbook.toml:2: policy.permissions[0].path: must lie in the workspace",
        ),
        ("[[policy.permissions]]\nread = 'deny'", "onbook.toml:1: policy.permissions[0].path: is missing"),
    ],
)
def test_a_mistake_is_one_line(text: str, line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(text.encode(), Path("onbook.toml"))
    assert str(caught.value).startswith(line)


def test_every_example_on_the_policy_page_is_valid() -> None:
    examples = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
    assert examples
    for text in examples:
        parse_settings(text.encode(), Path("onbook.toml"))
