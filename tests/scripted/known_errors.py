"""The error answers of known providers, as they send them. Wordings were read off public issue reports.

The functions make one answer with numbers of your choice; the mappings below them are for parametrised tests.
"""

from typing import Any

from .faults import ErrorInStream, Status

REQUEST_ID = "req_011CWAgPbMohjStFaYrkLZCm"


def openai_overflow(limit: int = 8192, sent: int = 8227) -> Status:
    message = (
        f"This model's maximum context length is {limit} tokens. However, your messages resulted in {sent} "
        "tokens. Please reduce the length of the messages."
    )
    return Status(400, _openai(message, "invalid_request_error", "messages", "context_length_exceeded"))


def llama_cpp_overflow(limit: int = 8192, sent: int = 14429) -> Status:
    message = f"request ({sent} tokens) exceeds the available context size ({limit} tokens), try increasing it"
    error = {
        "code": 400,
        "message": message,
        "type": "exceed_context_size_error",
        "n_prompt_tokens": sent,
        "n_ctx": limit,
    }
    return Status(400, {"error": error})


def llama_cpp_overflow_in_stream() -> ErrorInStream:
    """The window fills up while the model is talking."""
    return ErrorInStream({"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}})


def vllm_overflow(limit: int = 65536, prompt: int = 61444, completion: int = 4093) -> Status:
    message = (
        f"This model's maximum context length is {limit} tokens. However, you requested {completion} output "
        f"tokens and your prompt contains at least {prompt} input tokens, for a total of at least "
        f"{prompt + completion} tokens. Please reduce the length of the input prompt or the number of "
        "requested output tokens."
    )
    return Status(400, _openai(message, "BadRequestError", "input_tokens", 400))


def vllm_old_overflow(limit: int = 6048, prompt: int = 568, completion: int = 6048) -> Status:
    message = _requested(limit, prompt, completion)
    error = {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}
    return Status(400, error)


def ollama_overflow(over: int = 1234, *, native: bool = False) -> Status:
    message = f"prompt too long; exceeded max context length by {over} tokens"
    return Status(400, _ollama(message, "invalid_request_error", native))


def anthropic_overflow(limit: int = 200000, sent: int = 208732) -> Status:
    return Status(400, _anthropic("invalid_request_error", f"prompt is too long: {sent} tokens > {limit} maximum"))


def openrouter_overflow(limit: int = 131072, prompt: int = 10535, completion: int = 131072) -> Status:
    message = (
        f"This endpoint's maximum context length is {limit} tokens. However, you requested about "
        f"{prompt + completion} tokens ({prompt} of text input, {completion} in the output). Please reduce "
        'the length of either one, or use the "middle-out" transform to compress your prompt automatically.'
    )
    return Status(400, {"error": {"message": message, "code": 400, "metadata": {"provider_name": "Chutes"}}})


def mistral_overflow(limit: int = 131072, sent: int = 159202) -> Status:
    message = (
        f"Prompt contains {sent} tokens and 0 draft tokens, too large for model with {limit} maximum context length"
    )
    error = {
        "object": "error",
        "message": message,
        "type": "invalid_request_invalid_args",
        "param": None,
        "code": "3051",
        "raw_status_code": 400,
    }
    return Status(400, error)


def deepseek_overflow(limit: int = 65536, prompt: int = 62247, completion: int = 4096) -> Status:
    message = _requested(limit, prompt, completion)
    return Status(400, _openai(message, "invalid_request_error", None, "invalid_request_error"))


def ollama_out_of_memory(needed: str = "5.6 GiB", free: str = "3.1 GiB", *, native: bool = False) -> Status:
    message = f"model requires more system memory ({needed}) than is available ({free})"
    return Status(500, _ollama(message, "api_error", native))


def ollama_cuda_out_of_memory(*, native: bool = False) -> Status:
    message = "llama runner process has terminated: cudaMalloc failed: out of memory"
    return Status(500, _ollama(message, "api_error", native))


def llama_cpp_out_of_memory() -> Status:
    """llama.cpp's own words for a failed allocation, in the shape of llama-server's errors."""
    message = "error loading model: unable to allocate CUDA0 buffer"
    return Status(500, {"error": {"code": 500, "message": message, "type": "server_error"}})


def torch_out_of_memory() -> Status:
    """Servers on PyTorch (vLLM, TGI and their like)."""
    message = (
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 7.79 GiB of which "
        "1.12 GiB is free."
    )
    return Status(500, _openai(message, "InternalServerError", None, 500))


def openai_unauthorized() -> Status:
    message = (
        "Incorrect API key provided: sk-nope***here. You can find your API key at "
        "https://platform.openai.com/account/api-keys."
    )
    return Status(401, _openai(message, "invalid_request_error", None, "invalid_api_key"))


def anthropic_unauthorized() -> Status:
    return Status(401, _anthropic("authentication_error", "invalid x-api-key"))


def openai_model_not_found(model: str = "gpt-4o") -> Status:
    message = f"The model `{model}` does not exist or you do not have access to it."
    return Status(404, _openai(message, "invalid_request_error", None, "model_not_found"))


def ollama_model_not_found(model: str = "llama3", *, native: bool = False) -> Status:
    message = f'model "{model}" not found, try pulling it first'
    return Status(404, _ollama(message, "not_found_error", native))


def anthropic_model_not_found(model: str = "claude-nope") -> Status:
    return Status(404, _anthropic("not_found_error", f"model: {model}"))


def openai_rate_limited(retry_after: str = "1") -> Status:
    message = (
        "Rate limit reached for gpt-4o in organization org-scripted on requests per min (RPM): Limit 500, "
        "Used 500, Requested 1. Please try again in 1s. Visit "
        "https://platform.openai.com/account/rate-limits to learn more."
    )
    return Status(429, _openai(message, "requests", None, "rate_limit_exceeded"), {"Retry-After": retry_after})


def openai_quota_spent() -> Status:
    """A 429 that no waiting mends."""
    message = (
        "You exceeded your current quota, please check your plan and billing details. For more information "
        "on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
    )
    return Status(429, _openai(message, "insufficient_quota", None, "insufficient_quota"))


def anthropic_rate_limited(retry_after: str = "1") -> Status:
    message = "This request would exceed your organization's rate limit of 50 requests per minute."
    return Status(429, _anthropic("rate_limit_error", message), {"Retry-After": retry_after})


def llama_cpp_loading() -> Status:
    return Status(503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}})


