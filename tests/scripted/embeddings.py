"""Texts as vectors, on OpenAI's and on Ollama's path: the same text always gives the same vector, and texts that share
words give vectors that are near each other."""

import math
import re
from hashlib import blake2b
from typing import Any

from .faults import Status
from .known_errors import ollama_model_not_found, openai_model_not_found
from .listings import Catalogue
from .request import Request

LENGTH = 64
MEANINGS = {"automobile": "car", "feline": "cat", "physician": "doctor"}
"""Words that mean the same here, as they would to a model."""


def vector_of(text: str, length: int = LENGTH) -> list[float]:
    """A direction for each word, added up."""
    sums = [0.0] * length
    for word in re.findall(r"\w+", text.lower()):
        signs = int.from_bytes(blake2b(MEANINGS.get(word, word).encode(), digest_size=length // 8).digest(), "big")
        for place in range(length):
            sums[place] += 1.0 if signs >> place & 1 else -1.0
    size = math.hypot(*sums) or 1.0
    return [value / size for value in sums]


def openai_embeddings(catalogue: Catalogue, request: Request) -> Status:
    if catalogue.named(request.model) is None:
        return openai_model_not_found(request.model)
    data = [
        {"object": "embedding", "index": at, "embedding": vector_of(text)} for at, text in enumerate(_texts(request))
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Status(200, {"object": "list", "data": data[::-1], "model": request.model, "usage": usage})


def ollama_embed(catalogue: Catalogue, request: Request) -> Status:
    if catalogue.named(request.model) is None:
        return ollama_model_not_found(request.model, native=True)
    vectors = [vector_of(text) for text in _texts(request)]
    return Status(200, {"model": request.model, "embeddings": vectors, "total_duration": 1_000_000})


def _texts(request: Request) -> list[str]:
    given: Any = request.body.get("input", []) if isinstance(request.body, dict) else []
    return [given] if isinstance(given, str) else [str(text) for text in given]
