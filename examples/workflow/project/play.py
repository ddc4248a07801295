"""Reading a play: who says what."""


def speeches(text: str) -> list[tuple[str, str]]:
    """Every line that somebody says, as (character, words)."""
    lines = (line.partition(":") for line in text.splitlines() if ":" in line)
    return [(name.strip().upper(), words.strip()) for name, _, words in lines]
