"""What keys look like: for each shape, the pattern of a whole one and of one that is still arriving.

`KEYS` finds both: what must not be shown, and a tail that more text could turn into it (`is_tail`). The rule
that makes redacting in pieces exact: wherever more text could change what is found, a tail must match. So
every repeat has an upper bound, and a tail may be wider than its shape but never narrower. Text that is
followed by `NO_MORE` has no tails.

Shapes ask for enough that ordinary text stays: a left edge (`risk-`, `task-`), a length, and for loose shapes
a long run of letters and digits with a digit in it (`sk-learn-based-models`).
"""

import re
from collections.abc import Iterable

LOOK_BEHIND = 3
"""How many characters before a match a pattern may look at."""

NO_MORE = "\0"
"""A character that is part of no key."""


def is_tail(found: re.Match[str]) -> bool:
    """Whether a match of `KEYS` is not a key yet."""
    return any(found[group] is not None for group in _TAIL_GROUPS)


def _beginning(elements: str, then: str = "") -> str:
    """Matches any beginning of the blank-separated `elements`, or all of them and `then`."""
    *others, last = elements.split()
    pattern = f"{last}(?:{then})?" if then else last
    for element in reversed(others):
        pattern = f"{element}(?:{pattern})?"
    return pattern


def _one_of(names: Iterable[str]) -> str:
    return f"(?:{'|'.join(names).replace(' ', '')})"


def _arriving(names: Iterable[str], then: str) -> str:
    """Any beginning of one of the `names`, or a whole one and `then`."""
    return f"{_one_of(names)}{then}|{'|'.join(map(_beginning, names))}"


def _mixed(characters: str) -> str:
    """Somewhere ahead in the run: twelve letters and digits on end, with a digit among or soon after them."""
    return rf"(?=[{characters}]{{0,250}}?(?=[A-Za-z]{{0,40}}[0-9])[A-Za-z0-9]{{12}})"


_WORD = "[A-Za-z0-9_-]"
_MORE = f"{_WORD}{{0,4096}}+"

# Well-known prefixes, character by character, and what follows them. Tails allow any word character.
_PREFIXED = (
    ("g h [pousr] _", "[A-Za-z0-9]{20,4096}"),  # GitHub: personal, OAuth, user, server, refresh
    ("g i t h u b _ p a t _", "[A-Za-z0-9_]{20,4096}"),
    ("g l p a t -", f"{_WORD}{{20,4096}}"),  # GitLab
    ("g s k _", "[A-Za-z0-9]{20,4096}"),  # Groq
    ("h f _", "[A-Za-z0-9]{20,4096}"),  # Hugging Face
    ("A I z a", f"{_WORD}{{30,4096}}"),  # Google
    ("A [KS] I A", "[A-Z0-9]{16,4096}"),  # AWS
    ("n p m _", "[A-Za-z0-9]{30,4096}"),
    ("n v a p i -", f"{_WORD}{{30,4096}}"),  # NVIDIA
    ("p p l x -", "[A-Za-z0-9]{30,4096}"),  # Perplexity
    ("r 8 _", "[A-Za-z0-9]{30,4096}"),  # Replicate
    ("[sr] k _ l i v e _", "[A-Za-z0-9]{20,4096}"),  # Stripe
    ("x a i -", "[A-Za-z0-9]{30,4096}"),
    ("x o x [a-z] -", f"{_WORD}{{10,4096}}"),  # Slack
    # OpenAI `sk-…`, `sk-proj-…`, Anthropic `sk-ant-…`, OpenRouter `sk-or-…`, and the many that copy the form.
    ("s k -", f"{_mixed('A-Za-z0-9_-')}{_WORD}{{16,4096}}"),
)
_prefixed = "|".join(prefix.replace(" ", "") + rest for prefix, rest in _PREFIXED)
_prefixed_tail = _arriving([prefix for prefix, _ in _PREFIXED], _MORE)

_jwt = rf"eyJ{_WORD}{{8,4096}}\.eyJ{_WORD}{{4,4096}}(?:\.{_MORE})?"
_jwt_payload_tail = _beginning("e y J", rf"{_MORE}(?:\.{_MORE})?")
_jwt_tail = _beginning("e y J", rf"{_MORE}(?:\.(?:{_jwt_payload_tail})?)?")

