"""How `/rag` finds passages."""

import msgspec

from onbook.config.checks import check_line


class RagSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the search in files uses besides the words themselves."""

    embeddings: str | None = None
    """The route or model that turns text into vectors; without it `/rag` searches by words alone."""

    def __post_init__(self) -> None:
        check_line("embeddings", self.embeddings)
