"""The official OpenAI SDK, as its documentation says to stream."""

import asyncio
import sys

from openai import AsyncOpenAI

from benchmarks.workers.report import report_calls


async def main(url: str, key: str) -> None:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:

        async def call() -> str:
            text: list[str] = []
            stream = await client.chat.completions.create(
                model="llama3:latest",
                messages=[{"role": "user", "content": "Say hello"}],
                stream=True,
                stream_options={"include_usage": True},
            )
            async for chunk in stream:
                for choice in chunk.choices:
                    text.append(choice.delta.content or "")
            return "".join(text)

        await report_calls(call)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
