"""LangGraph and its OpenAI client: the chain as a graph of five nodes, with a gate behind each. It records nothing."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypedDict

from langchain_core.messages import HumanMessage, SystemMessage  # type: ignore[import-not-found]
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]
from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]

from benchmarks.workers.chain import MODEL, PROMPTS, SYSTEM, THRESHOLD, asked
from benchmarks.workers.report import report_calls


class State(TypedDict):
    """What goes from node to node."""

    reply: str
    confidence: float


async def main(url: str, key: str) -> None:
    model = ChatOpenAI(base_url=f"{url}/v1", api_key=key, model=MODEL, streaming=True, stream_usage=True)
    chain = _graph(model)

    async def call() -> str:
        state = await chain.ainvoke({"reply": "", "confidence": 0.0})
        if state["confidence"] < THRESHOLD:
            raise RuntimeError(f"stopped: {state!r}")
        return str(state["reply"])

    await report_calls(call)


def _graph(model: Any) -> Any:
    graph = StateGraph(State)
    names = list(PROMPTS)
    for name, body in PROMPTS.items():
        graph.add_node(name, _step(model, body))
    graph.add_edge(START, names[0])
    for name, following in zip(names, [*names[1:], END], strict=True):
        graph.add_conditional_edges(name, _gate(following), [following, END])
    return graph.compile()


def _step(model: Any, body: str) -> Callable[[State], Awaitable[State]]:
    async def step(state: State) -> State:
        text = ""
        async for chunk in model.astream([SystemMessage(SYSTEM), HumanMessage(asked(state["reply"], body))]):
            text += chunk.content
        reply, _, block = text.rpartition("\n\n")
        return {"reply": reply, "confidence": float(json.loads(block)["confidence"])}

    return step


def _gate(following: str) -> Callable[[State], str]:
    return lambda state: following if state["confidence"] >= THRESHOLD else END


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
