"""A journal that stays open between the runs of a session, so that none of them waits for the disk."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


class Held:
    """Holds on to the journal from the first run to the end of the session: whoever closes it last moves its log into
    the file and syncs that, which takes longer than a step does."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None

    def hold(self, root: Path) -> None:
        """While a run has it open. It is no loss where that cannot be done."""
        import sqlite3

        from onbook.journal.schema import NAME
        from onbook.workspace.databases import database_path

        if self._database is None:
            try:
                self._database = sqlite3.connect(database_path(root, NAME), timeout=0)
                self._database.execute("SELECT 1 FROM runs LIMIT 1").fetchone()  # the file is opened only now
            except sqlite3.Error:
                self.let_go()

    def let_go(self) -> None:
        """The session is over."""
        if self._database is not None:
            self._database.close()
            self._database = None
