"""A task's name for folders and branches."""

import hashlib
import re

from onbook.policy.names import is_device_name
from onbook.workflow.files.paths import RESERVED

LONGEST = 50


def slug_of(task: str) -> str:
    """Small ASCII letters, digits, `_` and `-`, 50 at most; a hash where the task leaves nothing that may be a name."""
    from slugify import slugify

    plain = re.sub(r"[^\w\s-]+", "", task)
    slug: str = slugify(plain, max_length=LONGEST, regex_pattern=r"[^-a-z0-9_]+").strip("-_")
    if not slug or slug in RESERVED or is_device_name(slug):
        return f"task-{hashlib.sha256(task.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return slug


def with_suffix(slug: str, number: int) -> str:
    """`add-login-2`: the next name where one is taken, as long as any may be."""
    end = f"-{number}"
    return slug[: LONGEST - len(end)].rstrip("-_") + end
