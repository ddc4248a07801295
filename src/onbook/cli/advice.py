"""Sentences of advice that several commands give."""


def install_extra(name: str) -> str:
    """How to get what an extra brings; onbook is on no package index."""
    return f"install onbook with its extra {name}: pip install '.[{name}]' in its clone"
