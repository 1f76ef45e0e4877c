"""The graph: state, nodes, routes, and the one place that changes an order.

START → orchestrator ──no tool calls──→ END
            │    ↑
       tool calls │ continue
            ↓    │
          tools → update_order ──order submitted──→ END
"""

import re
import uuid
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.managed import RemainingSteps
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from orchestrator import prompts
from orchestrator.catalog import Catalog
from orchestrator.context import Context
from orchestrator.embedded.chat_model import EmbeddedChatModel
from orchestrator.embedded.phrase import Speaker
from orchestrator.enums import OrderStatus
from orchestrator.models import Order
from orchestrator.results import added_line, is_finalized, latest_batch, lines_facts
from orchestrator.tools import TOOLS, explain_invalid_call, on_the_loop

# Supersteps of one turn: eight rounds of orchestrator, tools, update_order. A family's order takes three.
RECURSION_LIMIT: Final = 25
_STEPS_OF_A_ROUND: Final = 3
_LARGEST: Final = 2**63  # msgpack stores no larger integer
_ECHO: Final = 40  # digits of it that are kept
_REASONING: Final = re.compile(r"<reasoning>(.*?)(?:</reasoning>|\Z)", re.DOTALL | re.IGNORECASE)

Graph = CompiledStateGraph["DriveThruState", Context, Any, Any]


def latest_order(_current: Order | None, update: Any) -> Order:
    """The reducer of `current_order`: the newest one, as a model even when it arrives as JSON."""
    return Order.model_validate(update)


def append_entries(current: list[str] | None, update: list[str]) -> list[str]:
    """The reducer of `reasoning`: entries are only ever appended."""
    return [*(current or []), *update]


class DriveThruState(MessagesState):
    """What a conversation remembers. The menu is not in it: see `context.Context`."""

    current_order: Annotated[Order, latest_order]
    reasoning: Annotated[list[str], append_entries]
    menu_id: str
    menu_version: str
    remaining_steps: RemainingSteps


def extract_reasoning(content: str) -> tuple[str, str]:
    """Split a model's text into why (`<reasoning>`, joined, may be cut off) and what the customer hears."""
    why = " ".join(part.strip() for part in _REASONING.findall(content))
    return why.strip(), _REASONING.sub("", content).strip()


def should_continue(state: DriveThruState) -> Literal["tools", "respond"]:
    """After the orchestrator: run the tools it called, or end the turn with what it said."""
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else "respond"


def should_end_after_update(state: DriveThruState) -> Literal["end", "continue"]:
    """After the update: end when this batch submitted the order, else let the orchestrator go on."""
    messages = state["messages"]
    batch = latest_batch(messages) or latest_batch(messages[:-1])  # the goodbye may stand behind it already
    return "end" if any(map(is_finalized, batch)) else "continue"


def update_order(state: DriveThruState) -> dict[str, Any]:
    """Apply the latest batch of tool answers to the order, in call order. Nothing else changes an order.

    A submitted order gets its spoken goodbye here, so that the history never ends on a tool's answer.
    """
    order = Order.model_validate(state.get("current_order") or Order())
    batch = latest_batch(state["messages"])
    for message in batch:
        line = added_line(message)
        if line is not None and order.status is OrderStatus.OPEN:
            order = order + line
    if not any(map(is_finalized, batch)):
        return {"current_order": order}
    goodbye = prompts.sentence("goodbye", _turn(state["messages"]))
    return {"current_order": order.submitted(), "messages": [AIMessage(goodbye)]}


