"""The embedded engine as a LangChain chat model: a drop-in for a language model in the same graph."""

import json
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import ConfigDict

from orchestrator.catalog import Catalog, open_catalog
from orchestrator.embedded.decide import decide
from orchestrator.embedded.dialogue import Answer, Asked, Situation, Step
from orchestrator.results import added_line, answer_of, is_finalized


class EmbeddedChatModel(BaseChatModel):
    """Understands orders by rules, on whatever menu it is given; needs no key, no network, no training.

    It is stateless like any chat model: everything it knows comes from the messages. What its last reply
    asked travels in that message's `additional_kwargs`.

    Attributes:
        catalog: the menu it sells from; None is the default menu.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    catalog: Catalog | None = None

    @property
    def _llm_type(self) -> str:
        return "embedded"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],  # noqa: ARG002 - it knows its four
        *,
        tool_choice: str | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model itself: its decisions are written for the four tools of `tools.TOOLS`."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        step, seed = self._next_step(messages)
        message = AIMessage(
            content=f"<reasoning>{step.why}</reasoning>{step.reply}",
            tool_calls=_calls(step, seed),
            additional_kwargs=_asking(step.asks),
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return self._generate(messages)

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        step, seed = self._next_step(messages)
        calls = [
            tool_call_chunk(name=c["name"], args=json.dumps(c["args"]), id=c["id"], index=i)
            for i, c in enumerate(_calls(step, seed))
        ]
        *pieces, last = [f"<reasoning>{step.why}</reasoning>", *_spoken_pieces(step.reply)]
        for piece in pieces:
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content=last,
                tool_call_chunks=calls,
                additional_kwargs=_asking(step.asks),
                chunk_position="last",
            )
        )

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        # LangChain's own would hop to a thread and back for every word.
        for chunk in self._stream(messages):
            yield chunk

    def _next_step(self, messages: Sequence[BaseMessage]) -> tuple[Step, int]:
        situation = read_situation(messages)
        return decide(situation, self.catalog or open_catalog()), len(messages)


def read_situation(messages: Sequence[BaseMessage]) -> Situation:
    """Where the conversation stands, from its messages alone, whichever model wrote them."""
    spoken = [i for i, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if not spoken:
        return Situation("", turn=0)
    before, since = messages[: spoken[-1]], messages[spoken[-1] + 1 :]
    return Situation(
        utterance=messages[spoken[-1]].text,
        turn=len(spoken),
        answers=tuple(_answers(since)),
        asked=_asked(before),
        submitted=any(map(is_finalized, messages)),
        ordered=any(added_line(message) for message in messages),
        last_item=_last_item(messages),
    )


def _answers(messages: Sequence[BaseMessage]) -> Iterator[Answer]:
    arguments = {
        call["id"]: call["args"]
        for m in messages
        if isinstance(m, AIMessage)
        for call in m.tool_calls
        if call["id"]
    }
    for message in messages:
        if isinstance(message, ToolMessage):
            yield Answer(message.name or "", arguments.get(message.tool_call_id, {}), answer_of(message))


def _asked(before: Sequence[BaseMessage]) -> Asked:
    """What the last reply asked; a reply of another model is taken by the tools it used."""
    last = next((m for m in reversed(before) if isinstance(m, AIMessage)), None)
    if last is None:
        return Asked()
    noted = last.additional_kwargs.get("asking")
    if isinstance(noted, dict) and noted.get("kind") is not None:
        return Asked(noted["kind"], tuple(noted.get("options", ())), dict(noted.get("line", {})))
    turn_start = next((i for i in range(len(before) - 1, -1, -1) if isinstance(before[i], HumanMessage)), 0)
    tools = [m.name for m in before[turn_start:] if isinstance(m, ToolMessage)]
    return Asked("confirm" if tools and tools[-1] == "get_current_order" else "more")


def _last_item(messages: Sequence[BaseMessage]) -> str | None:
    for message in reversed(messages):
        facts = answer_of(message) if isinstance(message, ToolMessage) else {}
        if facts.get("item_id"):
            return str(facts["item_id"])
    return None


def _asking(asked: Asked) -> dict[str, Any]:
    noted: dict[str, Any] = {"kind": asked.kind}
    if asked.options:
        noted["options"] = list(asked.options)
    if asked.line:
        noted["line"] = asked.line
    return {"asking": noted}


def _calls(step: Step, seed: int) -> list[Any]:
    """Tool calls with ids that are the same whenever the turn is replayed, and unique in the conversation."""
    return [
        {
            "name": call.tool,
            "args": call.args,
            "id": f"call_{seed}_{i}_{zlib.crc32(json.dumps(call.args, sort_keys=True).encode()):08x}",
            "type": "tool_call",
        }
        for i, call in enumerate(step.calls)
    ]


def _spoken_pieces(reply: str) -> list[str]:
    """The reply in words, each with the space behind it, as a language model streams tokens."""
    words = reply.split(" ") if reply else []
    return [word + " " for word in words[:-1]] + words[-1:]
