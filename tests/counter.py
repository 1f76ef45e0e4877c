"""A conversation in which the test plays the model: it calls tools, the real nodes answer and apply."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from orchestrator.context import Context
from orchestrator.enums import CategoryName, ModifierAction
from orchestrator.graph import DriveThruState, update_order
from orchestrator.models import Order
from orchestrator.tools import TOOLS, explain_invalid_call

from tests.scripted import adds, calls, says
from tests.shops import SML, dish, extra, write_menu

Call = tuple[str, dict[str, Any]]
Facts = dict[str, Any]
LATTE: Final = dish(
    "Latte", "Cream", extra("Shot", actions=[ModifierAction.ADD]), sizes=SML, category=CategoryName.COFFEE_TEA
)
WINGS: Final = dish("Hot Wings", "Sesame", category=CategoryName.CHICKEN_FISH)
TACO: Final = dish("Fish Taco")
SOLD_OUT: Final = dish("Plum Cake", available=False)
ADD_LATTE: Final = adds("latte", "Latte")
ADD_TACO: Final = adds("fish-taco", "Fish Taco")


@dataclass
class Counter:
    """The order so far, and the messages that made it."""

    context: Context
    messages: list[AnyMessage] = field(default_factory=lambda: [HumanMessage("Hi")])
    order: Order = field(default_factory=Order)

    def call(self, *made: Call) -> list[Facts]:
        """Call tools in one batch; what each answered, in call order."""
        return self.send(calls(*made, first_id=len(self.messages) * 100))

    def send(self, message: AIMessage) -> list[Facts]:
        """Run one batch; what each call answered, in call order."""
        builder = StateGraph(DriveThruState, context_schema=Context)
        builder.add_node("tools", ToolNode(TOOLS, handle_tool_errors=explain_invalid_call))
        builder.add_node("update_order", update_order)
        builder.add_edge(START, "tools")
        builder.add_edge("tools", "update_order")
        builder.add_edge("update_order", END)
        state: Any = {"messages": [*self.messages, message], "current_order": self.order}
        result = builder.compile().invoke(state, context=self.context)
        self.messages, self.order = result["messages"], result["current_order"]
        ids = [c["id"] for c in message.tool_calls]
        answers = {m.tool_call_id: m for m in self.messages if isinstance(m, ToolMessage)}
        return [facts_of(str(answers[i].content)) for i in ids if i is not None]

    def customer(self, words: str = "Yes") -> None:
        """The crew has spoken, and the customer answers."""
        self.messages = [*self.messages, says("Okay?"), HumanMessage(words)]

    @property
    def lines(self) -> list[tuple[str, int, str]]:
        """The order's lines: id, quantity, size."""
        return [(line.item_id, line.quantity, line.size.value) for line in self.order.items]


def facts_of(content: str) -> Facts:
    """What a tool's message says; `{"text": …}` when it is no JSON."""
    try:
        return dict(json.loads(content))
    except ValueError:
        return {"text": content}


def open_counter(folder: Path, **limits: int) -> Counter:
    """A shop with a latte in three sizes, wings, a taco, and a cake that is sold out."""
    return Counter(Context(menu=write_menu(folder, LATTE, WINGS, TACO, SOLD_OUT), **limits))
