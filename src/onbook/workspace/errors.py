"""What can go wrong with files, as one line."""

from onbook.outcome import OnbookError


class WorkspaceError(OnbookError):
    """A file or folder that could not be made, written or locked.

    WorkspaceError
    └── NotWritable    the system refused: it knows why, for whoever was about to write something else there
    """


class NotWritable(WorkspaceError):
    """`why` are the system's own words."""

    def __init__(self, sentence: str, *, why: str) -> None:
        super().__init__(sentence)
        self.why = why
