"""Which names are special: secrets that models may not read, folders they may not write, names nobody may use.

Names are compared as the most forgiving file system would see them: any case, any Unicode form, without
invisible characters. Treating a name as special once too often costs a question; missing one costs a key.
"""

import re
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

PROTECTED_FOLDERS = frozenset({".git", ".onbook", ".harness"})
"""Records and machinery: models never write there."""
_OWN_PAIRS = frozenset({(".config", "onbook"), ("state", "onbook"), ("application support", "onbook")})
"""Where the user's settings, answers and trust are kept, for a workspace that is the whole home."""

LEFT_OUT = (
    *(".env", ".env.*", ".envrc", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".*_history"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials.*", "secrets.*"),
)
"""Files that a search through a folder passes over; where any other secret lies there, the search is refused."""
LEFT_OUT_FOLDERS = (".git", ".onbook", ".harness", ".ssh", ".aws", ".gnupg")

_SECRET_FILE = re.compile(
    r"""
      \.env(?:rc)?(?:$|[.\-_~].*) | .*\.env(?:\.(?:bak|old|orig|save)|~)?
    | .*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|age|p8|ovpn|tfstate|tfvars)(?:\.(?:bak|old|orig|save)|~)?
    | id_[^.]* | (?:.*_)?(?:rsa|dsa|ecdsa|ed25519)(?:\.(?:bak|old|orig|save)|~)?
    | credentials?(?:$|[.\-_].*) | .*[._-]credentials?(?:\.(?:json|ya?ml|toml|ini|csv|txt))?
    | secrets?(?:$|\.(?:json|ya?ml|toml|ini|env|txt)) | .*service[_-]?account.*\.json | client_secret.*\.json
    | \.netrc | _netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.git-credentials | \.htpasswd | \.boto | \.s3cfg
    | \.dockercfg | \.vault-token | \.(?:bash|zsh|python|psql|mysql|node_repl)_history | \.terraformrc | \.yarnrc\.yml
    | kubeconfig(?:\..*)? | shadow | authorized_keys | known_hosts | \.authinfo(?:\..*)? | auth\.json
    """,
    re.X | re.S,
)
_KEY_ENDINGS = (
    *("pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"),
    *("asc", "gpg", "age", "p8", "ovpn", "tfstate", "tfvars"),
)
_KEY_KINDS = ("rsa", "dsa", "ecdsa", "ed25519")
_TEXT_ENDINGS = ("json", "yml", "yaml", "toml", "ini", "env", "txt")
_SPARE = ("", ".*", "~")
_HARMLESS = re.compile(r".*\.(?:example|sample|template|dist|pub)", re.S)
_SECRET_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".gpg", ".azure", ".gcloud", ".password-store", ".docker"})
_SECRET_PAIRS = frozenset(
    {(".kube", "config"), (".config", "gcloud"), (".config", "gh"), (".config", "onbook"), (".onbook", "undo")}
)
SECRET_GLOBS = tuple(
    f"**/{glob}"
    for glob in (
        *(".env*", "*.env", "*.env~", "*.env.*"),
        *("id_*", "credential*", "*[._-]credential*", "secret", "secrets", "client_secret*.json"),
        *(f"*.{ending}{spare}" for ending in _KEY_ENDINGS for spare in _SPARE),
        *(f"{start}{kind}{spare}" for kind in _KEY_KINDS for start in ("", "*_") for spare in _SPARE),
        *(f"{name}.{ending}" for name in ("secret", "secrets") for ending in _TEXT_ENDINGS),
        *("*service*account*.json", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
        *(".boto", ".s3cfg", ".dockercfg", ".vault-token", ".*_history", ".terraformrc", ".yarnrc.yml", "kubeconfig*"),
        *("shadow", "authorized_keys", "known_hosts", ".authinfo*", "auth.json"),
        *(f"{folder}/**" for folder in sorted(_SECRET_FOLDERS)),
        *("/".join((*pair, "**")) for pair in sorted(_SECRET_PAIRS)),
        ".kube/config",
    )
)
"""The same files as git's patterns, rather too many than too few: for what shows many files at once."""
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.S)

_HALF_WRITTEN = re.compile(r"\.onbook-[0-9a-f]{16}\.tmp")
"""What `hands` and `workspace.files` call a file until it is whole."""


def is_half_written(name: str) -> bool:
    """Whether the name is one that only a kill in the middle of writing can leave behind."""
    return _HALF_WRITTEN.fullmatch(name) is not None


def fold(name: str) -> str:
    """The name as a forgiving file system sees it: `.GIT`, `.g<zero width>it` and `.git.` are all `.git`."""
    if name.isascii():
        return name.lower().rstrip(". ") or name
    visible = "".join(ch for ch in unicodedata.normalize("NFKC", name) if unicodedata.category(ch) != "Cf")
    folded = unicodedata.normalize("NFC", visible.casefold())
    return folded.rstrip(". ") or name


def looks_secret(parts: Sequence[str]) -> bool:
    """Whether a path (as names) looks like a place for keys. `.git/config` depends on what it holds."""
    names = [fold(part) for part in parts]
    if _SECRET_FOLDERS.intersection(names) or any(pair in _SECRET_PAIRS for pair in pairwise(names)):
        return True
    return bool(names) and bool(_SECRET_FILE.fullmatch(names[-1])) and not _HARMLESS.fullmatch(names[-1])


def is_git_config(parts: Sequence[str]) -> bool:
    """`.git/config` and its like, which hold a key when a remote's URL does."""
    names = [fold(part) for part in parts]
    return ".git" in names and names[-1] in ("config", "config.worktree", "credentials")


def is_protected(parts: Sequence[str]) -> bool:
    """Whether models must not write there."""
    names = [fold(part) for part in parts]
    if any(name in PROTECTED_FOLDERS or name in ("git~1", "onbook~1") for name in names):
        return True
    return any(pair in _OWN_PAIRS for pair in pairwise(names))


def is_hidden(parts: Sequence[str]) -> bool:
    """Whether any of the names begins with a dot."""
    return any(part.startswith(".") for part in parts)


def is_left_out(parts: Sequence[str]) -> bool:
    """Whether a search through a folder passes over it; to the letter, as programs compare."""
    return any(name in LEFT_OUT_FOLDERS for name in parts) or any(fnmatchcase(parts[-1], name) for name in LEFT_OUT)


def is_device_name(name: str) -> bool:
    """A name that opens a device on some systems, such as `CON` or `nul.txt`."""
    return bool(_DEVICE.fullmatch(fold(name)))


def has_credentials(config: bytes) -> bool:
    """Whether a git config carries a password or a token."""
    return bool(_CREDENTIALS.search(config))


_CREDENTIALS = re.compile(rb"://[^\s/@]+@|extraheader|\[\s*credential|password|token|secret", re.I)
