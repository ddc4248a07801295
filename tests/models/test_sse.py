"""Server-sent events come out whole wherever the bytes were cut."""

import json

from hypothesis import given
from hypothesis import strategies as st

from onbook.models.sse import EventStream

lines = st.text().map(lambda text: json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
endings = st.sampled_from([b"\n", b"\r\n"])


def cut(data: bytes, at: list[int]) -> list[bytes]:
    places = sorted({place % (len(data) + 1) for place in at})
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


def read(chunks: list[bytes]) -> list[bytes]:
    stream = EventStream()
    return [event for chunk in chunks for event in stream.feed(chunk)] + stream.flush()


@given(st.lists(lines), endings, st.lists(st.integers(min_value=0)))
def test_every_event_is_read_whatever_the_boundaries(data: list[bytes], end: bytes, at: list[int]) -> None:
    body = b"".join(b"event: x" + end + b"data: " + line + end + end for line in data)
    assert read(cut(body, at)) == data


@given(st.lists(lines, min_size=1), endings)
def test_every_event_is_read_when_each_byte_comes_alone(data: list[bytes], end: bytes) -> None:
    body = b"".join(b"data:" + line + end + end for line in data)
    assert read([body[place : place + 1] for place in range(len(body))]) == data


def test_comments_names_and_ids_are_no_events() -> None:
    assert read([b": keep-alive\n\nid: 7\nevent: ping\nretry: 10\n\n"]) == []


def test_a_comment_between_two_lines_of_data_leaves_them_one_event() -> None:
    assert read([b"data: [1,\n: still here\ndata: 2]\n\n"]) == [b"[1,\n2]"]


def test_an_event_without_its_closing_blank_line_is_read_at_the_end() -> None:
    assert read([b"data: {}"]) == [b"{}"]


def test_an_event_is_handed_out_as_soon_as_it_is_complete() -> None:
    assert EventStream().feed(b"data: 1\n\ndata: 2") == [b"1"]
