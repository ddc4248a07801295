"""What the tools of servers are called: `SERVER_TOOL`, in letters that every provider takes."""

import hashlib
import re
from collections.abc import Container

LONGEST = 64


def tool_name(server: str, tool: str, taken: Container[str]) -> str:
    """The tool's name for models; with a few digits of a hash where it is too long or means something else already."""
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", f"{server}_{tool}")
    if len(plain) <= LONGEST and plain not in taken:
        return plain
    count = 0
    while True:
        digits = hashlib.sha256(f"{server}/{tool}/{count}".encode("utf-8", "backslashreplace")).hexdigest()[:8]
        name = f"{plain[: LONGEST - 9]}_{digits}"
        if name not in taken:
            return name
        count += 1
