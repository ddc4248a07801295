"""Decisions, "Language": found from the task, by a library or by the script of its letters."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.workflow.setup import language
from onbook.workflow.setup.language import language_named, language_of


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """onbook without its extra `lang`."""
    monkeypatch.setattr(language, "_detector", lambda: None)


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("설정 페이지에 다크 모드를 추가해줘", "ko"),
        ("設定ページにダークモードを追加して", "ja"),
        ("给设置页面添加深色模式", "zh"),
        ("src/settings.py 에 다크 모드 추가", "ko"),
        ("Füge der Einstellungsseite einen dunklen Modus hinzu", "en"),
        ("Исправь ошибку", "ru"),
        ("Διόρθωσε το calc.py", "el"),
        ("تصحيح الخطأ", "ar"),
    ],
)
@pytest.mark.usefixtures("no_library")
def test_without_the_library_the_script_tells(task: str, found: str) -> None:
    assert language_of(task) == found


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("Add a --version flag to cli.py and test it", "en"),
        ("Füge der Einstellungsseite einen dunklen Modus hinzu", "de"),
        ("Ajoute un mode sombre à la page des réglages", "fr"),
        ("Añade un modo oscuro a la página de ajustes", "es"),
        ("Adicione um modo escuro à página de configurações", "pt"),
        ("Добавь тёмную тему на страницу настроек", "ru"),
        ("설정 페이지에 다크 모드를 추가해줘", "ko"),
    ],
)
def test_the_library_tells_languages_of_one_script_apart(task: str, found: str) -> None:
    pytest.importorskip("py3langid")
    assert language_of(task) == found


@pytest.mark.parametrize(
    ("task", "found"),
    [("Исправь ошибку", "ru"), ("Додай функцію суми", "uk"), ("Выправі памылку", "be"), ("اضافه کردن تابع", "fa")],
)
def test_the_library_tells_even_short_texts_apart_that_are_not_in_latin_letters(task: str, found: str) -> None:
    pytest.importorskip("py3langid")
    assert language_of(task) == found


def test_a_short_text_in_the_letters_of_the_last_language_leaves_it() -> None:
    assert language_of("Исправь ошибку", last="uk") == "uk"


@pytest.mark.usefixtures("no_library")
def test_without_the_library_latin_letters_are_not_korean() -> None:
    assert language_of("Leave the tests out of it, please", last="ko") == "en"
    assert language_of("Leave the tests out of it, please", last="de") == "de"


@pytest.mark.parametrize("task", ["Fix bug", "Refactor parser", "rename `größe_prüfen()` in src/größe.py", "", "42"])
def test_too_short_a_text_leaves_the_last_language(task: str) -> None:
    assert language_of(task, last="de") == "de"


def test_a_code_is_written_as_catalogues_have_it() -> None:
    assert [language_named(code) for code in ("DE", "pt_BR", "zh-Hans")] == ["de", "pt-BR", "zh-Hans"]


@given(st.text(max_size=60))
def test_any_text_has_a_language_or_keeps_the_last(text: str) -> None:
    found = language._by_script(language._prose(text))
    assert found in ((), ("ko",), ("ja",), ("zh",), *language._LETTERS.values())


def test_a_full_disk_leaves_the_script_of_the_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library unpacks its model into a temporary file."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no room here"))
    monkeypatch.setattr(language, "_detector", language._detector.__wrapped__)
    assert language_of("Füge der Einstellungsseite einen dunklen Modus hinzu") == "en"
