"""What `/loop` understands: every row of the seed's error table, and where options end."""

import re
import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from onbook.cli.question import line_of
from onbook.loop.plan import MOST, Plan, as_typed, plan_of
from onbook.outcome import UsageError

BAD_COUNT = "loop: --count must be an integer between 1 and 100"
USAGE = "Usage: /loop INTERVAL [--count N] PROMPT"


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("5m Say hello", Plan(300, "Say hello")),
        ("30 --count 3 /git status", Plan(30, "/git status", count=3)),
        ("30 --count=100 !make", Plan(30, "!make", count=100)),
        ("2s --until FAILED /run make test", Plan(2, "/run make test", until="FAILED")),
        ('2s --until "BUILD FAILED" hi', Plan(2, "hi", until="BUILD FAILED")),
        ("1h --on-change --count 2 @fast hello", Plan(3600, "@fast hello", count=2, on_change=True)),
        ("1h --until-confidence 90% hello", Plan(3600, "hello", until_confidence=0.9)),
        ("1m /run make -j4 --count 5", Plan(60, "/run make -j4 --count 5")),
        ("1m what's new --count 5?", Plan(60, "what's new --count 5?")),
        ("1m -- --count is a word", Plan(60, "--count is a word")),
        ("1m -- -m is a word", Plan(60, "-m is a word")),
        ("1m -5 degrees, is that cold?", Plan(60, "-5 degrees, is that cold?")),
        ("1m - first\n- second", Plan(60, "- first\n- second")),
        ("  1m   /run  echo   'a  b'  ", Plan(60, "/run  echo   'a  b'")),
        ("1m /exit", Plan(60, "/exit")),
    ],
)
def test_a_loop_is_an_interval_options_and_a_line(text: str, plan: Plan) -> None:
    assert plan_of(text) == plan


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", 'loop: invalid interval "" — use e.g. 30s, 5m, 1h'),
        ("hello world", 'loop: invalid interval "hello" — use e.g. 30s, 5m, 1h'),
        ("--count 5 hello", 'loop: invalid interval "--count" — use e.g. 30s, 5m, 1h'),
        ("-5 hello", "loop: interval must be positive"),
        ("5m", USAGE),
        ("5m --count 5", USAGE),
        ("5m --", USAGE),
        ("5m --count", BAD_COUNT),
        ("5m --count=", BAD_COUNT),
        ("5m --count x hello", BAD_COUNT),
        ("5m --count 0 hello", BAD_COUNT),
        ("5m --count -1 hello", BAD_COUNT),
        ("5m --count 101 hello", BAD_COUNT),
        ("5m --count 1.5 hello", BAD_COUNT),
        ("5m --count ٣ hello", BAD_COUNT),
        ("5m --count " + "9" * 5000 + " hello", BAD_COUNT),
        ("5m --cuont 5 hello", "loop: there is no option --cuont; did you mean --count?"),
        (
            "5m -m lab hello",
            "loop: there is no option -m; there is --count, --until, --until-confidence, --on-change, "
            "and -- before a prompt that begins so",
        ),
        ("5m --on-change=yes hello", "loop: --on-change takes no value"),
        ("5m --until", "loop: --until needs a pattern, as in --until FAILED"),
        ("5m --until '' hello", "loop: --until needs a pattern, as in --until FAILED"),
        ("5m --until ( hello", "loop: --until '(' is not a pattern: missing ): ("),
        ("5m --until 'x hello", "loop: no closing quotation: close the quote"),
        (
            "5m --until-confidence 90 hello",
            "loop: --until-confidence must be a percentage above 0 and up to 100, as in 85%",
        ),
        (
            "5m --until-confidence 90% !ls",
            "loop: --until-confidence goes with a prompt that a model answers; !ls is none",
        ),
        ("5m /loop 5m hello", "loop: a /loop inside a /loop is refused"),
        ("5m /LOOP 5m hello", "loop: a /loop inside a /loop is refused"),
        ("5m /run 'x", "/run: no closing quotation: close the quote, or write \\' for the mark itself"),
        ("5m @fast", "@fast: the message is missing, as in @fast hello; \\@fast is the word itself"),
    ],
)
def test_what_is_no_loop_gets_one_clear_line(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        plan_of(text)
    assert str(refused.value) == complaint


@given(st.text())
def test_no_text_brings_the_parser_down(text: str) -> None:
    try:
        plan = plan_of(text)
    except UsageError:
        return
    assert 1 <= plan.count <= MOST


@given(st.text(min_size=1))
def test_a_prompt_arrives_as_it_was_typed(prompt: str) -> None:
    assume(prompt.strip() and prompt.strip()[0] not in "-/!@\\")
    assert plan_of(f"5m --count 3 {prompt}").line == prompt.strip()


@given(st.lists(st.text(min_size=1).filter(lambda word: "\0" not in word), min_size=1, max_size=4))
def test_the_words_of_a_shell_reach_a_program_as_they_are(arguments: list[str]) -> None:
    plan = plan_of(as_typed(["2s", "--until", "it's (done|over)", "/run", *arguments], line_of))
    assert plan.until == "it's (done|over)"
    assert shlex.split(plan.line) == ["/run", *arguments]


@given(st.text(min_size=1).filter(lambda text: "\0" not in text))
def test_the_value_of_an_option_comes_from_a_shell_as_it_is(text: str) -> None:
    pattern = f"({re.escape(text)})?"
    for option in (("--until", pattern), (f"--until={pattern}",)):
        assert plan_of(as_typed(["2s", *option, "hello"], line_of)) == Plan(2, "hello", until=pattern)


def test_what_a_shell_gives_as_a_wrong_option_is_refused_too() -> None:
    with pytest.raises(UsageError, match="no option --of mine"):
        plan_of(as_typed(["2s", "--of mine", "hello"], line_of))


def test_the_words_of_a_shell_are_one_prompt() -> None:
    assert plan_of(as_typed(["5m", "--on-change", "what's", "new?"], line_of)) == Plan(
        300, "what's new?", on_change=True
    )
    assert plan_of(as_typed(["5m", "--", "--count", "x"], line_of)).line == "--count x"


def test_the_plan_is_said_in_the_seeds_words() -> None:
    assert plan_of("5m Say hello").announcement == "Looping every 5m, up to 10 times: Say hello"
    assert plan_of("90 --count 1 /git\tstatus").announcement == r"Looping every 1m30s, up to 1 time: /git\tstatus"
