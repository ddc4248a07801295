"""The method, from the settings and from `--confidence-method`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.confidence_settings import ConfidenceSettings, Method, method_of
from onbook.outcome import UsageError
from tests.config.conftest import Places

FORMS = "write ask, logprobs or samples:N with N from 2 to 20, as in samples:5"


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("ask", Method("ask")),
        ("logprobs", Method("logprobs")),
        ("samples:2", Method("samples", 2)),
        ("samples:20", Method("samples", 20)),
    ],
)
def test_a_method_is_read_and_written_the_same(text: str, method: Method) -> None:
    assert method_of(text) == method
    assert str(method) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("samples", f'"samples" is not known; {FORMS}'),
        ("samples:1", f'"samples:1" is not known; {FORMS}'),
        ("samples:21", f'"samples:21" is not known; {FORMS}'),
        ("samples:05", f'"samples:05" is not known; {FORMS}'),
        ("logprob", f'"logprob" is not known; {FORMS}; did you mean logprobs?'),
        ("", f'"" is not known; {FORMS}'),
        ("\udcff", f'"?" is not known; {FORMS}'),
        ("ask\n", f'"ask\\n" is not known; {FORMS}; did you mean ask?'),
    ],
)
def test_a_method_that_is_none_is_one_line_with_the_right_forms(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        method_of(text)
    assert str(caught.value) == f"confidence method: {said}"


@given(st.text().filter(lambda text: text not in ("ask", "logprobs")))
def test_whatever_else_is_given_is_one_line(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        method_of(text)
    assert len(str(caught.value).split("\n")) == 1


def test_a_table_sets_the_method(places: Places) -> None:
    assert places.load().settings.confidence == ConfidenceSettings("ask")
    places.write_user('[confidence]\nmethod = "logprobs"\n')
    assert places.load().settings.confidence.method == "logprobs"
    places.write('[confidence]\nmethod = "samples:3"\n')
    assert places.load().settings.confidence.method == "samples:3"


def test_a_wrong_table_is_one_line_with_its_place(places: Places) -> None:
    assert places.complaint('[confidence]\nmethod = "asking"\n') == (
        f'onbook.toml:2: confidence.method: "asking" is not known; {FORMS}; did you mean ask?'
    )
    assert places.complaint('[confidence]\nmetod = "ask"\n') == (
        "onbook.toml:2: confidence.metod: unknown key; did you mean method?"
    )


def test_a_folder_that_is_not_trusted_cannot_multiply_what_a_step_costs(places: Places) -> None:
    places.write('[confidence]\nmethod = "samples:20"\n')
    loaded = places.load(trusted=False)
    assert loaded.settings.confidence.method == "ask"
