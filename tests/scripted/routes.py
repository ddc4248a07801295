"""Which path belongs to whom: the chat protocols and the listings, by the kind of server being played."""

from collections.abc import Callable

from . import anthropic_wire, embeddings, listings, ollama_wire, openai_wire
from .faults import Status
from .known_errors import ollama_model_not_found
from .listings import Catalogue
from .request import Request
from .wires import Wire

SPEAKS = ("openai", "anthropic", "ollama")
"""Played unless told otherwise; `llama.cpp` is the fourth that can be."""
LISTS_OPENAI = ("openai", "ollama", "llama.cpp")

Listing = Callable[[Catalogue, Request], Status]

WIRES: dict[str, tuple[tuple[str, ...], Wire]] = {
    "/v1/chat/completions": (LISTS_OPENAI, openai_wire.WIRE),
    "/v1/messages": (("anthropic",), anthropic_wire.WIRE),
    "/api/chat": (("ollama",), ollama_wire.WIRE),
}
LISTINGS: dict[tuple[str, str], tuple[str, Listing]] = {
    ("GET", "/api/tags"): ("ollama", listings.ollama_tags),
    ("GET", "/api/ps"): ("ollama", listings.ollama_ps),
    ("POST", "/api/show"): ("ollama", listings.ollama_show),
    ("POST", "/api/embed"): ("ollama", embeddings.ollama_embed),
    ("POST", "/v1/embeddings"): ("openai", embeddings.openai_embeddings),
    ("GET", "/api/version"): ("ollama", listings.ollama_version),
    ("GET", "/props"): ("llama.cpp", listings.llama_cpp_props),
    ("POST", "/tokenize"): ("llama.cpp", listings.llama_cpp_tokenize),
    ("GET", "/health"): ("llama.cpp", listings.llama_cpp_health),
}


def chat_wire(request: Request, speaks: frozenset[str]) -> Wire | None:
    """The protocol of a chat request, if this server speaks it."""
    kinds, wire = WIRES.get(request.path, ((), None))
    return wire if request.method == "POST" and speaks.intersection(kinds) else None


def error_wire(request: Request) -> Wire:
    """The protocol to complain in, whatever the path was."""
    is_anthropic = "anthropic-version" in request.headers or request.path == "/v1/messages"
    return anthropic_wire.WIRE if is_anthropic else openai_wire.WIRE


def listing(request: Request, speaks: frozenset[str]) -> Listing | None:
    """What answers a request about models, if this server has it."""
    if request.method == "GET" and (request.path + "/").startswith("/v1/models/"):
        if "anthropic-version" in request.headers and "anthropic" in speaks:
            return listings.anthropic_models
        return listings.openai_models if speaks.intersection(LISTS_OPENAI) else None
    kind, found = LISTINGS.get((request.method, request.path), ("", None))
    return found if kind in speaks else None


def unknown_model(request: Request, wire: Wire, speaks: frozenset[str]) -> Status:
    """The protocol's 404, in Ollama's words where the server plays nothing but Ollama."""
    if wire is openai_wire.WIRE and "openai" not in speaks and "ollama" in speaks:
        return ollama_model_not_found(request.model)
    return wire.unknown_model(request.model)
