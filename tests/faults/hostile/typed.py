"""What people type, and programs on their behalf: lines of a session, words and options of a command."""

import os
import shlex
from pathlib import Path

from onbook.config import amounts
from onbook.config.budget_settings import parse_budget
from onbook.config.confidence_settings import method_of
from onbook.config.route_url import parse_route_url
from onbook.flow.shell_words import words_named, words_read
from onbook.journal.reading import one_run
from onbook.loop.interval import seconds_of, span
from onbook.loop.plan import as_typed, plan_of, prompt_in
from onbook.models.ollama import local_address
from onbook.outcome import UsageError
from onbook.pipeline.call import PipelineCall, checked_confidence
from onbook.policy.grants import check_allow
from onbook.session.grammar import is_exit, parse_line
from onbook.terminal.paste import clean
from onbook.transcript.sessions import find_session
from tests.faults.hostile.mutations import as_bytes
from tests.faults.hostile.table import parser
from tests.faults.ledger import kept


@parser("CONFIDENCE%", "85%", "100%", "0.5%", ".5%", "90")
def confidence(text: str, folder: Path) -> None:
    checked_confidence(text)


@parser("confidence method", "ask", "logprobs", "samples:3")
def confidence_method(text: str, folder: Path) -> None:
    kept(str(method_of(str(method_of(text)))) == str(method_of(text)), "the method")


@parser("interval", "30s", "500ms", "1.5h", "1h30m", "1d2h3m4s5ms", "7")
def interval(text: str, folder: Path) -> None:
    span(seconds_of(text))


@parser("ages and sizes", "30d", "12h", "500MB", "1GiB", "1048576", "1.5k")
def age_or_size(text: str, folder: Path) -> None:
    amounts.seconds_of(text)
    amounts.bytes_of(text)


@parser(
    "/loop line",
    "5m --count 3 Is it done?",
    "500ms --count=2 --until 'passed|ok' --on-change !make test",
    "30s --until-confidence 85% -- @claude say --count 3",
)
def loop_line(text: str, folder: Path) -> None:
    prompt_in(text)
    plan = plan_of(text)
    assert plan.announcement
    assert text.rstrip().endswith(plan.line)


@parser("loop words", "5m --count 3 Is it done?", "10s --until=a\\ b /run make -j4", "1m --count 2 -- -x")
def loop_words(text: str, folder: Path) -> None:
    plan_of(as_typed(text.split(), " ".join))


@parser("/pipeline line", "85% review.md summarise.md", "90% 'a b.md' c.md topic=rivers")
def pipeline_line(text: str, folder: Path) -> None:
    words = text.encode("utf-8", "replace").decode().split(" ")  # the command line takes nothing else
    variables = [word for word in words[1:] if "=" in word]
    call = PipelineCall.of([word for word in words if word not in variables], variables=variables)
    kept(PipelineCall.from_journal(call.for_journal()) == call, "the call, in the journal")
    kept(tuple(shlex.split(call.line)[-len(call.files) :]) == call.files, "the files, in the session's line")
    assert call.flow.steps


@parser("journal's call", PipelineCall.of(["90%", "a.md", "b c.md"], variables=["x=1"]).for_journal())
def journals_call(text: str, folder: Path) -> None:
    PipelineCall.from_journal(text)


@parser(
    "session grammar",
    "/read 'my notes.md' plan.md",
    '/pipeline 85% "a b.md" c.md',
    "!make -j4 test | tee log",
    "@claude Do you agree?",
    "//not a command",
    "\\@nobody and plain talk\nin two lines",
    "/EXIT  ",
)
def session_grammar(text: str, folder: Path) -> None:
    parse_line(text)
    is_exit(text)


@parser(
    "shell words of a step", "bash -c './a.sh | sort >> log'", "python3 -u tools/lint.py --fix 'a b.txt'", largest=5_000
)
def shell_words(text: str, folder: Path) -> None:
    argv = text.split(" ")
    assert set(words_read(argv)) <= {word for words in (words_named(argv),) for word in words} | set(argv)


@parser("--budget", "tokens=20000,money=0.50", "turns=3,seconds=5m", "tokens=1_000_000", "money=$.5")
def budget(text: str, folder: Path) -> None:
    parse_budget([text])


@parser("--allow", "write:src", "run:pytest", "connect:example.org", "connect:mcp://files/*", "start")
def allow(text: str, folder: Path) -> None:
    check_allow(frozenset(text.split(",")))


@parser(
    "route URL",
    "ollama://pi.local:11434",
    "http://127.0.0.1:8080/v1",
    "anthropic://",
    "https://[::1]:8443/v1",
    "any://mistral",
)
def route_url(text: str, folder: Path) -> None:
    address = parse_route_url(text)
    assert address.protocol


@parser("OLLAMA_HOST", "127.0.0.1:11434", "http://pi.local", "https://example.org:443/ollama", "[::]:1", "'0.0.0.0'")
def ollama_host(text: str, folder: Path) -> None:
    local_address({"OLLAMA_HOST": text})


@parser("run id", "96d4e0b1", "latest", "96d4")
def run_id(text: str, folder: Path) -> None:
    try:
        one_run(folder, text)
    except UsageError:
        return
    raise AssertionError("nothing was recorded")


@parser(
    "session name", "20260520T143000Z-3f9a2c", "latest", "sessions/20260520T143000Z-3f9a2c.fountain", "~/x.fountain"
)
def session_name(text: str, folder: Path) -> None:
    find_session(folder, os.fsdecode(as_bytes(text)))


@parser("paste", "one\ntwo\n", "\x1b[200~pasted\x1b[201~", "a\tb\r\nc")
def paste(text: str, folder: Path) -> None:
    cleaned = clean(text)
    kept(clean(cleaned) == cleaned, "what was pasted")
