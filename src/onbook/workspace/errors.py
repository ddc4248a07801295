"""What can go wrong with files, as one line."""

from onbook.outcome import OnbookError


class WorkspaceError(OnbookError):
    """A file or folder that could not be made, written or locked."""
