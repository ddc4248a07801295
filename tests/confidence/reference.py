"""The rule of confidence blocks once more, naively: over the whole reply, without a thought of pieces or of speed."""

import json
import re
from typing import Any, NamedTuple


class Item(NamedTuple):
    kind: str  # text, rule, fence, close, block, object
    start: int
    end: int
    score: float | None = None


def expected(reply: str) -> tuple[str, float | None]:
    """The reply without its blocks, and the score."""
    items = list(_items(reply))
    for at, item in enumerate(items):
        if item.kind == "block":
            rest = items[_lead(items, at) :]
            if _ends_the_reply(reply, rest, rest.index(item)):
                blocks = [each for each in rest if each.kind == "block"]
                return _without(reply, items, _gone(rest)), blocks[-1].score
    objects = [at for at, item in enumerate(items) if item.kind in ("block", "object")]
    if objects and items[objects[-1]].kind == "object":
        after = items[objects[-1] + 1 :]
        if after and after[0].kind == "close":
            after = after[1:]
        if len(_lines(reply, after)) <= 2:
            return reply, items[objects[-1]].score
    return reply, None


def _items(reply: str) -> Any:
    at, fence = 0, ""
    while at < len(reply):
        before = reply[reply.rfind("\n", 0, at) + 1 : at]
        line = reply[at:].split("\n", 1)[0].rstrip()
        if reply[at].isspace():
            at += 1
        elif not before.strip() and re.fullmatch(r"-{3,}|\*{3,}|_{3,}", line):
            yield Item("rule", at, at + len(line))
            at += len(line)
        elif not before.strip() and (marks := re.fullmatch(r"(`{3,})[^`]*|(~{3,}).*", line)):
            opening = marks[1] or re.match("~+", line)[0]  # type: ignore[index]
            kind = "fence"
            if fence and not (opening[0] == fence[0] and len(opening) >= len(fence)):
                kind = "text"
            elif fence and opening == line:
                kind, fence = "close", ""
            else:
                fence = opening
            yield Item(kind, at, at + len(line))
            at += len(line)
        elif reply[at] == "{":
            end, whole = _json_end(reply, at)
            after = reply[end:].split("\n", 1)[0]
            if whole and (not before.strip() or not after.strip()):
                yield from _object(reply, at, end)
            else:
                yield from (Item("text", here, here + 1) for here in range(at, end) if not reply[here].isspace())
            at = end
        else:
            yield Item("text", at, at + 1)
            at += 1


def _object(reply: str, start: int, end: int) -> Any:
    values = json.loads(reply[start:end])
    score = values.get("confidence")
    if isinstance(score, str):
        score = float(score) if re.fullmatch(r"[0-9]*\.?[0-9]+", score) else None
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        score = None
    if score is not None and set(values) <= {"confidence", "reason"}:
        yield Item("block", start, end, score)
        return
    yield from (Item("text", here, here + 1) for here in range(start, end) if not reply[here].isspace())
    yield Item("object", end, end, score)


def _lead(items: list[Item], at: int) -> int:
    if at and items[at - 1].kind == "fence":
        at -= 1
    if at and items[at - 1].kind == "rule":
        at -= 1
    return at


def _lines(reply: str, items: list[Item]) -> set[int]:
    return {reply.count("\n", 0, item.start) for item in items if item.kind != "object"}


def _ends_the_reply(reply: str, rest: list[Item], block: int) -> bool:
    if any(item.kind == "object" for item in rest[block:]):
        return False
    parts = {
        at for index, item in enumerate(rest) if item.kind == "block" for at in range(_lead(rest, index), index + 1)
    }
    parts |= {at for at, item in enumerate(rest) if item.kind == "close" and _opened_at(rest, at) is not None}
    return len(_lines(reply, [item for at, item in enumerate(rest) if at > block and at not in parts])) <= 2


def _opened_at(rest: list[Item], close: int) -> int | None:
    """The fence that this one closes, if there are only blocks in it."""
    at = close - 1
    while at >= 0 and rest[at].kind == "block":
        at -= 1
    return at if 0 <= at < close - 1 and rest[at].kind == "fence" else None


def _gone(rest: list[Item]) -> set[Item]:
    gone = set()
    for at, item in enumerate(rest):
        if item.kind == "block":
            lead = rest[_lead(rest, at) : at]
            closes = [index for index in range(at, len(rest)) if rest[index].kind == "close"]
            opened = _opened_at(rest, closes[0]) if closes else None
            gone.add(item)
            if lead and lead[-1].kind == "fence" and closes:
                if opened == at - 1:
                    gone |= {*lead, rest[closes[0]]}
            else:
                gone |= set(lead)
    return gone


def _without(reply: str, items: list[Item], gone: set[Item]) -> str:
    out, last, gaps, cut = "", 0, [], False
    for item in items:
        gaps.append(reply[last : item.start])
        last = item.end
        if item in gone:
            cut = True
            continue
        if not cut:
            out += "".join(gaps)
        elif out:
            most = max(gap.count("\n") for gap in gaps)
            out += [gap for gap in gaps if gap.count("\n") == most and (most or gap)][-1] if any(gaps) else ""
        out += reply[item.start : item.end]
        gaps, cut = [], False
    return out if cut else out + reply[last:]


class _Broken(Exception):
    pass


def _json_end(text: str, at: int) -> tuple[int, bool]:
    """Where the object ends; or, with False, where it stops being one."""
    reader = _Reader(text, at)
    try:
        reader.value()
    except (_Broken, IndexError):
        return max(reader.at, at + 1), False
    return reader.at, True


class _Reader:
    """JSON by recursive descent."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at

    def peek(self) -> str:
        while self.text[self.at] in " \t\n\r":
            self.at += 1
        return self.text[self.at]

    def need(self, mark: str) -> None:
        if self.peek() != mark:
            raise _Broken
        self.at += 1

    def value(self) -> None:
        mark = self.peek()
        if mark == "{":
            self.members("}", self.pair)
        elif mark == "[":
            self.members("]", self.value)
        elif mark == '"':
            self.string()
        else:
            token = re.compile(r"[-+.0-9A-Za-z]*").match(self.text, self.at)
            assert token is not None
            self.at = token.end()
            if not token[0] or self.at == len(self.text):
                raise _Broken
            try:
                json.loads(token[0], parse_constant=lambda _name: 1 / 0)
            except (ValueError, ZeroDivisionError):
                raise _Broken from None

    def members(self, end: str, one: Any) -> None:
        self.at += 1
        if self.peek() == end:
            self.at += 1
            return
        one()
        while self.peek() == ",":
            self.at += 1
            one()
        self.need(end)

    def pair(self) -> None:
        if self.peek() != '"':
            raise _Broken
        self.string()
        self.need(":")
        self.value()

    def string(self) -> None:
        self.at += 1
        while (mark := self.text[self.at]) != '"':
            if ord(mark) < 0x20:
                raise _Broken
            self.at += 1
            if mark == "\\":
                escape = self.text[self.at]
                if escape not in '"\\/bfnrtu':
                    raise _Broken
                self.at += 1
                for _ in range(4 if escape == "u" else 0):
                    if self.text[self.at] not in "0123456789abcdefABCDEF":
                        raise _Broken
                    self.at += 1
        self.at += 1
