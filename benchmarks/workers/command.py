"""onbook: one command, as from a shell, in a process that can say what it cost: the CPU time of onbook alone.

`command.py FILE ARGUMENT…` writes the seconds to the file. Programs that onbook starts are not in them.
"""

import sys
import time
from pathlib import Path

from onbook.__main__ import main

if __name__ == "__main__":
    file, *arguments = sys.argv[1:]
    sys.argv = ["onbook", *arguments]
    code = main()
    Path(file).write_text(str(time.process_time()))
    sys.exit(code)