def build_graph(
    model: BaseChatModel | None = None, *, checkpointer: BaseCheckpointSaver[str] | None = None
) -> Graph:
    """The drive-thru graph.

    Args:
        model: any chat model with tool calling; None is the embedded engine, on the run's menu.
        checkpointer: keeps conversations; None for one-shot runs and for Studio, which brings its own.
    """
    bound = model.bind_tools(TOOLS) if model else None

    async def orchestrator(state: DriveThruState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Compile the prompt from the state, ask the model, and keep its reasoning apart from its words."""
        catalog = (runtime.context or Context()).catalog
        answer = await _ask(bound or _embedded(catalog), state, catalog)
        return answer if state.get("menu_id") else {**_opening(state, catalog), **answer}

    builder = StateGraph(DriveThruState, context_schema=Context)
    builder.add_node("orchestrator", orchestrator)
    builder.add_node("tools", ToolNode(TOOLS, handle_tool_errors=explain_invalid_call))
    builder.add_node("update_order", on_the_loop(update_order))
    builder.add_edge(START, "orchestrator")
    builder.add_conditional_edges(
        "orchestrator", on_the_loop(should_continue), {"tools": "tools", "respond": END}
    )
    builder.add_edge("tools", "update_order")
    builder.add_conditional_edges(
        "update_order", on_the_loop(should_end_after_update), {"end": END, "continue": "orchestrator"}
    )
    compiled = builder.compile(checkpointer=checkpointer, name="drive_thru")
    compiled.stream_eager = True  # an update is seen before the checkpoint is written: see docs/adr/003
    return compiled.with_config(recursion_limit=RECURSION_LIMIT)


@lru_cache(maxsize=8)
def _embedded(catalog: Catalog) -> Runnable[LanguageModelInput, AIMessage]:
    """The engine for a menu; LangChain describes a model once for its callbacks, so it is kept."""
    return EmbeddedChatModel(catalog=catalog).bind_tools(TOOLS)


async def _ask(
    model: Runnable[LanguageModelInput, AIMessage], state: DriveThruState, catalog: Catalog
) -> dict[str, Any]:
    messages = state["messages"]
    order = Order.model_validate(state.get("current_order") or Order())
    if state.get("remaining_steps", RECURSION_LIMIT) <= _STEPS_OF_A_ROUND:
        lines = Speaker(catalog, 0).lines(lines_facts(order))
        words = prompts.sentence("stuck", _turn(messages), order=f"So far I have {lines}." if lines else "")
        return _said(AIMessage(" ".join(words.split())), "stopped: too many rounds of tools")
    system = SystemMessage(prompts.system_prompt(catalog, order))
    answer = await model.ainvoke([system, *messages])
    why, words = extract_reasoning(answer.text)
    # Arguments that were cut off look whole once a parser has closed their brackets: none of them is trusted.
    cut_off = answer.response_metadata.get("finish_reason") == "length"
    sound, broken = ([], answer.tool_calls) if cut_off else (answer.tool_calls, [])
    calls = _with_ids([*sound, *map(_unreadable_call, [*broken, *answer.invalid_tool_calls])])
    if not calls and not words:
        words = prompts.sentence("unheard", _turn(messages))
    heard = answer.model_copy(update={"content": words, "tool_calls": calls, "invalid_tool_calls": []})
    return _said(heard, why)


def _opening(state: DriveThruState, catalog: Catalog) -> dict[str, Any]:
    """What Studio leaves out of a first message. An order that is not written would be another each run."""
    order = Order.model_validate(state.get("current_order") or Order())
    return {
        "current_order": order,
        "menu_id": catalog.menu.menu_id,
        "menu_version": catalog.menu.menu_version,
    }


def _said(message: AIMessage, why: str) -> dict[str, Any]:
    names = ", ".join(call["name"] for call in message.tool_calls)
    entry = f"[TOOL_CALL] {names}: {why}" if names else f"[DIRECT] {why}"
    return {"messages": [message], "reasoning": [entry]}


def _unreadable_call(call: Any) -> dict[str, Any]:
    """A call whose arguments were no JSON, as one that the tool itself will refuse and explain."""
    return {
        "name": call.get("name") or "unknown",
        "args": {"unreadable": str(call.get("args"))[:200]},
        "id": call.get("id"),
        "type": "tool_call",
    }


def _with_ids(calls: Sequence[Any]) -> list[dict[str, Any]]:
    """The calls with an id of its own each: some servers leave ids out or give one to a whole batch."""
    named: dict[str, dict[str, Any]] = {}
    for call in calls:
        own = call["id"] if call["id"] and call["id"] not in named else str(uuid.uuid4())
        named[own] = {**call, "id": own, "args": {k: _storable(v) for k, v in call["args"].items()}}
    return list(named.values())


def _storable(value: Any) -> Any:
    """A number too large for a checkpoint as its digits; the tool refuses either."""
    return str(value)[:_ECHO] if isinstance(value, int) and abs(value) >= _LARGEST else value


def _turn(messages: list[AnyMessage]) -> int:
    return sum(isinstance(message, HumanMessage) for message in messages)


graph: Final = build_graph()
