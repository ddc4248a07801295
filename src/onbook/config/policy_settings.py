"""What models may do: safe mode, permissions by folder, programs, the sandbox and the limits of processes."""

from typing import Annotated, Literal

import msgspec

from onbook.config.errors import BadValueError

Answer = Literal["allow", "ask", "deny"]
Action = Literal["read", "write", "run", "delete"]
SandboxChoice = Literal["auto", "on", "off"]


class Permission(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What models may do below one folder; what is left out follows from the folder above."""

    path: str
    """A folder or file, relative to the workspace; `.` is the whole workspace."""
    read: Answer | None = None
    """Reading files, also by programs."""
    write: Answer | None = None
    """Making and changing files."""
    run: Answer | None = None
    """Starting programs that lie there; for `.`, all programs."""
    delete: Answer | None = None
    """Removing files."""

    def __post_init__(self) -> None:
        if not self.path.strip() or not self.path.isprintable():
            raise BadValueError("must be one line of text, and not empty; the whole workspace is .", key="path")
        if self.path.startswith(("/", "~")) or ".." in self.path.split("/"):
            raise BadValueError("must lie in the workspace: no /, ~ or .. at its beginning or between", key="path")

    @property
    def parts(self) -> tuple[str, ...]:
        """The path as names, none for the whole workspace."""
        return tuple(part for part in self.path.split("/") if part not in ("", "."))


class PolicySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of the door. What a person types is consent; these are for what models ask for."""

    safe_mode: bool = True
    """Only known programs, and those without their dangerous options."""
    permissions: tuple[Permission, ...] = ()
    """Rules by folder; the longest path that fits decides."""
    programs: tuple[str, ...] = ()
    """Programs that safe mode allows besides its own, with any options; paths stay fenced."""
    sandbox: SandboxChoice = "auto"
    """Whether programs that models start run inside bubblewrap; `auto` is where it works."""
    timeout: Annotated[float, msgspec.Meta(gt=0, le=86400)] = 120.0
    """Seconds after which a program that a model started is stopped."""
    output_limit: Annotated[int, msgspec.Meta(ge=1024, le=1 << 30)] = 200_000
    """Bytes of a program's output that are kept."""

    def __post_init__(self) -> None:
        for index, program in enumerate(self.programs):
            if not program.strip() or not program.isprintable() or program != program.strip():
                raise BadValueError("must be the name of a program, without arguments", key=f"programs[{index}]")
