"""The way in. `--version` is answered before anything is imported; everything else goes to the command line."""

import sys

from onbook import __version__


def main() -> int:
    try:
        return _run()
    except KeyboardInterrupt:  # while the rest was being loaded: from there on, nobody lets it get here
        return 130


def _run() -> int:
    if sys.argv[1:] in (["--version"], ["-V"]) and None not in (sys.stdout, sys.stderr):
        return _say_version()
    from onbook.cli.app import run

    return run()


def _say_version() -> int:
    try:
        sys.stdout.write(f"onbook {__version__}\n")
        sys.stdout.flush()
    except OSError as error:
        from onbook.cli.streams import settle_streams

        sys.stderr.write(f"onbook: standard output: {error.strerror}\n")
        settle_streams()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
