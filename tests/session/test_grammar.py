"""What a typed line means."""

import shlex
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.outcome import UsageError
from onbook.session.grammar import ChatLine, CommandLine, Line, MentionLine, ProgramLine, is_exit, parse_line


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("/read 'my file.md' b", CommandLine("read", ("my file.md", "b"))),
        ("  /READ-dir  src\n", CommandLine("read-dir", ("src",))),
        ("/read_dir src", CommandLine("read_dir", ("src",))),
        ("/search 'a\nb'", CommandLine("search", ("a\nb",))),
        ("/exit", CommandLine("exit", ())),
        ("!ls -l", ProgramLine(("ls", "-l"))),
        ("! ls", ProgramLine(("ls",))),
        ("@fast Hello", MentionLine("fast", "Hello")),
        ("@fast: Hello\nthere", MentionLine("fast", "Hello\nthere")),
        ("@llama3.2:3b, hi", MentionLine("llama3.2:3b", "hi")),
        ("@org/model hi", MentionLine("org/model", "hi")),
        ("hello", ChatLine("hello")),
        ("", ChatLine("")),
        ("/etc/hosts is what?", ChatLine("/etc/hosts is what?")),
        ("// no command", ChatLine("// no command")),
        ("/2 of it", ChatLine("/2 of it")),
        (r"\/help me", ChatLine("/help me")),
        (r"\!important", ChatLine("!important")),
        (r"\@fast", ChatLine("@fast")),
        (r"\n is a newline", ChatLine(r"\n is a newline")),
        ("ada@example.org wrote", ChatLine("ada@example.org wrote")),
        ("@ada@example.org wrote", ChatLine("@ada@example.org wrote")),
        ("@ fast hello", ChatLine("@ fast hello")),
        ("what of /help or @fast?", ChatLine("what of /help or @fast?")),
        ("\n\n    indented\n  code\n", ChatLine("    indented\n  code")),
    ],
)
def test_a_line_means_one_thing(line: str, meaning: Line) -> None:
    assert parse_line(line) == meaning


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("/", "/: the name of a command is missing, as in /help"),
        ("!", "!: the name of a program is missing, as in !ls -l"),
        ("! ''", "!: the name of a program is missing, as in !ls -l"),
        ("@fast", r"@fast: the message is missing, as in @fast hello; \@fast is the word itself"),
        ("/memory add don't", "/memory: no closing quotation: close the quote, or write \\' for the mark itself"),
        ("!echo 'a", "!: no closing quotation: close the quote, or write \\' for the mark itself"),
    ],
)
def test_an_unfinished_line_gets_one_line_that_says_how_to_finish_it(line: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_line(line)
    assert str(caught.value) == complaint


@given(st.text())
def test_every_text_means_something_or_is_a_usage_error(line: str) -> None:
    with suppress(UsageError):
        parse_line(line)


@given(st.lists(st.text()))
def test_what_a_shell_would_quote_arrives_as_it_was(words: list[str]) -> None:
    assert parse_line(f"/x {shlex.join(words)}") == CommandLine("x", tuple(words))


@given(st.text(min_size=1).filter(str.strip), st.sampled_from("/!@"))
def test_a_backslash_makes_anything_talk(text: str, mark: str) -> None:
    assert parse_line(f"\\{mark}{text}") == ChatLine(f"{mark}{text}".rstrip())


@pytest.mark.parametrize("line", ["/exit", " /QUIT ", "/Bye\n", "/exit now"])
def test_leaving_is_seen_in_any_case_and_spacing(line: str) -> None:
    assert is_exit(line)


@pytest.mark.parametrize("line", ["exit", "/exits", r"\/exit", "/exit/", "!exit", "@exit now", "/exit 'now", ""])
def test_nothing_else_leaves(line: str) -> None:
    assert not is_exit(line)