def ollama_busy(*, native: bool = False) -> Status:
    message = "server busy, please try again.  maximum pending requests exceeded"
    return Status(503, _ollama(message, "api_error", native))


def openai_overloaded() -> Status:
    message = "The server is currently overloaded with other requests. Sorry about that! Please try again."
    return Status(503, _openai(message, "server_error", None, None))


def anthropic_overloaded() -> Status:
    return Status(529, _anthropic("overloaded_error", "Overloaded"))


def anthropic_overloaded_in_stream() -> ErrorInStream:
    return ErrorInStream({"error": {"type": "overloaded_error", "message": "Overloaded"}})


def ollama_no_tools(model: str = "gemma3:4b", *, native: bool = False) -> Status:
    return Status(400, _ollama(f"registry.ollama.ai/library/{model} does not support tools", "api_error", native))


def llama_cpp_no_tools() -> Status:
    """llama-server without `--jinja`."""
    return Status(500, {"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"}})


def vllm_no_tools() -> Status:
    message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    return Status(400, _openai(message, "BadRequestError", None, 400))


def openrouter_no_tools() -> Status:
    message = (
        "No endpoints found that support tool use. To learn more about provider routing, visit: "
        "https://openrouter.ai/docs/provider-routing"
    )
    return Status(404, {"error": {"message": message, "code": 404}})


def _openai(message: str, kind: str, param: str | None, code: str | int | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": REQUEST_ID}


def _ollama(message: str, kind: str, native: bool) -> dict[str, Any]:  # noqa: FBT001
    """Ollama answers with a bare string on /api and in OpenAI's shape on /v1."""
    return {"error": message} if native else _openai(message, kind, None, None)


def _requested(limit: int, prompt: int, completion: int) -> str:
    return (
        f"This model's maximum context length is {limit} tokens. However, you requested "
        f"{prompt + completion} tokens ({prompt} in the messages, {completion} in the completion). Please "
        "reduce the length of the messages or completion."
    )


OVERFLOWS = {
    "openai": openai_overflow(),
    "llama.cpp": llama_cpp_overflow(),
    "vllm": vllm_overflow(),
    "vllm-old": vllm_old_overflow(),
    "ollama": ollama_overflow(),
    "ollama-native": ollama_overflow(native=True),
    "anthropic": anthropic_overflow(),
    "openrouter": openrouter_overflow(),
    "mistral": mistral_overflow(),
    "deepseek": deepseek_overflow(),
}
OUT_OF_MEMORY = {
    "ollama": ollama_out_of_memory(),
    "ollama-native": ollama_out_of_memory(native=True),
    "ollama-cuda": ollama_cuda_out_of_memory(),
    "llama.cpp": llama_cpp_out_of_memory(),
    "torch": torch_out_of_memory(),
}
UNAUTHORIZED = {"openai": openai_unauthorized(), "anthropic": anthropic_unauthorized()}
MODEL_NOT_FOUND = {
    "openai": openai_model_not_found(),
    "ollama": ollama_model_not_found(),
    "ollama-native": ollama_model_not_found(native=True),
    "anthropic": anthropic_model_not_found(),
}
RATE_LIMITED = {"openai": openai_rate_limited(), "anthropic": anthropic_rate_limited()}
OVERLOADED = {
    "openai": openai_overloaded(),
    "anthropic": anthropic_overloaded(),
    "ollama": ollama_busy(),
    "llama.cpp": llama_cpp_loading(),
}
NO_TOOLS = {
    "ollama": ollama_no_tools(),
    "ollama-native": ollama_no_tools(native=True),
    "llama.cpp": llama_cpp_no_tools(),
    "vllm": vllm_no_tools(),
    "openrouter": openrouter_no_tools(),
}
