"""Skills for tests to find."""

from pathlib import Path


def write_skill(folder: Path, name: str, head: str = "", body: str = "Do it well.") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: About {name}.\n{head}\n---\n{body}\n")
    return path
