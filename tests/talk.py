"""Talk to the real graph, one utterance at a time, and look at what came of it."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from orchestrator.context import Context
from orchestrator.graph import Graph
from orchestrator.models import Order
from orchestrator.persistence import serializer

CONFIG: RunnableConfig = {"configurable": {"thread_id": "lane-1"}}


def new_saver() -> InMemorySaver:
    """A checkpointer that writes as the product's do."""
    return InMemorySaver(serde=serializer())


@dataclass
class Talk:
    """A conversation with a graph that was compiled with a checkpointer."""

    graph: Graph
    context: Context = field(default_factory=Context)

    def say(self, text: str, **state: Any) -> str:
        """One turn: what the customer hears. The conversation must end on a spoken sentence."""
        return self.run({"messages": [HumanMessage(text)], **state})

    def run(self, values: Any) -> str:
        """Run the graph, or go on where it failed for None."""
        asyncio.run(self.graph.ainvoke(values, config=CONFIG, context=self.context, durability="exit"))
        last = self.messages[-1]
        assert isinstance(last, AIMessage), "the history ends on the crew's words"
        assert not last.tool_calls
        assert last.text.strip()
        return last.text

    @property
    def state(self) -> dict[str, Any]:
        """The checkpoint's state."""
        return dict(self.graph.get_state(CONFIG).values)

    @property
    def messages(self) -> list[AnyMessage]:
        """The conversation so far."""
        return list(self.state["messages"])

    @property
    def order(self) -> Order:
        """The order so far."""
        order = self.state["current_order"]
        assert isinstance(order, Order)
        return order

    @property
    def lines(self) -> list[tuple[str, int]]:
        """Item ids and quantities."""
        return [(line.item_id, line.quantity) for line in self.order.items]

    @property
    def reasoning(self) -> list[str]:
        """Why, an entry for each answer of the model."""
        return list(self.state["reasoning"])

    @property
    def last_turn(self) -> list[AnyMessage]:
        """The messages since the customer last spoke."""
        messages = self.messages
        start = max(i for i, m in enumerate(messages) if isinstance(m, HumanMessage))
        return messages[start + 1 :]

    @property
    def tool_calls(self) -> list[str]:
        """The tools called since the customer last spoke, in order."""
        return [call["name"] for m in self.last_turn if isinstance(m, AIMessage) for call in m.tool_calls]

    @property
    def tool_answers(self) -> list[ToolMessage]:
        """What the tools answered since the customer last spoke."""
        return [m for m in self.last_turn if isinstance(m, ToolMessage)]
