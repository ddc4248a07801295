"""Files inside a reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.session.file_blocks import FileBlock, file_blocks


@pytest.mark.parametrize(
    ("info", "path"),
    [
        ("python src/hello.py", "src/hello.py"),
        ("src/hello.py", "src/hello.py"),
        (" hello.py", "hello.py"),
        ("python:src/hello.py", "src/hello.py"),
        ('python title="src/hello.py"', "src/hello.py"),
        ("python file=hello.py", "hello.py"),
        ("make Makefile", "Makefile"),
        ("text .gitignore", ".gitignore"),
        ("python", None),
        ("", None),
        ("c++", None),
        ("python hello world.py", None),
        ("text https://example.org/x.py", None),
        ("text src/", None),
    ],
)
def test_a_block_names_its_file_on_its_first_line(info: str, path: str | None) -> None:
    found = file_blocks(f"So:\n\n```{info}\nprint()\n```\n")
    assert found == ((FileBlock(path, "print()\n"),) if path else ())


def test_a_longer_fence_holds_shorter_ones() -> None:
    inner = "```python b.py\nx\n```\n"
    assert file_blocks(f"````md a.md\n{inner}````\n") == (FileBlock("a.md", inner),)


def test_of_two_blocks_for_a_file_the_last_one_counts() -> None:
    assert file_blocks("```a.py\n1\n```\n```a.py\n2\n```") == (FileBlock("a.py", "2\n"),)


def test_a_block_that_is_not_closed_is_no_file() -> None:
    assert file_blocks("```a.py\n1\n") == ()


@given(st.text())
def test_any_reply_can_be_searched(reply: str) -> None:
    file_blocks(reply)


@given(st.text(alphabet=st.characters(exclude_characters="`~\n")))
def test_the_text_of_a_block_is_kept_as_it_is(line: str) -> None:
    assert file_blocks(f"```a.py\n{line}\n```") == (FileBlock("a.py", f"{line}\n"),)
