"""Questions: whatever is typed, SQLite is asked for words and never for syntax."""

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onbook.session.knowledge.words import is_glued, query_terms, spaced


@pytest.fixture(scope="module")
def words() -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    yield database
    database.close()


def found(database: sqlite3.Connection, text: str, question: str) -> bool:
    database.execute("DELETE FROM words")
    database.execute("INSERT INTO words VALUES (?)", (spaced(text) if is_glued(text) else text,))
    terms = query_terms(question)
    return bool(terms) and bool(
        database.execute("SELECT 1 FROM words WHERE words MATCH ?", (" OR ".join(terms),)).fetchone()
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.text('"*^():-+{}NEARANDORNOT \\\0ab語é', max_size=30))
def test_no_question_is_a_syntax_error(words: sqlite3.Connection, question: str) -> None:
    for term in query_terms(question):
        words.execute("SELECT 1 FROM words WHERE words MATCH ?", (term,)).fetchone()
    found(words, "some text", question)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The indexes are rebuilt", "indexing"),
        ("a naïve café", "naive CAFE"),
        ("Straße", "straße"),
        ("日本語の文書を探す", "文書"),
        ("日本語の文書を探す", "英語の文書"),
        ("中文文档检索系统", "文档"),
        ("문서를 찾습니다", "문서"),
        ("ค้นหาเอกสาร", "เอกสาร"),
        ("call read_file(path) first", "read_file"),
        ("see RFC-2119", "rfc 2119"),
        ("Привет, мир", "МИР"),
    ],
)
def test_a_question_finds_a_text_in_its_own_writing(words: sqlite3.Connection, text: str, question: str) -> None:
    assert found(words, text, question)


def test_a_pair_of_characters_is_found_only_together(words: sqlite3.Connection) -> None:
    assert not found(words, "文化と書道", "文書")


@pytest.mark.parametrize("question", ["", "  ", "?!", '"', "***", "\0", "\ud800"])
def test_a_question_without_a_word_asks_for_nothing(question: str) -> None:
    assert query_terms(question) == []


def test_a_word_is_asked_for_once() -> None:
    assert query_terms("Rose, rose! a ROSE") == ['"rose"']


def test_words_that_only_hold_a_sentence_together_are_asked_for_when_alone() -> None:
    assert query_terms("how do I add a route?") == ['"add"', '"route"']
    assert query_terms("to be or not to be") == ['"to"', '"be"', '"or"', '"not"']
