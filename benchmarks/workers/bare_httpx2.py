"""The least that can be done with httpx2: read the lines, decode the JSON, collect the text."""

import asyncio
import json
import sys

import httpx2

from benchmarks.workers.report import report_calls


async def main(url: str, key: str) -> None:
    body = {
        "model": "llama3:latest",
        "messages": [{"role": "user", "content": "Say hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}) as client:

        async def call() -> str:
            text: list[str] = []
            async with client.stream("POST", f"{url}/v1/chat/completions", json=body) as response:
                async for line in response.aiter_lines():
                    if line.startswith("data: ") and line != "data: [DONE]":
                        for choice in json.loads(line[6:])["choices"]:
                            text.append(choice["delta"].get("content") or "")
            return "".join(text)

        await report_calls(call)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
