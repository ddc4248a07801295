"""The locator finds the line of any key in any TOML that tomllib can read."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.locate import KeyPath, line_of

SAMPLE = '''\
# model = "not here"
model = "a"
notes = """
role = "nor here"
[[routes]]
""" # agent_name = 1
'quoted key' = 1
"esc\\u0061ped" = 2

[[routes]]
name = "one"   # url = "x"
url = "ollama://a"

'''

SAMPLE += """\
[[routes]]
name = 'two [[routes]] # '
a.b . "c d".e = 3
inline = { x = 1, y = { z = [1, { w = 2 }] } }
list = [
  1, # ]
  "]",
  [ 2,
    3 ],
  { k = 4 },
]
[routes.extra]
deep = 1
[table.sub]
key = 1979-05-27T07:32:00Z
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("model",), 2),
        (("notes",), 3),
        (("role",), None),
        (("agent_name",), None),
        (("quoted key",), 7),
        (("escaped",), 8),
        (("routes",), 10),
        (("routes", 0), 10),
        (("routes", 0, "name"), 11),
        (("routes", 0, "url"), 12),
        (("routes", 1), 14),
        (("routes", 1, "name"), 15),
        (("routes", 1, "a", "b", "c d", "e"), 16),
        (("routes", 1, "inline", "y", "z", 1, "w"), 17),
        (("routes", 1, "list", 1), 20),
        (("routes", 1, "list", 2, 1), 22),
        (("routes", 1, "list", 3, "k"), 23),
        (("routes", 1, "extra", "deep"), 26),
        (("table",), 27),
        (("table", "sub", "key"), 28),
        (("routes", 1, "url"), 14),  # not there: the table it should be in
    ],
)
def test_each_key_of_the_sample_is_found(path: KeyPath, line: int | None) -> None:
    tomllib.loads(SAMPLE)
    assert line_of(SAMPLE, path) == line


@pytest.mark.parametrize(
    "text", ["", "=", "a", "a = ", "[", "[[a]", 'a = "', "a = [1, {", '"a', "\x00", "a = [" * 3000]
)
def test_text_that_is_not_toml_does_no_harm(text: str) -> None:
    line_of(text, ("a", "b"))


def test_lines_are_counted_the_same_with_windows_line_ends() -> None:
    assert line_of(SAMPLE.replace("\n", "\r\n"), ("routes", 1, "list", 3, "k")) == 23


# A text is built with a different number as every value; where tomllib finds a number at some path, the locator
# must find the line that number stands on. The generator knows nothing of paths.
_KEY = st.sampled_from(["a", "b", "routes", "a-b", '"q. #=["', "'l]\"'", '"\\u00e9\\""'])
_DOTTED = st.lists(_KEY, min_size=1, max_size=3).map(" . ".join)
_NOISE = st.sampled_from(
    [
        "",
        "# a = 1",
        "   # [routes]",
        'n{} = """\na = 5\n[a]\n\\""" b = 6 """',
        "n{} = '''\n[[routes]]\nb = 7'''",
        "n{} = \"''' a = 1\"",
        'n{} = \'""" b = 1\'',
        'n{} = """"quoted"""" # """',
        "n{} = 1.5e3",
        "n{} = true",
    ]
)
_VALUE: st.SearchStrategy[Any] = st.recursive(
    st.just("N"),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[ # ]\n" + ",\n".join(items) + "\n]"),
        st.dictionaries(_KEY, inner, max_size=3).map(
            lambda d: "{ " + ", ".join(f"{k} = {v}" for k, v in d.items()) + " }"
        ),
    ),
    max_leaves=5,
)
_STATEMENT = st.one_of(
    _NOISE,
    st.builds("{} = {}".format, _DOTTED, _VALUE),
    st.builds("[{}]".format, _DOTTED),
    st.builds("[[ {} ]]".format, _DOTTED),
)


@given(st.lists(_STATEMENT, max_size=12))
def test_every_number_is_found_on_the_line_it_stands_on(statements: list[str]) -> None:
    text = ""
    count = 0
    for statement in statements:
        attempt = statement.replace("n{}", f"noise{count}")
        while "N" in attempt:
            count += 1
            attempt = attempt.replace("N", str(70_000 + count), 1)
        count += 1
        try:
            tomllib.loads(text + attempt + "\n")
        except tomllib.TOMLDecodeError:
            continue
        text += attempt + "\n"
    for path, value in _numbers(tomllib.loads(text)):
        line = line_of(text, path)
        assert line is not None
        shown = text.split("\n")[line - 1]
        assert str(value) in shown, (text, path, line)


def _numbers(value: Any, path: KeyPath = ()) -> list[tuple[KeyPath, int]]:
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in _numbers(inner, (*path, key))]
    if isinstance(value, list):
        return [found for index, inner in enumerate(value) for found in _numbers(inner, (*path, index))]
    return [(path, value)] if isinstance(value, int) and value > 70_000 else []


@given(st.text(alphabet="ab\"'=[]{}.,#\n\\ 1", max_size=60))
def test_any_text_at_all_gets_a_line_or_nothing(text: str) -> None:
    line = line_of(text, ("a", 0, "b"))
    assert line is None or 1 <= line <= text.count("\n") + 1
