"""How often something is, and how sure: the small things that are said everywhere."""


def counted(number: int, what: str) -> str:
    """`1 line`, `2,000 lines`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def compared(score: float, threshold: float) -> tuple[str, str]:
    """A score and its threshold with two decimals, or with as many as it takes to see on which side the score is."""
    for digits in range(2, 17):
        shown = f"{score:.{digits}f}", f"{threshold:.{digits}f}"
        if shown[0] != shown[1] or score == threshold:
            break
    return shown


def sureness(score: float, threshold: float | None) -> str:
    """`confidence: 0.91 — threshold met`, as the scenes of a pipeline have it (seed 1)."""
    if threshold is None:
        return f"confidence: {score:.2f}"
    shown, wanted = compared(score, threshold)
    return f"confidence: {shown} — {'threshold met' if score >= threshold else f'below threshold {wanted}'}"
