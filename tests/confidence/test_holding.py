"""Nothing of a block is ever shown, however the stream is cut, and nothing else waits."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from onbook.confidence.blocks import read_blocks
from onbook.confidence.holding import Holder
from tests.confidence.reference import expected

BLOCK = '{"confidence": 0.9, "reason": "I {know} it \\"well\\""}'
NASTY = [
    BLOCK,
    '{"confidence": ".5"}',
    '{\n  "confidence": 1,\r\n  "reason": "\\u00e9\\n"\n}',
    '{"confidence": 0.7, "answer": [1, {"confidence": 0.2}]}',
    '{"reason": "none"}',
    '{"confidence": true}',
    '{"confidence": 1.5}',
    '{"confidence": NaN}',
    '{"confidence": 0.0-1.0, "reason": "one-line rationale"}',
    '{"a": 1}',
    '{"a": "\n"}',
    '{"confidence": 0.4',
    '{"confidence"',
    '{"conf',
    '", "reason": "x"}',
    "{}",
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ":",
    "---",
    "--",
    "***",
    "**",
    "```",
    "```json",
    "````",
    "``",
    "`",
    "~~~",
    "~~~~ json",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "  ",
    "\t",
    "\N{LINE SEPARATOR}",
    "word",
    "two words",
    "Grüße 🎭",
]
replies = st.lists(st.sampled_from(NASTY), max_size=12).map("".join)
lines = st.lists(st.lists(st.sampled_from(NASTY), max_size=2).map("".join), max_size=10).map("\n".join)


def shown(pieces: list[str]) -> list[str]:
    holder = Holder()
    return [*[holder.feed(piece) for piece in pieces], holder.end()]


@settings(max_examples=150, deadline=None)
@given(replies | lines)
@example(f"Here.\n\n---\n```json\n{BLOCK}\n```\n")
def test_the_reply_is_what_the_rule_says(reply: str) -> None:
    text, score = expected(reply)
    said = read_blocks(reply)
    assert (said.text, said.reading and said.reading.score) == (text, score)


@settings(max_examples=40, deadline=None)
@given(replies | lines)
@example(f"Here.\n\n---\n```json\n{BLOCK}\n```\n")
@example(f"{BLOCK}\none\n---\n{BLOCK}\n```\n{BLOCK}\n")
def test_a_stream_cut_anywhere_shows_the_same(reply: str) -> None:
    text = expected(reply)[0]
    assert "".join(shown(list(reply))) == text
    for cut in range(len(reply) + 1):
        assert "".join(shown([reply[:cut], reply[cut:]])) == text


@settings(max_examples=100, deadline=None)
@given(lines, st.data())
def test_a_stream_cut_in_many_places_shows_the_same(reply: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=20)))
    pieces = [reply[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert "".join(shown(pieces)) == expected(reply)[0]


@given(st.lists(st.text("abc,.!()é `*-~_:\"'}\n", min_size=1), max_size=20))
def test_ordinary_text_comes_out_at_once_but_for_white_space_and_marks_that_begin_a_line(pieces: list[str]) -> None:
    holder, given_so_far, out = Holder(), "", ""
    for piece in pieces:
        given_so_far += piece
        out += holder.feed(piece)
        waiting = given_so_far[len(out) :]
        assert all(not line.strip() or line.strip()[0] in "`~-*_" for line in waiting.split("\n"))


def test_each_word_of_prose_is_given_back_as_it_came() -> None:
    words = ["The", " answer", " is", " 42", ",", " of", " course", "."]
    assert shown(words) == [*words, ""]


def test_code_and_other_objects_do_not_wait_for_their_end() -> None:
    assert shown(["int main() {", "\n  return 0;", "\n}"])[1] == " {\n  return 0;"
    assert shown(["See ", '{"name": "a', 'b", ', '"x": 1'])[1:3] == [' {"name": "a', 'b",']


def test_a_block_is_shown_once_it_can_be_none() -> None:
    pieces = ["Hello.\n", '{"confidence": 0.9}\n', "one\n", "two\n", "three"]
    assert shown(pieces) == ["Hello.", "", "", "", '\n{"confidence": 0.9}\none\ntwo\nthree', ""]


def test_what_is_held_back_has_a_bound() -> None:
    holder = Holder()
    assert holder.feed('Hi. {"confidence": 0.9, "reason": "') == "Hi."
    assert holder.feed("x" * 9_000).startswith(' {"confidence": 0.9, "reason": "xxx')
    assert holder.feed("xxx") == "xxx"


def test_a_long_tail_and_endless_space_have_the_same_bound() -> None:
    long_line = '{"confidence": 0.9}\n' + "x" * 9_000
    assert "".join(shown(list(long_line))) == read_blocks(long_line).text == long_line
    newlines = "Hi." + "\n" * 20_000
    assert "".join(shown(list(newlines))) == newlines
    far = f"Hi.\n---{' ' * 9_000}\n{BLOCK}"
    assert "".join(shown(list(far))) == read_blocks(far).text
