"""The way in. `--version` is answered before anything is imported; everything else goes to the command line."""

import sys

from onbook import __version__


def main() -> int:
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"onbook {__version__}\n")
        return 0
    from onbook.cli.app import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
