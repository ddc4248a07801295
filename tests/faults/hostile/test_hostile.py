"""Every parser, with inputs by somebody who means harm: it gives a result, or says in one line what is wrong.

`ONBOOK_FAULTS=1` tries 10,000 inputs a parser, other ones each time; among the ordinary tests it is a few, the same
ones each time.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from onbook.outcome import OnbookError
from tests.faults.hostile import files, records, replies, typed, wires, workflow
from tests.faults.hostile.mutations import AT_ONCE, hostile
from tests.faults.hostile.table import PARSERS, Parser, check_words
from tests.faults.ledger import LONG, Ledger, Lost, many

assert all((files, records, replies, typed, wires, workflow))  # each puts its parsers into the table
SECONDS = 5.0
"""Of processor time, for the largest input: what grows with the square of its input takes longer."""

pytestmark = pytest.mark.timeout(600 if LONG else 120)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where that can be: some parsers write what they read, and wait for the disk each time."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as made:
        yield Path(made)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of the input that did it
@pytest.mark.parametrize("parser", PARSERS, ids=str)
def test_whatever_a_parser_is_given_it_answers_in_time_and_loses_nothing(
    parser: Parser, ledger: Ledger, folder: Path
) -> None:
    tried = lost = 0
    is_over = False

    @settings(
        max_examples=many(100, 10_000) // AT_ONCE,
        derandomize=not LONG,
        deadline=None,
        database=None,
        phases=[Phase.generate] if LONG else [Phase.generate, Phase.shrink],  # shrinking what is slow takes hours
        suppress_health_check=list(HealthCheck),
    )
    @given(hostile(parser.samples, parser.largest))
    def attempt(texts: list[str]) -> None:
        nonlocal tried, lost
        tried += len(texts)
        try:
            for text in texts:
                _read(parser, text, folder)
        except Lost:
            lost += 1
            raise

    try:
        attempt()
        is_over = True
    finally:
        ledger.tried("hostile input", parser.name, times=tried, survived=tried if is_over else tried - 1, lost=lost)


def _read(parser: Parser, text: str, folder: Path) -> None:
    began = time.process_time()
    try:
        parser.read(text, folder)
    except OnbookError as error:
        check_words(error)
    took = time.process_time() - began
    assert took < SECONDS, f"{took:.1f} s for {len(text)} characters"