_TOKEN = "[A-Za-z0-9._~+/=-]"  # noqa: S105 - characters, not a token
_bearer = (
    rf"(?P<bearer>[Bb](?i:earer)[ \t]{{1,4}})"
    rf"(?:(?={_TOKEN}{{0,200}}[0-9]){_TOKEN}{{16,4096}}|{_TOKEN}{{32,4096}})"
)
_token_tail = rf"[ \t]{{1,4}}{_TOKEN}{{0,4096}}+"
_bearer_tail = f"[Bb](?i:{_beginning('e a r e r', _token_tail)})?"

# `api_key = "…"`, `"token": "…"`. A name may stand after `_` or `-`: `OPENAI_API_KEY`, `client-secret`.
_VALUE = "A-Za-z0-9_+/=~.-"
_SET = r"""["']?[ \t]{0,3}[:=][ \t]{0,3}["']?"""
_SET_TAIL = rf"""["']?[ \t]{{0,3}}(?:[:=][ \t]{{0,3}}["']?[{_VALUE}]{{0,4096}}+)?"""
_LONG_VALUE = f"{_mixed(_VALUE)}[{_VALUE}]{{16,4096}}"
_NAMES = (
    *("a p i [_-]? k e y", "a c c e s s [_-]? k e y _ i d", "a c c e s s [_-]? k e y"),
    *(
        "s e c r e t [_-]? k e y",
        "s e c r e t",
        "p r i v a t e [_-]? k e y",
        "p a s s w o r d",
        "p a s s w d",
    ),
    "t o k e n",
)
_CAMEL_NAMES = (
    "A p i K e y",
    "A c c e s s K e y",
    "S e c r e t K e y",
    "S e c r e t",
    "P a s s w o r d",
    "T o k e n",
)
_assigned = rf"(?P<name>(?i:{_one_of(_NAMES)}){_SET}){_LONG_VALUE}"
_assigned_tail = f"(?i:{_arriving(_NAMES, _SET_TAIL)})"
_camel = rf"(?P<camel>{_one_of(_CAMEL_NAMES)}{_SET}){_LONG_VALUE}"
_camel_tail = _arriving(_CAMEL_NAMES, _SET_TAIL)

# `user:password` between `://` and `@`.
_url = r"""[^\s\0/@:"'<>`\\]{0,256}:[^\s\0/@"'<>`\\]{1,512}(?=@)"""
_url_tail = r"""[^\s\0/@"'<>`\\]{0,769}+"""

# A private key in PEM form, also inside a JSON string, also when its end was cut off.
_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BODY = r"(?:(?!-----)[A-Za-z0-9+/=\s\\,:.()-]){0,8000}"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment): [A-Za-z0-9+/=,:.() -]{0,200}"
_block = rf"{_BEGIN}(?:{_BODY}{_END}|(?:(?:\s|\\[nr])+(?:{_HEADER}|[A-Za-z0-9+/=]{{16,}}))+)"
_BEGIN_TAIL = _beginning("- - - - - B E G I N", " [A-Z0-9 -]{0,70}")
_block_tail = rf"{_BEGIN_TAIL}|{_BEGIN}{_BODY}(?:-----[A-Z0-9 -]{{0,75}})?"

_TAIL_GROUPS = ("url_tail", "word_tail", "camel_tail", "block_tail")
_SHAPES = (
    ("(?<=://)", _url_tail, _url),
    (
        "(?<![A-Za-z0-9])(?=[A-Zabeghnprstx])",
        f"{_prefixed_tail}|{_jwt_tail}|{_bearer_tail}|{_assigned_tail}",
        f"{_prefixed}|{_jwt}|{_bearer}|{_assigned}",
    ),
    ("(?<=[a-z])(?=[APST])", _camel_tail, _camel),
    ("(?=-)", _block_tail, _block),
)

KEYS = re.compile(
    "|".join(
        rf"{where}(?:(?P<{group}>(?:{tail})\Z)|{whole})"
        for group, (where, tail, whole) in zip(_TAIL_GROUPS, _SHAPES, strict=True)
    ),
    re.ASCII,
)
