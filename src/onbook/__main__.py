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

    code = run()
    if "asyncio" in sys.modules:  # without it there are no threads
        from onbook.cli.letting_go import end_in_spite_of_threads

        end_in_spite_of_threads(code)
    return code


def _say_version() -> int:
    try:
        sys.stdout.write(f"onbook {__version__}\n")
        sys.stdout.flush()
    except OSError as error:
        from onbook.cli.streams import settle_streams
        from onbook.terminal.reader import EXIT_CODE, READER

        left = READER.has_left(error)
        if not left:
            sys.stderr.write(f"onbook: standard output: {error.strerror}\n")
        settle_streams()
        return EXIT_CODE if left else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
