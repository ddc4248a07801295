"""onbook with less patience: `python -m tests.faults.hasty ask …` waits a second where onbook waits for minutes, and
thinks that an answer of a few MiB has no end. So a stalled or endless server is met in no time; what happens then is
onbook's own business. It has far more memory than it needs, and far less than a flood would fill.
"""

import resource
import sys

from onbook.models import http, retry, streaming

SILENCE = 1.0
LONGEST_ANSWER = 4 << 20
LONGEST_EVENT = 1 << 20
FIRST_PAUSE = 0.02
MOST_MEMORY = 700 << 20


def main() -> int:
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    patience = http.Wire.__init__.__kwdefaults__ or {}
    patience["silence"] = SILENCE
    streaming.LONGEST_ANSWER = LONGEST_ANSWER
    streaming.LONGEST_EVENT = LONGEST_EVENT
    retry.FIRST_PAUSE = FIRST_PAUSE
    from onbook.__main__ import main as onbook

    return onbook()


if __name__ == "__main__":
    sys.exit(main())
