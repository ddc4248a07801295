"""Context windows of cloud models whose API does not tell. Unknown is None, never a guess and never zero."""

# Names of open weights stand here only as the providers' own APIs spell them: a local server may run the same
# model with any window.
_KNOWN = {
    "claude-": 200_000,
    "codestral-latest": 256_000,
    "command-a-": 256_000,
    "command-r-": 128_000,
    "deepseek-chat": 128_000,
    "deepseek-reasoner": 128_000,
    "gemini-": 1_048_576,
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-0125": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4.5": 128_000,
    "gpt-4o": 128_000,
    "gpt-5": 400_000,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "magistral-medium": 128_000,
    "mistral-large-latest": 128_000,
    "mistral-medium": 128_000,
    "mistral-small-latest": 128_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4-mini": 200_000,
}
_LONGEST_FIRST = sorted(_KNOWN, key=len, reverse=True)


def known_window(model: str) -> int | None:
    """The window of a known cloud model, by the longest name it begins with (`openai/gpt-4o-mini` too)."""
    name = model.lower().rsplit("/", 1)[-1]
    return next((_KNOWN[prefix] for prefix in _LONGEST_FIRST if name.startswith(prefix)), None)
