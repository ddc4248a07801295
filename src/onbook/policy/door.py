"""The one door: every effect, whoever asks for it, is decided, asked about and written down here, then done here.

request()   decides, asks if it must, writes the audit line, and raises Denied or lets pass
the hands   read, write, delete, entries, tree, run, start, connect: each goes through request() first
going back  changes and take_back: what a turn did, shown and undone, each file a read or a write of its own
"""

import asyncio
import copy
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from onbook.config.policy_settings import PolicySettings
from onbook.outcome import OnbookError
from onbook.policy.answers import Answer, Answers, Asker
from onbook.policy.arguments import Refusal
from onbook.policy.audit import Audit
from onbook.policy.audit_stream import AuditStream
from onbook.policy.begun import Begun
from onbook.policy.bounds import Bounds
from onbook.policy.bulk import Tree, look_below
from onbook.policy.companion import Companion
from onbook.policy.decide import Verdict, decide, is_named_outside, typed_path
from onbook.policy.effects import By, Connect, Delete, Effect, Read, Run, Write, describe, one_line
from onbook.policy.grants import Grants
from onbook.policy.hands import Entry, delete_file, file_mode, read_anywhere, read_bytes, write_bytes
from onbook.policy.listing import MOST_ENTRIES, walk
from onbook.policy.names import is_protected
from onbook.policy.paths import PathRefused, Place, resolve
from onbook.policy.process import Ran, run_process
from onbook.policy.safe_mode import hardened, hardened_environment
from onbook.policy.sandbox import SandboxMissing, sandboxed
from onbook.policy.secrets import redact, without_keys
from onbook.policy.undo import Change, Undo, Undone

__all__ = ["Answer", "Asker", "Denied", "Door", "new_turn"]

T = TypeVar("T")
_LONGEST_REFUSAL = 2_000


