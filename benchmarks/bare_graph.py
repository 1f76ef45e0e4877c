"""A turn's supersteps and nothing else: LangGraph, a scripted model, recorded tools, no checkpointer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from pydantic import Field


@dataclass(frozen=True)
class Recording:
    """What one turn did: its words, each answer of the model, each answer of a tool by its arguments."""

    heard: str
    said: Sequence[AIMessage]
    answers: Mapping[str, dict[str, Any]]

    @classmethod
    def turns_of(cls, messages: Sequence[AnyMessage]) -> dict[str, "Recording"]:
        """Take a conversation down: each turn under the customer's words."""
        starts = [i for i, message in enumerate(messages) if isinstance(message, HumanMessage)]
        ends = [*starts[1:], len(messages)]
        turns = [cls._of(messages[start:end]) for start, end in zip(starts, ends, strict=True)]
        return {turn.heard: turn for turn in turns}

    @classmethod
    def _of(cls, messages: Sequence[AnyMessage]) -> "Recording":
        said = [message for message in messages if isinstance(message, AIMessage)]
        arguments = {call["id"]: _key(call["name"], call["args"]) for m in said for call in m.tool_calls}
        answers = {
            arguments[message.tool_call_id]: json.loads(str(message.content))
            for message in messages
            if isinstance(message, ToolMessage)
        }
        return cls(messages[0].text, [m.model_copy(update={"id": None}) for m in said], answers)


class ScriptedModel(BaseChatModel):
    """Says what was recorded, whoever asks: it counts the answers since the customer's last words."""

    turns: dict[str, Recording] = Field(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=scripted(self.turns, messages))])


def scripted(turns: Mapping[str, Recording], messages: Sequence[BaseMessage]) -> AIMessage:
    """The recorded answer that comes next."""
    position = next(i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], HumanMessage))
    spoken = sum(isinstance(message, AIMessage) for message in messages[position:])
    return turns[messages[position].text].said[spoken].model_copy()


def recorded_tools(turns: Mapping[str, Recording]) -> list[BaseTool]:
    """Tools with the real names and arguments that answer with what was recorded."""
    answers = {key: answer for turn in turns.values() for key, answer in turn.answers.items()}

    @tool
    def lookup_menu_item(item_name: str) -> dict[str, Any]:
        """Look an item up."""
        return answers[_key("lookup_menu_item", {"item_name": item_name})]

    @tool
    def add_item_to_order(
        item_id: str, item_name: str, category_name: str, quantity: int, size: str | None = None
    ) -> dict[str, Any]:
        """Add an item."""
        arguments = {"item_id": item_id, "item_name": item_name, "category_name": category_name}
        sized = {"size": size} if size else {}
        return answers[_key("add_item_to_order", {**arguments, "quantity": quantity, **sized})]

    return [lookup_menu_item, add_item_to_order]


def replace_lines(_current: list[Any] | None, update: list[Any]) -> list[Any]:
    """A reducer, as the real order has one."""
    return update


class BareState(MessagesState):
    """Messages and something that grows like an order."""

    lines: Annotated[list[Any], replace_lines]


def bare_graph(turns: Mapping[str, Recording]) -> Any:
    """The real graph's supersteps around a scripted model and recorded tools."""
    model = ScriptedModel(turns=dict(turns))

    async def orchestrator(state: BareState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    def update(state: BareState) -> dict[str, Any]:
        return {"lines": [*state.get("lines", []), state["messages"][-1].text]}

    def route(state: BareState) -> Literal["tools", "__end__"]:
        return "tools" if getattr(state["messages"][-1], "tool_calls", None) else "__end__"

    builder = StateGraph(BareState)
    builder.add_node("orchestrator", orchestrator)
    builder.add_node("tools", ToolNode(recorded_tools(turns)))
    builder.add_node("update_order", update)
    builder.add_edge(START, "orchestrator")
    builder.add_conditional_edges("orchestrator", route)
    builder.add_edge("tools", "update_order")
    builder.add_edge("update_order", "orchestrator")
    return builder.compile()


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    return f"{name}{json.dumps(arguments, sort_keys=True)}"
