"""A whole workflow from one command, played by a scripted cast in place of models:

    python examples/workflow/run.py                    standard mode, all gates answered beforehand
    python examples/workflow/run.py --mode multi       with three planners, cross-critique and two advisors
    python examples/workflow/run.py --ask              you answer the gates

The project is copied to a new folder and becomes a git repository there; pytest and ruff are the real ones, and
`make test` installs them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))

from examples.workflow.cast import TASK, enter  # noqa: E402 - the clone is no package that could be installed
from tests.scripted import ScriptedServer  # noqa: E402
from tests.workflow.cast import Cast  # noqa: E402

CHECKS = ("pytest", "ruff")
ANSWERS = ("conventions=skip", "spec=proceed", "commit=code")


def main() -> int:
    """Set the stage, run the workflow, show what it left behind."""
    parser = argparse.ArgumentParser(description="A whole workflow with a scripted cast.")
    parser.add_argument("--mode", choices=("single", "standard", "multi"), default="standard")
    parser.add_argument("--ask", action="store_true", help="answer the gates yourself")
    parser.add_argument("--folder", type=Path, help="where the project is copied to; a new folder by default")
    given = parser.parse_args()
    if missing := [name for name in CHECKS if not shutil.which(name, path=search_path())]:
        print(f"run.py: {' and '.join(missing)} not found: make test installs them, as does pip install pytest ruff")
        return 2
    folder = given.folder or Path(tempfile.mkdtemp(prefix="onbook-workflow-"))
    project, home = set_stage(folder)
    flags = ["--mode", given.mode, "--model-config", "default"]
    answers = [] if given.ask else [word for answer in ANSWERS for word in ("--answer", answer)]
    with ScriptedServer() as server:
        enter(Cast(server))
        name_model(home, server.openai_url)
        words = ["workflow", TASK, *flags, *answers]
        print(f"$ onbook {subprocess.list2cmdline(words)}", flush=True)
        code = subprocess.run([sys.executable, "-m", "onbook", *words], cwd=project, env=environment(home)).returncode  # noqa: S603
    print("$ git log --stat", flush=True)
    git(project, "--no-pager", "log", "--stat", "--format=%h %s (%D)")
    print(f"The project is in {project}")
    return code


def set_stage(folder: Path) -> tuple[Path, Path]:
    """The project as a repository with one commit, and an empty home beside it."""
    project, home = folder / "play", folder / "home"
    home.mkdir(parents=True)
    shutil.copytree(HERE / "project", project, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    git(project, "init", "-q")
    git(project, "config", "user.name", "Ada")
    git(project, "config", "user.email", "ada@example.org")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "Read a play")
    return project, home


def name_model(home: Path, url: str) -> None:
    """The user's settings name the scripted server as the model."""
    (home / "onbook.toml").write_text(
        f'model = "cast"\n\n[[routes]]\nname = "cast"\nurl = "{url}"\nmodel = "llama3:latest"\n'
    )


def environment(home: Path) -> dict[str, str]:
    """Nothing of this machine's settings; pytest and ruff of the Python that runs this."""
    folders = {f"ONBOOK_{kind}_DIR": str(home) for kind in ("CONFIG", "CACHE", "STATE")}
    return os.environ | folders | {"HOME": str(home), "PATH": search_path()}


def search_path() -> str:
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)  # noqa: S603, S607


if __name__ == "__main__":
    sys.exit(main())
