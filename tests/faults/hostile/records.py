"""onbook's own records, as a cloned folder, an editor or a dying disk may have left them."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from onbook.flow.data import Small
from onbook.journal.journal import Start
from onbook.journal.reading import all_runs, one_run
from onbook.journal.recording import new_run
from onbook.outcome import Outcome
from onbook.policy.audit import Audit, Line, hash_of
from onbook.policy.audit_verify import verify
from onbook.policy.effects import Write
from onbook.policy.grants import Grants
from onbook.policy.trust import TrustStore
from onbook.policy.undo import Undo
from onbook.session.memory.store import Memory
from tests.faults.hostile.mutations import as_bytes, as_sample
from tests.faults.hostile.table import parser
from tests.faults.ledger import kept

UNDO = json.dumps({"path": "YS50eHQ=", "before": "0" * 64, "after": None, "mode": 420}) + "\n"


def audit_lines() -> str:
    """Two lines that follow each other."""
    lines, before = b"", "0" * 64
    for number in (1, 2):
        effect = Write("notes.md", 3)
        line = Line(seq=number, time=1.5, by="model", effect=effect, verdict="allow", reason="", prev=before)
        raw = msgspec.json.encode(line)
        lines, before = lines + raw + b"\n", hash_of(raw)
    return lines.decode()


def journal_file() -> str:
    """A journal with one run."""
    with TemporaryDirectory() as folder:
        start = Start(kind="pipeline", name="lint", definition="0" * 32, steps=2)
        with new_run(Path(folder), start, Small(b"given"), print) as run:
            assert run is not None
            run.done("a/each[1]/b", bytes(48), Outcome.PASSED, Small(b"out"), 0.1)
        return as_sample((Path(folder) / ".onbook" / "journal.sqlite").read_bytes())


@parser(
    "memory.jsonl", '{"id":1,"text":"We use tabs.","time":1.5,"by":"ada"}\n{"id":3,"text":""}\n', "", largest=20_000
)
def memory(text: str, folder: Path) -> None:
    store = Memory(folder)
    store.path.parent.mkdir(exist_ok=True)
    store.path.write_bytes(as_bytes(text))
    for path in store.path.parent.glob("memory-damaged-*"):
        path.unlink()
    before = store.load()
    str(store.search(["tabs"]))
    store.add("a new fact")
    after = store.load()
    kept(after.facts[:-1] == before.facts, "a fact")
    aside = b"".join(path.read_bytes() for path in store.path.parent.glob("memory-damaged-*"))
    kept(aside == b"".join(line + b"\n" for line in before.damaged), "a damaged line")


@parser("audit log", audit_lines(), largest=20_000)
def audit_log(text: str, folder: Path) -> None:
    path = folder / ".onbook" / "audit" / "audit.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_bytes(text))
    audit = Audit(folder, folder / "state")
    verify(audit)
    audit.tail(10)


@parser("how far the audit log goes", '{"seq": 2, "hash": "00", "first": 1, "before": "00"}\n')
def audit_head(text: str, folder: Path) -> None:
    audit = Audit(folder, folder / "state")
    audit.head_path.parent.mkdir(parents=True, exist_ok=True)
    audit.head_path.write_bytes(as_bytes(text))
    verify(audit)


@parser("journal", journal_file())
def journal(text: str, folder: Path) -> None:
    path = folder / ".onbook" / "journal.sqlite"
    path.parent.mkdir(exist_ok=True)
    for left in path.parent.glob("journal.sqlite*"):
        left.unlink()
    path.write_bytes(as_bytes(text))
    for run in all_runs(folder):
        one_run(folder, run.id)


@parser("trust.json", '{"v": 1, "workspaces": [{"root": "/w", "files": {"onbook.toml": "ab"}, "time": 1.5}]}')
def trust_record(text: str, folder: Path) -> None:
    store = TrustStore(folder)
    store.path.write_bytes(as_bytes(text))
    store.show()
    store.problem()


@parser("grants", '["write:notes.md", "run:[\\"make\\"]"]')
def grants(text: str, folder: Path) -> None:
    record = Grants(folder, folder)
    record.path.parent.mkdir(exist_ok=True)
    record.path.write_bytes(as_bytes(text))
    record.show()


@parser("undo record", UNDO, UNDO * 2, largest=20_000)
def undo_record(text: str, folder: Path) -> None:
    place = folder / ".onbook" / "undo" / f"{1:020d}-turn"
    place.mkdir(parents=True, exist_ok=True)
    (place / "changes.jsonl").write_bytes(as_bytes(text))
    undo = Undo(folder)
    undo.turns()
    undo.changes()