class Denied(OnbookError):
    """An effect that was refused: what, why, and which setting would allow it, in one line."""

    def __init__(self, effect: Effect, reason: str, setting: str = "", *, problem: PathRefused | None = None) -> None:
        self.effect = effect
        self.reason = reason
        self.setting = setting
        self.problem = problem
        """What was found where the file should be, if it was that: `Missing`, `IsFolder`, …"""
        sentence = f"refused to {describe(effect)}: {reason}"
        super().__init__(redact(one_line(f"{sentence} ({setting})" if setting else sentence, _LONGEST_REFUSAL)))


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
        tools: Iterable[str] = (),
    ) -> None:
        self.root = root.resolve()
        self.rules = rules
        self.audit = audit
        self.asker = asker
        self.undo = Undo(self.root)
        self.begun = Begun(audit.state)
        self.turn = new_turn()
        self.answers = Answers(allow, grants)
        self._environ = os.environ if environ is None else environ
        self._key_names = tuple(key_names)
        self._say = say
        self._tools = frozenset(tools)
        self._writing = asyncio.Lock()
        self._why = ""
        """The reason for what nobody typed."""
        self._bounds: Bounds | None = None

    def narrowed(self, bounds: Bounds) -> "Door":
        """A door into the same workspace for a model that works on its own: what it may do is up to the bounds, and
        nobody is ever asked. Log, undo and turn stay those of this door."""
        own = copy.copy(self)
        own.asker = None
        own.answers = Answers(frozenset(), None)
        own._bounds = bounds
        return own

    def begin_turn(self, turn: str | None = None) -> str:
        """From now on, changes belong to this turn: `undo` takes back one turn."""
        self.turn = turn or new_turn()
        return self.turn

    def switch_safe_mode(self, *, on: bool) -> None:
        """Put safe mode on or off for as long as this door stands; the settings stay as they are."""
        self.rules = msgspec.structs.replace(self.rules, safe_mode=on)

    def because(self, why: str) -> "Door":
        """The same door, for what is done for a person who did not type it: the log says why, in these words."""
        door = copy.copy(self)
        door._why = why
        return door

    async def request(self, effect: Effect, by: By) -> None:
        """Let the effect pass, or raise Denied. Nothing passes without its line in the audit log."""
        await self._settle(effect, by, await asyncio.to_thread(self._decide, effect, by))

    async def read(self, path: str, *, by: By, limit: int | None = None) -> bytes:
        """The first `limit` bytes of a file. Ask for one more than you show to learn whether there was more."""
        effect = Read(path)
        # Deciding, writing it down and reading are one trip to another thread: the trip costs more than all three.
        place, asked, verdict, data = await self._done(effect, self._decide_and_read, effect, by, limit)
        await self._settle(asked, by, verdict)
        if data is not None:
            return data
        self._check_place(effect, by, place)
        return await self._done(effect, _read, self.root, place, path, limit)

    async def write(self, path: str, data: bytes, *, by: By) -> None:
        """Make or replace a file in one step; the earlier bytes are kept for undo."""
        effect = Write(path, len(data))
        place = await self._pass(effect, by, data)
        async with self._writing:
            await self._done(effect, self._write, place, data)

    async def offer(self, path: str, data: bytes) -> None:
        """Write a file that stands in a model's reply. It may be no more than an example, so somebody is asked,
        whatever the settings and earlier answers allow."""
        effect = Write(path, len(data))
        place = await self._pass(effect, "model", data, offered=True)
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
            found = await walk(self.root, place.parts, depth=depth, most=most, environ=self._clean_environ())
        except PathRefused as error:
            raise Denied(effect, f"it {error}", problem=error) from None
        return self._seen(found)

    async def tree(self, path: str, *, by: By, most: int) -> Tree:
        """A file, or all files below a folder that models may see, let through as one reading. The bytes come when
        the tree is iterated over; files of more than `most` bytes, ignored ones and those with keys are left out."""
        effect = Read(path)
        place = await self._pass(effect, by)
        if place is None:
            raise Denied(effect, "only files of the workspace are read this way")
        try:
            entries = await look_below(self.root, place, self._clean_environ())
        except PathRefused as error:
            raise Denied(effect, f"it {error}", problem=error) from None
        return Tree(self.root, place, self._seen(entries), self.rules, most)

    async def changes(self, turn: str | None = None) -> tuple[Change, ...]:
        """The files of a turn (the last by default), before it and now, for the person who wants to see them."""
        found = await asyncio.to_thread(self.undo.changes, turn)
        for change in found:
            await self.request(Read(change.path), "user")
        return found

    async def take_back(self, turn: str | None = None) -> Undone:
        """Undo what a turn (the last by default) changed, because a person wants it."""
        async with self._writing:
            for change in await asyncio.to_thread(self.undo.changes, turn):
                if is_protected(change.path.split("/")):
                    continue  # undoing leaves it as it is, and says so
                effect = Delete(change.path) if change.old is None else Write(change.path, len(change.old))
                await self.request(effect, "user")
            return await asyncio.to_thread(self.undo.undo, turn)

    async def run(
        self,
        effect: Run,
        *,
        by: By,
        timeout: float | None = None,  # noqa: ASYNC109 - running out of time is an answer here, not an error
        output_limit: int | None = None,
        stdin: bytes = b"",
        on_output: Callable[[bytes], None] | None = None,
        on_errors: Callable[[bytes], None] | None = None,
        only_known: bool = False,
        keep: Iterable[str] = (),
    ) -> Ran:
        """Run a program in the workspace to its end, or to its limits: by default those of the settings, but what a
        person typed has all the time they give it.

        `only_known` holds it to safe mode's own table, whoever asks and whatever the settings say. With `on_errors`
        standard error goes there. The variables in `keep` a person's program gets even when they hold keys.
        """
        if only_known:
            await asyncio.to_thread(self._check_known, effect, by)
        await self.request(effect, by)
        try:
            argv, environ = await asyncio.to_thread(self._command, effect, by, only_known=only_known)
        except (Refusal, SandboxMissing) as refusal:
            raise Denied(effect, str(refusal)) from None
        return await run_process(
            argv,
            cwd=self.root,
            environ=environ | (self.environment(keep) if by == "user" and keep else {}),
            timeout=self.rules.timeout if timeout is None and by == "model" else timeout,
            output_limit=output_limit or self.rules.output_limit,
            stdin=stdin,
            on_output=on_output,
            on_errors=on_errors,
        )

    async def start(self, argv: tuple[str, ...], *, folder: Path, keep: Iterable[str] = ()) -> Companion:
        """Start a program that stays, because a person's settings name it. The variables in `keep` it gets even
        when they hold keys."""
        await self.because("the settings name it").request(Run(argv), "user")
        environ = self.environment(keep) | {"ONBOOK_WORKING_DIR": str(self.root)}
        return await Companion.start(argv, cwd=folder, environ=environ)

    @contextmanager
    def program_starts(self) -> Iterator[Callable[[Run], None]]:
        """For a run that starts one program after the other because a person wants it: what lets each of them pass,
        decided and written down on this thread, since a trip to another would take longer than both."""
        with AuditStream(self.audit) as log:

            def let_pass(effect: Run) -> None:
                verdict = decide(effect, "user", self.rules, self.root, self._tools)
                log.append(effect, "user", verdict.kind, self._why or verdict.reason, self.turn)
                if verdict.kind != "allow":
                    raise Denied(effect, verdict.reason, verdict.setting)

            yield let_pass

    def environment(self, keep: Iterable[str] = ()) -> dict[str, str]:
        """The variables that a program gets: all but those with keys, and those in `keep` whatever they hold."""
        return self._clean_environ() | {name: self._environ[name] for name in keep if name in self._environ}

    async def connect(self, url: str, *, by: By) -> None:
        """Ask to talk to a host; who asked may then do so, to that host only."""
        await self.request(Connect(url), by)

    async def _pass(
        self, effect: Read | Write | Delete, by: By, new: bytes | None = None, *, offered: bool = False
    ) -> Place | None:
        """Request the effect for the place it really means; None for a person's path outside the workspace."""
        place, asked, verdict = await asyncio.to_thread(self._decide_place, effect, by, offered=offered)
        change = None
        if verdict.kind == "ask" and place is not None and not isinstance(effect, Read):
            change = await self._done(effect, self._foreseen, place, new)
        await self._settle(asked, by, verdict, change, anew=offered)
        self._check_place(effect, by, place)
        return place

    def _check_place(self, effect: Read | Write | Delete, by: By, place: Place | None) -> None:
        if place is None and (by == "model" or not is_named_outside(self.root, effect.path)):
            raise Denied(effect, "it changed while it was looked at")

    def _decide_and_read(
        self, effect: Read, by: By, limit: int | None
    ) -> tuple[Place | None, Effect, Verdict, bytes | None]:
        """The decision, and the bytes where nobody has to be asked first."""
        place, asked, verdict = self._decide_place(effect, by)
        is_plain = verdict.kind == "allow" and place is not None
        return place, asked, verdict, _read(self.root, place, effect.path, limit) if is_plain else None

    def _decide_place(
        self, effect: Read | Write | Delete, by: By, *, offered: bool = False
    ) -> tuple[Place | None, Effect, Verdict]:
        try:
            place = resolve(self.root, effect.path)
        except PathRefused:
            return None, effect, self._decide(effect, by)
        # The decision is about the real place, so a link that is swapped afterwards changes nothing.
        text = f"./{place.text}" if place.text.startswith("~") else place.text
        real = msgspec.structs.replace(effect, path=text)
        return place, real, self._decide(real, by, offered=offered)

    def _decide(self, effect: Effect, by: By, *, offered: bool = False) -> Verdict:
        """The verdict; written down at once unless somebody has to be asked first."""
        verdict = decide(effect, by, self.rules, self.root, self._tools)
        if self._bounds is not None and by == "model":
            verdict = self._bounds.judge(effect, verdict)
        if offered and verdict.kind == "allow":
            verdict = Verdict("ask", "it stands in the reply")
        if verdict.kind != "ask":
            why = self._why if by == "user" and verdict.kind == "allow" else ""
            self.audit.append(effect, by, verdict.kind, why or verdict.reason, self.turn)
        return verdict

    def _seen(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Those of the entries that whoever is bounded may know of."""
        bounds = self._bounds
        return entries if bounds is None else tuple(entry for entry in entries if bounds.sees(entry.path))

    def _foreseen(self, place: Place, new: bytes | None) -> Change:
        """What the file is and what it would become, for whoever is asked."""
        exists = file_mode(self.root, place.parts) is not None
        return Change(place.text, read_bytes(self.root, place.parts) if exists else None, new)

    async def _settle(
        self, effect: Effect, by: By, verdict: Verdict, change: Change | None = None, *, anew: bool = False
    ) -> None:
        if verdict.kind == "ask":
            await self._ask(effect, by, verdict, change, anew=anew)
        elif verdict.kind == "deny":
            raise Denied(effect, verdict.reason, verdict.setting)
        if verdict.notice and self._say is not None:
            self._say(redact(verdict.notice))

    async def _done(self, effect: Effect, do: Callable[..., T], *arguments: object) -> T:
        try:
            return await asyncio.to_thread(do, *arguments)
        except PathRefused as error:
            raise Denied(effect, f"it {error}", problem=error) from None

    def _write(self, place: Place | None, data: bytes | None) -> None:
        if place is None:
            raise PathRefused("lies outside the workspace")
        self.undo.keep(self.turn, place.parts, data)
        if data is None:
            delete_file(self.root, place.parts)
        else:
            write_bytes(self.root, place.parts, data)

    def _check_known(self, effect: Run, by: By) -> None:
        verdict = decide(effect, "model", self._own_table, self.root)
        if verdict.kind == "deny":
            self.audit.append(effect, by, "deny", verdict.reason, self.turn)
            raise Denied(effect, verdict.reason, "typed with ! it runs as it is" if by == "user" else verdict.setting)

    def _command(self, effect: Run, by: By, *, only_known: bool) -> tuple[tuple[str, ...], dict[str, str]]:
        """What is really started, and with which variables."""
        environ = self._clean_environ()
        argv = ("/bin/sh", "-c", effect.argv[0], "sh", *effect.argv[1:]) if effect.shell else effect.argv
        if by == "user" and not only_known:
            return argv, environ
        known = "/" not in argv[0] and argv[0] not in self.rules.programs and self._bounds is None
        if only_known or (self.rules.safe_mode and known):
            argv = hardened(argv, self._own_table, self.root, environ)
            environ = hardened_environment(environ, self.root)
            return argv if by == "user" else sandboxed(argv, self.root, self.rules.sandbox), environ
        return sandboxed(argv, self.root, self.rules.sandbox, hide_keys=True), environ

    @property
    def _own_table(self) -> PolicySettings:
        """Safe mode as it is by itself, without the programs that the settings add: those may do anything."""
        return msgspec.structs.replace(self.rules, safe_mode=True, programs=())

    def _clean_environ(self) -> dict[str, str]:
        return without_keys(self._environ, self._key_names)

    async def _ask(self, effect: Effect, by: By, verdict: Verdict, change: Change | None, *, anew: bool) -> None:
        answer, why = await self.answers.to(effect, verdict, self.asker, change, anew=anew)
        await asyncio.to_thread(self.audit.append, effect, by, answer, f"{verdict.reason}; {why}", self.turn)
        if answer == "no":
            raise Denied(effect, f"{verdict.reason}, and {why}", verdict.setting)


def new_turn() -> str:
    """A name for a turn that nobody named."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}.{os.urandom(3).hex()}"


def _read(root: Path, place: Place | None, path: str, limit: int | None) -> bytes:
    if place is not None:
        return read_bytes(root, place.parts, limit)
    return read_anywhere(typed_path(root, path), limit)
