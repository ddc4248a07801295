"""How something ended, as a parenthetical has it."""


def in_words(outcome: str, error: str = "") -> str:
    """`below threshold`, `failed: there is no program make`."""
    words = outcome.replace("_", " ")
    return f"{words}: {error}" if error else words
