"""Keys are redacted, ordinary text is not, and it makes no difference in which pieces the text arrives."""

import hashlib
import re
import time
import uuid
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from onbook.policy.secrets import REDACTED, StreamRedactor, redact, register_secret, without_keys

# Made up, and put together here so that no scanner takes this file for a leak.
BODY = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3"
HEX = "0123456789abcdef" * 2
KEYS = {
    "OpenAI": "sk-" + BODY,
    "OpenAI project": "sk-proj-" + BODY + "_x-" + BODY,
    "Anthropic": "sk-ant-api03-" + BODY + "-" + BODY + "AA",
    "OpenRouter": "sk-or-v1-" + HEX,
    "DeepSeek": "sk-" + HEX,
    "GitHub": "ghp_" + BODY[:36],
    "GitHub OAuth": "gho_" + BODY[:36],
    "GitHub server": "ghs_" + BODY[:36],
    "GitHub user": "ghu_" + BODY[:36],
    "GitHub fine-grained": "github_pat_" + BODY[:22] + "_" + BODY,
    "GitLab": "glpat-" + BODY[:20],
    "Slack": "xoxb-1234567890-" + BODY[:20],
    "AWS": "AKIA" + "ABCDEFGH12345678",
    "Google": "AIza" + BODY[:35],
    "Groq": "gsk_" + BODY,
    "Hugging Face": "hf_" + BODY[:34],
    "Stripe": "sk_live_" + BODY[:24],
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + BODY,
}
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + (BODY[:32] * 2 + "\n") * 12 + "abc=\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("around", ["{}", "key {}.", '"{}"', "({})\n", "x={} y", "KEY_{}", "`{}`,", "\u00e9 {}"])
def test_a_key_is_redacted_wherever_it_stands(key: str, around: str) -> None:
    assert redact(around.format(key)) == around.format(REDACTED)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Authorization: Bearer {BODY}", "Authorization: Bearer [redacted]"),
        (f"authorization: bearer  {BODY}.x/y+z==", "authorization: bearer  [redacted]"),
        (f"api_key={BODY}", "api_key=[redacted]"),
        (f"export OPENAI_API_KEY='{BODY}'", "export OPENAI_API_KEY='[redacted]'"),
        (f'{{"apiKey": "{HEX}"}}', '{"apiKey": "[redacted]"}'),
        (f"x-api-key: {HEX}", "x-api-key: [redacted]"),
        (f"openaiApiKey = '{HEX}'", "openaiApiKey = '[redacted]'"),
        (f"client_secret={HEX}&x=1", "client_secret=[redacted]&x=1"),
        (f"aws_secret_access_key = {BODY}/+a", "aws_secret_access_key = [redacted]"),
        ("postgres://app:hunter2@db:5432/x", "postgres://[redacted]@db:5432/x"),
        ("https://:p%40ss@h/v1", "https://[redacted]@h/v1"),
        (f"before\n{PEM}\nafter", "before\n[redacted]\nafter"),
        (f'"{PEM}"'.replace("\n", "\\n"), '"[redacted]"'),
        ("-----BEGIN PRIVATE KEY-----\n" + BODY + "\n" + BODY, "[redacted]"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n" + BODY,
            "[redacted]",
        ),
        (f"{KEYS['OpenAI']} and {KEYS['GitHub']}", "[redacted] and [redacted]"),
    ],
)
def test_what_surrounds_a_secret_stays(text: str, shown: str) -> None:
    assert redact(text) == shown
    assert redact(shown) == shown


ORDINARY = [
    "sk-learn",
    "sk-learn-based-classification-of-machine-learning-models-2024",
    "task-force-one-has-a-risk-0123456789abcdef0123456789abcdef",
    "risk-" + BODY,
    "the token: it is a word; tokens = 1024, max_token=4096",
    "password: see the safe in room 1234567890",
    "api_key = os.environ['OPENAI_API_KEY']",
    "api_key=settings.provider.openai.key2",
    "token = generate_token_v2_from_env()",
    "secret = get_secret_from_the_vault_2(name)",
    "commit " + hashlib.sha1(b"x").hexdigest(),
    "sha256:" + hashlib.sha256(b"x").hexdigest(),
    str(uuid.UUID(int=0x1234567890ABCDEF1234567890ABCDEF)),
    "from hf_hub import hf_hub_download, hf_transfer",
    "Bearer of good news; bearer authentication; Bearer <token>",
    "https://example.com:8080/a@b and mailto:a@b.example",
    '["http://h:80","a@b"]',
    "see `-----BEGIN PRIVATE KEY-----` in the file, it's a PEM header",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEF\n-----END CERTIFICATE-----",
    "| --- | ---- |\n-----------------\n",
    "AKIA and AIza are prefixes; ASIATIC; eyJhbGciOiJIUzI1NiJ9 is half a JWT",
    "xoxb-short ghp_short gsk_x r8_ npm_config_cache",
    "a\0b",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_survives(text: str) -> None:
    assert redact(text) == text
    assert _in_pieces(text, list(range(len(text)))) == text


def test_a_registered_secret_is_redacted_whatever_it_looks_like() -> None:
    register_secret("~correct horse battery")
    register_secret("~correct horse")
    register_secret("  %3cr$t.*value\n")
    register_secret("short")
    assert redact("a ~correct horse battery, a ~correct horse, %3cr$t.*value, short") == (
        "a [redacted], a [redacted], [redacted], short"
    )


def _in_pieces(text: str, cuts: list[int]) -> str:
    redactor = StreamRedactor()
    edges = [0, *sorted(cuts), len(text)]
    given = "".join(redactor.feed(text[a:b]) for a, b in pairwise(edges))
    return given + redactor.flush()


# They begin with letters that no ordinary word here ends with, since what is registered stays so.
REGISTERED = ["~~-register-Qe-~~", "~~-register-Qe-~~-longer", "Qe-~~-regi-overlap"]
_PART = st.one_of(
    st.sampled_from([*KEYS.values(), *ORDINARY, *REGISTERED, PEM]),
    st.sampled_from([*KEYS.values(), *REGISTERED, "Bearer ", "api_key = '", "https://u:p@", "Secret: "]).flatmap(
        lambda key: st.integers(0, len(key)).map(lambda end: key[:end])
    ),
    st.sampled_from([" ", "\n", "-", "_", ".", "://", ":", "@", "=", '"', "a", "1", "[", "Bearer", "token", "\t"]),
    st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True),
    st.text(max_size=8),
)
_TEXT = st.lists(_PART, max_size=8).map("".join)


