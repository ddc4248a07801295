"""onbook keeps AI models and scripts on book: checked at every cue, recorded as a screenplay."""

__version__ = "0.1.0"
