"""The seed's v1 design, as its documents give it: the menu as a pydantic object in the checkpointed state.

Only what decides what a checkpoint holds is here: the seed's models, its state, its tools with
`InjectedState("menu")`, its `update_order`, its default durability. What the model says is scripted.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from bare_graph import Recording, scripted
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from orchestrator.enums import CategoryName, Size
from pydantic import BaseModel, Field


class Modifier(BaseModel):
    """What can be changed about an item, or was."""

    modifier_id: str
    name: str


class Item(BaseModel):
    """A menu item or an order line."""

    item_id: str
    name: str
    category_name: CategoryName
    default_size: Size
    size: Size | None = None
    quantity: int = 1
    modifiers: list[Modifier] = Field(default_factory=list)
    available_modifiers: list[Modifier] = Field(default_factory=list)


class Location(BaseModel):
    """The restaurant."""

    id: str
    name: str
    address: str
    city: str
    state: str
    zip: str
    country: str


class Menu(BaseModel):
    """Everything a restaurant sells."""

    menu_id: str
    menu_name: str
    menu_version: str
    location: Location
    items: list[Item]


class Order(BaseModel):
    """What was ordered."""

    order_id: str
    items: list[Item] = Field(default_factory=list)


class SeedState(MessagesState):
    """The seed's state."""

    menu: Menu
    current_order: Order


SEED_TYPES = (Menu, Order, Item, Modifier, Location, CategoryName, Size)


@tool
def lookup_menu_item(item_name: str, menu: Annotated[Menu, InjectedState("menu")]) -> dict[str, Any]:
    """Look up a menu item by name."""
    item = next((i for i in menu.items if i.name.lower() == item_name.lower()), None)
    if item is None:
        return {"found": False, "requested": item_name, "suggestions": []}
    return {
        "found": True,
        "item_id": item.item_id,
        "name": item.name,
        "category_name": item.category_name.value,
        "default_size": item.default_size.value,
        "available_modifiers": [m.model_dump() for m in item.available_modifiers],
    }


@tool
def add_item_to_order(  # noqa: PLR0913, PLR0917 - the seed's signature
    menu: Annotated[Menu, InjectedState("menu")],
    item_id: str,
    item_name: str,
    category_name: str,
    quantity: int = 1,
    size: str | None = None,
) -> dict[str, Any]:
    """Add an item to the order."""
    item = next((i for i in menu.items if i.item_id == item_id), None)
    if item is None:
        return {"added": False, "error": f"Item '{item_id}' not found on menu."}
    return {
        "added": True,
        "item_id": item_id,
        "item_name": item_name,
        "category_name": category_name,
        "quantity": quantity,
        "size": size or item.default_size.value,
        "modifiers": [],
    }


SEED_TOOLS: list[BaseTool] = [lookup_menu_item, add_item_to_order]


def update_order(state: SeedState) -> dict[str, Any]:
    """Fold the answers after the last AI message into the order."""
    last = max(i for i, m in enumerate(state["messages"]) if isinstance(m, AIMessage))
    items = list(state["current_order"].items)
    for message in state["messages"][last + 1 :]:
        if isinstance(message, ToolMessage) and message.name == "add_item_to_order":
            facts = json.loads(str(message.content))
            menu_item = next(i for i in state["menu"].items if i.item_id == facts["item_id"])
            items.append(
                Item(
                    item_id=menu_item.item_id,
                    name=menu_item.name,
                    category_name=menu_item.category_name,
                    default_size=menu_item.default_size,
                    size=Size(facts["size"]),
                    quantity=facts["quantity"],
                )
            )
    return {"current_order": Order(order_id=state["current_order"].order_id, items=items)}


def seed_graph(turns: Mapping[str, Recording], checkpointer: BaseCheckpointSaver[Any]) -> Any:
    """The seed's graph around a scripted model."""

    async def orchestrator(state: SeedState) -> dict[str, Any]:
        return {"messages": [scripted(turns, state["messages"])]}

    def should_continue(state: SeedState) -> Literal["tools", "__end__"]:
        return "tools" if getattr(state["messages"][-1], "tool_calls", None) else "__end__"

    builder = StateGraph(SeedState)
    builder.add_node("orchestrator", orchestrator)
    builder.add_node("tools", ToolNode(SEED_TOOLS))
    builder.add_node("update_order", update_order)
    builder.add_edge(START, "orchestrator")
    builder.add_conditional_edges("orchestrator", should_continue)
    builder.add_edge("tools", "update_order")
    builder.add_edge("update_order", "orchestrator")
    return builder.compile(checkpointer=checkpointer)


def seed_serializer() -> JsonPlusSerializer:
    """The serializer with the seed's types allowed, so that its models come back as models."""
    return JsonPlusSerializer(allowed_msgpack_modules=SEED_TYPES)
