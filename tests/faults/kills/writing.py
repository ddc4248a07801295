"""Plays in which something is written down: the index of /rag, settings, trust, memory."""

from onbook.policy.trust import TrustStore
from onbook.session.memory.store import Memory
from tests.faults.kills.play import Play
from tests.faults.kills.theatre import Stage
from tests.faults.ledger import kept

ROUTE = ("route", "add", "new", "http://127.0.0.1:1/v1", "--model", "m")
REMEMBER = ("ask", "/memory add We use tabs.")


def _write_docs(stage: Stage) -> None:
    (stage.root / "docs").mkdir()
    for number in range(60):
        (stage.root / "docs" / f"{number}.md").write_text(f"# Page {number}\n\nlantern{number} on a shelf.\n\n" * 20)


def _index_again(stage: Stage) -> object:
    stage.run("ask", "/rag add docs")
    return stage.run(stdin="/rag status\n/rag query lantern7\n").stdout


def _settings_are_whole(stage: Stage) -> None:
    text = stage.settings.read_text()
    kept(text.startswith('model = "scripted"\n\n[[routes]]\nname = "scripted"'), "the settings")
    kept(text.count("[[routes]]") == 1 or 'name = "new"' in text, "the route, half-written")


def _add_again(stage: Stage) -> object:
    done = stage.run(*ROUTE)
    assert done.code == 0 or "already has a route new" in done.stderr
    return stage.settings.read_text().replace(str(stage.server.port), "PORT")


def _write_workspace_settings(stage: Stage) -> None:
    (stage.root / "onbook.toml").write_text('agent_name = "Ada"\n')


def _trust_is_whole(stage: Stage) -> None:
    kept(TrustStore(stage.home).problem() is None, "what is trusted")


def _trust_again(stage: Stage) -> object:
    stage.run("trust")
    (entry,) = TrustStore(stage.home).show()
    return entry.unchanged


def _remember_again(stage: Stage) -> object:
    done = stage.run(*REMEMBER)
    assert done.code == 0 or "that is known already" in done.stderr
    return [fact.text for fact in Memory(stage.root).load().facts]


PLAYS = (
    Play("/rag add", ("ask", "/rag add docs"), _index_again, set_stage=_write_docs),
    Play("route add", ROUTE, _add_again, check=_settings_are_whole),
    Play("trust", ("trust",), _trust_again, set_stage=_write_workspace_settings, check=_trust_is_whole),
    Play("/memory add", REMEMBER, _remember_again),
)
