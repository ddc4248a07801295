"""The scripted model server: a real socket on the loopback, a thread for each connection, nothing else."""

import socket
from collections.abc import Iterable, Mapping, Sequence
from threading import Condition, Event, Thread
from typing import Self

from .connection import ClientLeftError, Connection, HangUpError
from .delivery import deliver, send_status
from .faults import Status
from .listings import Catalogue
from .request import Request
from .routes import SPEAKS, chat_wire, error_wire, listing, unknown_model
from .script import Script, Scripted, When


class ScriptedServer:
    """`with ScriptedServer() as server:` serves until the block ends."""

    def __init__(
        self,
        *,
        models: Sequence[str] = ("llama3:latest",),
        context: Mapping[str, int] | None = None,
        num_ctx: Mapping[str, int] | None = None,
        context_field: str | None = None,
        speaks: Iterable[str] = SPEAKS,
        listing: bool = True,
        strict_models: bool = False,
        api_key: str | None = None,
        default: Scripted | None = None,
        port: int = 0,
    ) -> None:
        self._catalogue = Catalogue(tuple(models), context or {}, num_ctx or {}, context_field)
        self._speaks = frozenset(speaks)
        self._lists = listing
        self._strict_models = strict_models
        self._api_key = api_key
        self._script = Script(default)
        self._port = port
        self._changed = Condition()
        self._requests: list[Request] = []
        self._abandoned: list[Request] = []
        self._connections: dict[Connection, Thread] = {}
        self._listener: socket.socket | None = None
        self._accepting: Thread | None = None
        self._stopping = Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def start(self) -> None:
        """Starts serving; after a stop, on the same port and with the script where it was."""
        listener = socket.create_server(("127.0.0.1", self._port), backlog=256)
        self._port = listener.getsockname()[1]
        self._listener, self._stopping = listener, Event()
        self._accepting = Thread(
            target=self._accept, args=(listener, self._stopping), name=f"scripted:{self._port}", daemon=True
        )
        self._accepting.start()

    def stop(self) -> None:
        """Pulls the plug: the port is refused, every connection is cut, every thread has ended."""
        if self._listener is None or self._accepting is None:
            return
        self._stopping.set()
        try:  # a closed listener does not wake its accept everywhere; a caller does
            socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
        except OSError:
            pass
        self._accepting.join(5)
        self._listener.close()
        self._listener = self._accepting = None
        with self._changed:
            open_ones = list(self._connections.items())
        for connection, _ in open_ones:
            connection.shut_down()
        for _, thread in open_ones:
            thread.join(5)

    def replies(self, *answers: Scripted) -> None:
        """Says these in order, one for each chat request that no rule answers."""
        self._script.add(answers)

    def rule(self, when: When, then: Scripted | Sequence[Scripted], *, path: str | None = None) -> None:
        """Answers chat requests whose last message holds `when`, or for which it is true, before any reply.

        Several answers are given in order and the last one stays. With a `path`, it is about requests there.
        """
        self._script.add_rule(when, then, path)

    def clear(self) -> None:
        """Forgets the replies and rules; the requests stay."""
        self._script.clear()

    @property
    def unsaid(self) -> int:
        return self._script.unsaid()

    @property
    def requests(self) -> list[Request]:
        """Everything received so far, oldest first."""
        with self._changed:
            return list(self._requests)

    @property
    def chats(self) -> list[Request]:
        """The requests to a model, without the listings."""
        return [request for request in self.requests if request.is_chat]

    @property
    def abandoned(self) -> list[Request]:
        """The requests whose client hung up before the answer was complete."""
        with self._changed:
            return list(self._abandoned)

    def wait_for_requests(self, count: int = 1, timeout: float = 5.0) -> bool:
        """Blocks until so many requests have come. In async tests: `await asyncio.to_thread(…)`."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._requests) >= count, timeout)

    def wait_for_disconnect(self, timeout: float = 5.0, count: int = 1) -> bool:
        """Blocks until so many clients have hung up on an unfinished answer."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._abandoned) >= count, timeout)

    @property
    def port(self) -> int:
        return self._port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def ollama_url(self) -> str:
        return f"ollama://127.0.0.1:{self._port}"

    @property
    def anthropic_url(self) -> str:
        return self.url

    def _accept(self, listener: socket.socket, stopping: Event) -> None:
        while True:
            sock, _ = listener.accept()
            if stopping.is_set():
                sock.close()
                return
            connection = Connection(sock, stopping)
            thread = Thread(target=self._serve, args=(connection,), daemon=True)
            with self._changed:
                self._connections[connection] = thread
            thread.start()

    def _serve(self, connection: Connection) -> None:
        reset = False
        request: Request | None = None
        try:
            while request := connection.read_request():
                with self._changed:
                    self._requests.append(request)
                    self._changed.notify_all()
                self._answer(request, connection)
                if request.headers.get("connection", "").lower() == "close":
                    break
        except HangUpError as wanted:
            reset = wanted.reset
        except ClientLeftError:
            with self._changed:
                self._abandoned.extend([request] if request else [])
                self._changed.notify_all()
        finally:
            connection.close(reset=reset)
            with self._changed:
                self._connections.pop(connection, None)

    def _answer(self, request: Request, connection: Connection) -> None:
        wire = chat_wire(request, self._speaks)
        complaint = wire or error_wire(request)
        if self._api_key is not None and request.key != self._api_key:
            send_status(complaint.unauthorized(), connection)
        elif wire is None:
            self._answer_listing(request, connection)
        elif not isinstance(request.body, dict):
            send_status(_bad_request("the body of a chat request is a JSON object"), connection)
        elif self._strict_models and self._catalogue.named(request.model) is None:
            send_status(unknown_model(request, wire, self._speaks), connection)
        else:
            deliver(self._script.answer(request), request, wire, connection)

    def _answer_listing(self, request: Request, connection: Connection) -> None:
        ruled = self._script.ruled(request)
        found = listing(request, self._speaks) if self._lists else None
        if ruled is not None:
            deliver(ruled, request, error_wire(request), connection)
        elif found is not None:
            send_status(found(self._catalogue, request), connection)
        else:
            send_status(_not_found(request), connection)


def _bad_request(message: str) -> Status:
    return Status(400, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}})


def _not_found(request: Request) -> Status:
    message = f"Invalid URL ({request.method} {request.path})"
    return Status(404, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}})
