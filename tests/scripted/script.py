"""What the server will say: rules first, then the replies in order, then an echo."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from .faults import Answer, Times
from .replies import Reply
from .request import Request

Scripted = Answer | Times | Callable[[Request], Answer]
"""A line of the script: an answer, an answer several times, or a function that makes one from the request."""
Line = Answer | Callable[[Request], Answer]
When = str | Callable[[Request], bool]


def echo(request: Request) -> Reply:
    """What is said when nothing is scripted."""
    return Reply(f"You said: {request.said}")


@dataclass(frozen=True, slots=True)
class Rule:
    """`when` is a substring of the last message, or a predicate. The last answer of `then` stays for good."""

    when: When
    then: deque[Line]
    path: str | None

    def applies(self, request: Request) -> bool:
        if not (request.is_chat if self.path is None else request.path == self.path):
            return False
        return self.when in request.last if isinstance(self.when, str) else self.when(request)


class Script:
    """Shared by all connections: each answer in the queue is given once, whoever asks first."""

    def __init__(self, default: Scripted | None) -> None:
        self._lock = Lock()
        self._queue: deque[Line] = deque()
        self._rules: list[Rule] = []
        self._default: deque[Line] = deque(expanded([default or echo]))

    def add(self, answers: Iterable[Scripted]) -> None:
        with self._lock:
            self._queue.extend(expanded(answers))

    def add_rule(self, when: When, then: Scripted | Sequence[Scripted], path: str | None) -> None:
        lines = deque(expanded(then if isinstance(then, Sequence) else [then]))
        with self._lock:
            self._rules.append(Rule(when, lines, path))

    def clear(self) -> None:
        with self._lock:
            self._queue.clear()
            self._rules.clear()

    def unsaid(self) -> int:
        """How many queued replies nobody has asked for yet."""
        return len(self._queue)

    def ruled(self, request: Request) -> Answer | None:
        """The answer of the first rule that applies; the only way to script a path that is not a chat."""
        with self._lock:
            rules = list(self._rules)
        rule = next((rule for rule in rules if rule.applies(request)), None)
        if rule is None:
            return None
        with self._lock:
            line = _next(rule.then)
        return _said(line, request)

    def answer(self, request: Request) -> Answer:
        ruled = self.ruled(request)
        if ruled is not None:
            return ruled
        with self._lock:
            line = self._queue.popleft() if self._queue else _next(self._default)
        return _said(line, request)


def expanded(answers: Iterable[Scripted]) -> Iterable[Line]:
    for answer in answers:
        if isinstance(answer, Times):
            yield from [answer.answer] * answer.n
        else:
            yield answer


def _next(lines: deque[Line]) -> Line:
    return lines.popleft() if len(lines) > 1 else lines[0]


def _said(line: Line, request: Request) -> Answer:
    return line(request) if callable(line) else line