@settings(max_examples=200)
@given(_TEXT, st.data())
@example("sk-" + "a1" * 2050 + "b" * 4100, None)
def test_the_pieces_make_no_difference(text: str, data: st.DataObject | None) -> None:
    for secret in REGISTERED:
        register_secret(secret)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12)) if data else list(range(0, len(text), 7))
    assert _in_pieces(text, cuts) == redact(text)


@settings(max_examples=100)
@given(_TEXT)
def test_one_character_at_a_time_makes_no_difference(text: str) -> None:
    for secret in REGISTERED:
        register_secret(secret)
    assert _in_pieces(text, list(range(len(text)))) == redact(text)


@settings(max_examples=100)
@given(st.sampled_from(sorted(KEYS.values())), st.integers(1, 20))
def test_no_beginning_of_a_key_ever_gets_out(key: str, size: int) -> None:
    redactor = StreamRedactor()
    shown = ""
    for start in range(0, len(key), size):
        shown += redactor.feed(key[start : start + size])
        assert shown == ""
    assert redactor.feed(" ") + redactor.flush() == "[redacted] "


def test_ordinary_words_pass_at_once() -> None:
    redactor = StreamRedactor()
    for piece in ["The", " quick", " brown", " fox", ", 12", ".5 ", "and", " jumps", " over\n", "## Title\n", "dog"]:
        assert redactor.feed(piece) == piece


def test_what_only_began_like_a_key_comes_with_the_next_piece() -> None:
    redactor = StreamRedactor()
    assert redactor.feed("a s") == "a "
    assert redactor.feed("k") == ""
    assert redactor.feed("y") == "sky"
    assert redactor.feed(" token") == " "
    assert redactor.feed(" ring") == "token ring"


def test_flush_makes_the_redactor_new() -> None:
    redactor = StreamRedactor()
    redactor.feed("sk-")
    assert redactor.flush() == "sk-"
    assert redactor.feed(BODY + " ") == BODY + " "


def test_a_hostile_text_costs_no_more_than_a_plain_one_should() -> None:
    hostile = [
        "sk-" + "a" * 100_000,
        "sk-" * 30_000,
        "api_key=" + "a_" * 50_000,
        "-----BEGIN PRIVATE KEY-----\n" * 3000,
    ]
    hostile += ["://" + "a:" * 50_000, "eyJ" + "a" * 9 + ".eyJ" * 30_000, "Bearer " * 20_000, "-" * 100_000]
    for text in hostile:
        began = time.process_time()
        redact(text)
        assert time.process_time() - began < 5  # a quadratic one takes minutes


def test_an_ordinary_piece_costs_little() -> None:
    """About 1 µs each on a quiet machine; the bound leaves room for a busy one."""
    pieces = re.findall(r"\s?\w+|\W", "The quick brown fox jumps over the lazy dog, twice; see section 4.2 (above).\n")
    redactor = StreamRedactor()
    best = float("inf")
    for _ in range(50):
        began = time.process_time()
        for piece in pieces:
            redactor.feed(piece)
        best = min(best, (time.process_time() - began) / len(pieces))
    assert best < 10e-6


def test_children_get_no_keys() -> None:
    register_secret("~-key-under-an-odd-name")
    environ = {
        "PATH": "/bin",
        "HOME": "/home/x",
        "KEYBOARD": "de",
        "SSH_AUTH_SOCK": "/tmp/s",
        "ONBOOK_MODEL": "x",
        "OPENAI_API_KEY": "1",
        "hf_token": "1",
        "GITHUB_TOKEN": "1",
        "AWS_SECRET_ACCESS_KEY": "1",
        "AWS_ACCESS_KEY_ID": "1",
        "CLIENT_SECRET": "1",
        "API_KEY": "1",
        "ODD": "~-key-under-an-odd-name",
        "MY_ROUTE": "1",
        "SECRET_KEY": "1",
        "PGPASSWORD": "1",
        "MYSQL_PWD": "1",
        "DB_PASS": "1",
        "STRIPE_KEY": "1",
        "SECRET_KEY_BASE": "1",
        "NPM_CONFIG__AUTH": "1",
        "SHAPED": KEYS["OpenAI"],
        "INSIDE": f"--header=X:{KEYS['GitHub']}",
    }
    kept = without_keys(environ, key_names=["MY_ROUTE"])
    assert set(kept) == {"PATH", "HOME", "KEYBOARD", "SSH_AUTH_SOCK", "ONBOOK_MODEL"}
