"""How often something is: the one small thing that is said everywhere."""


def counted(number: int, what: str) -> str:
    """`1 line`, `2,000 lines`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
