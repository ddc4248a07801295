"""The endpoints that describe models: OpenAI's and Anthropic's lists, Ollama's /api, llama.cpp's /props."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .faults import Status
from .known_errors import anthropic_model_not_found, ollama_model_not_found, openai_model_not_found
from .replies import count_tokens, pieces
from .request import Request

CREATED_AT = "2025-10-09T08:53:20Z"
DIGEST = "365c0bd3c000a25d28ddbf732fe1c6add414de7275464c4e4d1c3b5fcb5d8ad1"
OLLAMA_DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "llama",
    "families": ["llama"],
    "parameter_size": "8.0B",
    "quantization_level": "Q4_0",
}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The models the server has, and what it tells about them."""

    models: tuple[str, ...] = ("llama3:latest",)
    context: Mapping[str, int] = field(default_factory=dict)
    """The window of a model; 8192 where it is not given."""
    num_ctx: Mapping[str, int] = field(default_factory=dict)
    """Ollama's `num_ctx` parameter of a model, where its Modelfile sets one."""
    context_field: str | None = None
    """Adds the window to /v1/models: `max_model_len` as vLLM does, `context_length` as OpenRouter does."""

    def named(self, name: str) -> str | None:
        """The model of that name, with or without Ollama's `:latest`."""
        return next((model for model in self.models if model in (name, f"{name}:latest")), None)

    def window(self, model: str) -> int:
        return self.context.get(model, 8192)


def openai_models(catalogue: Catalogue, request: Request) -> Status:
    def entry(model: str) -> dict[str, Any]:
        described = {"id": model, "object": "model", "created": 1_760_000_000, "owned_by": "scripted"}
        return described | _window(catalogue, model)

    name = request.path.removeprefix("/v1/models").strip("/")
    if not name:
        return Status(200, {"object": "list", "data": [entry(model) for model in catalogue.models]})
    known = catalogue.named(name)
    return Status(200, entry(known)) if known else openai_model_not_found(name)


def anthropic_models(catalogue: Catalogue, request: Request) -> Status:
    def entry(model: str) -> dict[str, Any]:
        described = {"type": "model", "id": model, "display_name": model.title(), "created_at": CREATED_AT}
        return described | _window(catalogue, model)

    name = request.path.removeprefix("/v1/models").strip("/")
    if name:
        known = catalogue.named(name)
        return Status(200, entry(known)) if known else anthropic_model_not_found(name)
    data = [entry(model) for model in catalogue.models]
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {"first_id": None, "last_id": None}
    return Status(200, {"data": data, "has_more": False, **ends})


def ollama_tags(catalogue: Catalogue, request: Request) -> Status:
    return Status(200, {"models": [_ollama_model(model) for model in catalogue.models]})


def ollama_ps(catalogue: Catalogue, request: Request) -> Status:
    """Ollama lists what is loaded; here the first model always is."""
    loaded = [
        _ollama_model(model)
        | {
            "expires_at": "2038-01-01T00:00:00Z",
            "size_vram": 0,
            "context_length": catalogue.num_ctx.get(model, 4096),
        }
        for model in catalogue.models[:1]
    ]
    return Status(200, {"models": loaded})


def ollama_show(catalogue: Catalogue, request: Request) -> Status:
    model = catalogue.named(request.model)
    if model is None:
        return ollama_model_not_found(request.model, native=True)
    parameters = ['stop                           "<|eot_id|>"']
    if model in catalogue.num_ctx:
        parameters.insert(0, f"num_ctx                        {catalogue.num_ctx[model]}")
    shown = {
        "modelfile": f"FROM {model}",
        "parameters": "\n".join(parameters),
        "template": "{{ .Prompt }}",
        "details": OLLAMA_DETAILS,
        "model_info": {
            "general.architecture": "llama",
            "general.parameter_count": 8_030_261_248,
            "llama.context_length": catalogue.window(model),
            "llama.embedding_length": 4096,
        },
        "capabilities": ["completion", "tools"],
        "modified_at": CREATED_AT,
    }
    return Status(200, shown)


def ollama_version(catalogue: Catalogue, request: Request) -> Status:
    return Status(200, {"version": "0.12.6"})


def llama_cpp_props(catalogue: Catalogue, request: Request) -> Status:
    model = catalogue.models[0]
    props = {
        "default_generation_settings": {
            "id": 0,
            "n_ctx": catalogue.window(model),
            "params": {"n_predict": -1},
        },
        "total_slots": 1,
        "model_path": f"/models/{model}.gguf",
        "chat_template": "{{ messages }}",
        "build_info": "b6700-scripted",
    }
    return Status(200, props)


def llama_cpp_tokenize(catalogue: Catalogue, request: Request) -> Status:
    text = str(request.body.get("content", "")) if isinstance(request.body, dict) else ""
    tokens = [sum(piece.encode()) for piece in pieces(text, 4)]
    return Status(200, {"tokens": tokens[: count_tokens(text)]})


def llama_cpp_health(catalogue: Catalogue, request: Request) -> Status:
    return Status(200, {"status": "ok"})


def _window(catalogue: Catalogue, model: str) -> dict[str, int]:
    return {catalogue.context_field: catalogue.window(model)} if catalogue.context_field else {}


def _ollama_model(model: str) -> dict[str, Any]:
    return {
        "name": model,
        "model": model,
        "modified_at": CREATED_AT,
        "size": 4_661_224_676,
        "digest": DIGEST,
        "details": OLLAMA_DETAILS,
    }
