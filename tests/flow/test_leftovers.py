"""Scripts that outlive a killed onbook do not run beside themselves when the run goes on."""

import sys
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually, write_script
from tests.flow.conftest import lives

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a process is")


def test_a_resumed_run_ends_what_its_killed_process_left_behind(run: CommandLine, workspace: Path) -> None:
    step = '[[pipelines.steps]]\nname = "long"\ncommand = "./long.sh"\n'
    (workspace / "onbook.toml").write_text(f'[[pipelines]]\nname = "play"\n{step}')
    write_script(workspace / "long.sh", "echo $$ >> pids; test -e go || sleep 60; echo done")
    process = run.start("script", "run", "play")
    pid = int(eventually(lambda: (workspace / "pids").exists() and (workspace / "pids").read_text()))
    process.kill()
    process.wait()
    assert lives(pid)
    (workspace / "go").touch()
    assert run("runs", "resume").stdout == "done\n"
    assert not lives(pid)
