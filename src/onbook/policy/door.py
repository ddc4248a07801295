"""The one door: every effect, whoever asks for it, is decided, asked about and written down here, then done here.

request()   decides, asks if it must, writes the audit line, and raises Denied or lets pass
the hands   read, write, delete, entries, run, connect: each goes through request() first
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from onbook.config.policy_settings import PolicySettings
from onbook.outcome import OnbookError
from onbook.policy.arguments import Refusal
from onbook.policy.audit import Audit
from onbook.policy.decide import Verdict, decide, is_named_outside, typed_path
from onbook.policy.effects import By, Connect, Delete, Effect, Read, Run, Write, describe
from onbook.policy.grants import Grants, check_allow, is_covered, scope_of
from onbook.policy.hands import Entry, delete_file, read_anywhere, read_bytes, write_bytes
from onbook.policy.listing import MOST_ENTRIES, walk
from onbook.policy.paths import PathRefused, Place, resolve
from onbook.policy.process import Ran, run_process
from onbook.policy.safe_mode import hardened, hardened_environment
from onbook.policy.sandbox import SandboxMissing, sandboxed
from onbook.policy.secrets import redact, without_keys
from onbook.policy.undo import Undo

Answer = Literal["once", "session", "always", "no"]


class Asker(Protocol):
    """Somebody who can be asked."""

    async def ask(self, effect: Effect, reason: str) -> Answer:
        """Whether a model may do this; "no" is the answer of whoever just presses Enter."""
        ...


class Denied(OnbookError):
    """An effect that was refused: what, why, and which setting would allow it, in one line."""

    def __init__(self, effect: Effect, reason: str, setting: str = "") -> None:
        self.effect = effect
        self.reason = reason
        self.setting = setting
        sentence = f"refused to {describe(effect)}: {reason}"
        super().__init__(redact(f"{sentence} ({setting})" if setting else sentence))


class Door:
    """The door of one workspace."""

    def __init__(
        self,
        root: Path,
        rules: PolicySettings,
        *,
        audit: Audit,
        asker: Asker | None = None,
        allow: frozenset[str] = frozenset(),
        grants: Grants | None = None,
        environ: Mapping[str, str] | None = None,
        key_names: Iterable[str] = (),
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.root = root.resolve()
        self.rules = rules
        self.audit = audit
        self.asker = asker
        self.undo = Undo(self.root)
        self.turn = new_turn()
        self._allow = check_allow(allow)
        self._grants = grants
        self._session: set[str] = set()
        self._environ = os.environ if environ is None else environ
        self._key_names = tuple(key_names)
        self._say = say
        self._asking = asyncio.Lock()
        self._writing = asyncio.Lock()

    def begin_turn(self, turn: str | None = None) -> str:
        """From now on, changes belong to this turn: `undo` takes back one turn."""
        self.turn = turn or new_turn()
        return self.turn

    async def request(self, effect: Effect, by: By) -> None:
        """Let the effect pass, or raise Denied. Nothing passes without its line in the audit log."""
        await self._settle(effect, by, await asyncio.to_thread(self._decide, effect, by))

    async def read(self, path: str, *, by: By, limit: int | None = None) -> bytes:
        """The first `limit` bytes of a file. Ask for one more than you show to learn whether there was more."""
        effect = Read(path)
        place = await self._pass(effect, by)
        return await self._done(effect, _read, self.root, place, path, limit)

    async def write(self, path: str, data: bytes, *, by: By) -> None:
        """Make or replace a file in one step; the earlier bytes are kept for undo."""
        effect = Write(path, len(data))
        place = await self._pass(effect, by)
        async with self._writing:
            await self._done(effect, self._write, place, data)

    async def delete(self, path: str, *, by: By) -> None:
        """Remove a file; its bytes are kept for undo."""
        effect = Delete(path)
        place = await self._pass(effect, by)
        async with self._writing:
            await self._done(effect, self._write, place, None)

    async def entries(self, path: str = ".", *, by: By, depth: int = 1, most: int = MOST_ENTRIES) -> tuple[Entry, ...]:
        """What lies in a folder, `depth` levels down; ignored folders are named and not entered."""
        effect = Read(path)
        place = await self._pass(effect, by)
        if place is None:
            raise Denied(effect, "only folders of the workspace are listed")
        try:
            return await walk(self.root, place.parts, depth=depth, most=most, environ=self._clean_environ())
        except PathRefused as error:
            raise Denied(effect, f"it {error}") from None

    async def run(
        self,
        effect: Run,
        *,
        by: By,
        timeout: float | None = None,  # noqa: ASYNC109 - running out of time is an answer here, not an error
        output_limit: int | None = None,
        stdin: bytes = b"",
        on_output: Callable[[bytes], None] | None = None,
    ) -> Ran:
        """Run a program in the workspace to its end, or to its limits: by default those of the settings, but what a
        person typed has all the time they give it."""
        await self.request(effect, by)
        try:
            argv, environ = await asyncio.to_thread(self._command, effect, by)
        except (Refusal, SandboxMissing) as refusal:
            raise Denied(effect, str(refusal)) from None
        return await run_process(
            argv,
            cwd=self.root,
            environ=environ,
            timeout=self.rules.timeout if timeout is None and by == "model" else timeout,
            output_limit=output_limit or self.rules.output_limit,
            stdin=stdin,
            on_output=on_output,
        )

    async def connect(self, url: str, *, by: By) -> None:
        """Ask to talk to a host; who asked may then do so, to that host only."""
        await self.request(Connect(url), by)

    async def _pass(self, effect: Read | Write | Delete, by: By) -> Place | None:
        """Request the effect for the place it really means; None for a person's path outside the workspace."""
        place, asked, verdict = await asyncio.to_thread(self._decide_place, effect, by)
        await self._settle(asked, by, verdict)
        if place is None and (by == "model" or not is_named_outside(self.root, effect.path)):
            raise Denied(effect, "it changed while it was looked at")
        return place

    def _decide_place(self, effect: Read | Write | Delete, by: By) -> tuple[Place | None, Effect, Verdict]:
        try:
            place = resolve(self.root, effect.path)
        except PathRefused:
            return None, effect, self._decide(effect, by)
        # The decision is about the real place, so a link that is swapped afterwards changes nothing.
        text = f"./{place.text}" if place.text.startswith("~") else place.text
        real = msgspec.structs.replace(effect, path=text)
        return place, real, self._decide(real, by)

    def _decide(self, effect: Effect, by: By) -> Verdict:
        """The verdict; written down at once unless somebody has to be asked first."""
        verdict = decide(effect, by, self.rules, self.root)
        if verdict.kind != "ask":
            self.audit.append(effect, by, verdict.kind, verdict.reason, self.turn)
        return verdict

    async def _settle(self, effect: Effect, by: By, verdict: Verdict) -> None:
        if verdict.kind == "ask":
            await self._ask(effect, by, verdict)
        elif verdict.kind == "deny":
            raise Denied(effect, verdict.reason, verdict.setting)
        if verdict.notice and self._say is not None:
            self._say(redact(verdict.notice))

    async def _done(self, effect: Effect, do: Callable[..., bytes], *arguments: object) -> bytes:
        try:
            return await asyncio.to_thread(do, *arguments)
        except PathRefused as error:
            raise Denied(effect, f"it {error}") from None

    def _write(self, place: Place | None, data: bytes | None) -> bytes:
        if place is None:
            raise PathRefused("lies outside the workspace")
        self.undo.keep(self.turn, place.parts, data)
        if data is None:
            delete_file(self.root, place.parts)
        else:
            write_bytes(self.root, place.parts, data)
        return b""

    def _command(self, effect: Run, by: By) -> tuple[tuple[str, ...], dict[str, str]]:
        """What is really started, and with which variables."""
        environ = self._clean_environ()
        argv = ("/bin/sh", "-c", effect.argv[0], "sh", *effect.argv[1:]) if effect.shell else effect.argv
        if by == "user":
            return argv, environ
        known = "/" not in argv[0] and argv[0] not in self.rules.programs
        if self.rules.safe_mode and known:
            argv = hardened(argv, self.rules, self.root, environ)
            environ = hardened_environment(environ, self.root)
            return sandboxed(argv, self.root, self.rules.sandbox), environ
        return sandboxed(argv, self.root, self.rules.sandbox, hide_keys=True), environ

    def _clean_environ(self) -> dict[str, str]:
        return without_keys(self._environ, self._key_names)

    async def _ask(self, effect: Effect, by: By, verdict: Verdict) -> None:
        answer, why = await self._answer(effect, verdict)
        await asyncio.to_thread(self.audit.append, effect, by, answer, f"{verdict.reason}; {why}", self.turn)
        if answer == "no":
            raise Denied(effect, f"{verdict.reason}, and {why}", verdict.setting)

    async def _answer(self, effect: Effect, verdict: Verdict) -> tuple[Answer, str]:
        scope = scope_of(effect)
        async with self._asking:  # one question at a time, and an answer for the session counts for the next
            if is_covered(effect, self._allow):
                return "session", "--allow covers it"
            if scope in self._session:
                return "session", "allowed for this session"
            if self._grants is not None and scope in self._grants.show():
                return "always", "always allowed here"
            if self.asker is None:
                return "no", "there is nobody to ask; --allow would permit it"
            answer = await self.asker.ask(effect, verdict.reason)
            if answer in ("session", "always"):
                self._session.add(scope)
            if answer == "always" and self._grants is not None:
                await asyncio.to_thread(self._grants.add, scope)
            return answer, "a person said no" if answer == "no" else f"a person said {answer}"


def new_turn() -> str:
    """A name for a turn that nobody named."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}.{os.urandom(3).hex()}"


def _read(root: Path, place: Place | None, path: str, limit: int | None) -> bytes:
    if place is not None:
        return read_bytes(root, place.parts, limit)
    return read_anywhere(typed_path(root, path), limit)
