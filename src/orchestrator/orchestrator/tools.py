"""The four tools: they read, validate and answer with a dict. None changes anything.

A tool judges its call against the order *as the earlier calls of the same batch leave it*, because
`ToolNode` runs a batch in parallel on one state. What a model got wrong comes back as a sentence that
it can act on, never as an exception. `update_order` in `graph.py` applies what they propose.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolRuntime
from langgraph.prebuilt.tool_node import ToolInvocationError
from pydantic import BaseModel, Field, ValidationError

from orchestrator.context import Context
from orchestrator.enums import ModifierAction, OrderStatus, Size
from orchestrator.models import Item, Modifier, Order
from orchestrator.results import added_line, answer_of, line_facts, lines_facts, order_facts

_ECHO: Final = 80  # characters of a model's own words that an answer repeats at most

_T = TypeVar("_T")
Runtime = ToolRuntime[Context | None, dict[str, Any]]


class ModifierChoice(BaseModel):
    """One change to an item."""

    modifier_id: str = Field(description="A modifier_id that lookup_menu_item listed for this item")
    action: str = Field(default="add", description="add, no, extra or light")


class AddCall(BaseModel):
    """The arguments of one `add_item_to_order` call, as far as they matter: the category is the menu's."""

    item_id: str
    item_name: str
    quantity: int = 1
    size: str | None = None
    modifiers: list[ModifierChoice] | None = None


def on_the_loop(function: Callable[..., _T]) -> Callable[..., Awaitable[_T]]:
    """The same function as a coroutine, for work so short that LangGraph's thread would cost more than it."""

    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> _T:
        return function(*args, **kwargs)

    return call


def _tool(function: Callable[..., dict[str, Any]]) -> BaseTool:
    made = StructuredTool.from_function(function, on_the_loop(function), parse_docstring=True)
    # LangChain dumps all that a schema names on every call: without `runtime` in it, not the whole history.
    # A tool whose schema is empty is given nothing at all, so that one keeps it.
    return made.model_copy(update={"args_schema": made.tool_call_schema}) if made.args else made


@_tool
def lookup_menu_item(runtime: Runtime, item_name: str) -> dict[str, Any]:
    """Find a menu item by the name the customer used. Call this before adding an item.

    Args:
        runtime: Injected.
        item_name: The item's name as the customer said it, without quantity.
    """
    catalog = _context(runtime).catalog
    match = catalog.find(item_name)
    if match.item:
        return {"found": True, **_menu_facts(match.item)}
    suggestions = [item.name for item in catalog.suggest(item_name)]
    return {
        "found": False,
        "requested": item_name[:_ECHO],
        "ambiguous": bool(match.items),
        "suggestions": suggestions,
    }


@_tool
def add_item_to_order(  # noqa: PLR0913, PLR0917 - the seed's signature, which models know
    runtime: Runtime,
    item_id: str,
    item_name: str,
    category_name: str = "",  # noqa: ARG001 - the fact itself comes from the menu
    quantity: int = 1,
    size: str | None = None,
    modifiers: list[ModifierChoice] | None = None,
) -> dict[str, Any]:
    """Add a menu item to the customer's order. Look the item up first.

    Args:
        runtime: Injected.
        item_id: The item_id from lookup_menu_item.
        item_name: The item's name from lookup_menu_item.
        category_name: The item's category from lookup_menu_item.
        quantity: How many, at least 1.
        size: One of the item's available_sizes; leave out for the default.
        modifiers: Changes to the item, each one of its available_modifiers.
    """
    call = AddCall(item_id=item_id, item_name=item_name, quantity=quantity, size=size, modifiers=modifiers)
    order = _order(runtime)
    context = _context(runtime)
    for earlier in _earlier_adds(runtime):
        line = _propose(context, order, earlier)
        order = order if isinstance(line, str) else order + line
    line = _propose(context, order, call)
    return {"added": False, "error": line} if isinstance(line, str) else {"added": True, **line_facts(line)}


@_tool
def get_current_order(runtime: Runtime) -> dict[str, Any]:
    """Get the order so far, to read it back to the customer.

    Args:
        runtime: Injected.
    """
    return order_facts(_order(runtime))


@_tool
def finalize_order(runtime: Runtime) -> dict[str, Any]:
    """Submit the order to the kitchen, after reading it back and hearing the customer agree.

    Args:
        runtime: Injected.
    """
    order = _order(runtime)
    if refusal := _not_ready(runtime.state["messages"], order):
        return {"finalized": False, "order_id": order.order_id, "error": refusal}
    return {"finalized": True, "order_id": order.order_id}


TOOLS: Final[tuple[BaseTool, ...]] = (lookup_menu_item, add_item_to_order, get_current_order, finalize_order)


def explain_invalid_call(error: ToolInvocationError) -> str:
    """What the model reads when its arguments do not fit a tool: each wrong argument and why, as JSON."""
    details = error.filtered_errors if error.filtered_errors is not None else error.source.errors()
    wrong = [f"{'.'.join(map(str, d['loc'])) or 'arguments'}: {d['msg'].lower()}" for d in details]
    outcome = {"lookup_menu_item": "found", "add_item_to_order": "added", "finalize_order": "finalized"}
    answer = {outcome.get(error.tool_name, "ok"): False, "error": "; ".join(wrong)[:400]}
    return json.dumps(answer, ensure_ascii=False)


def _context(runtime: Runtime) -> Context:
    return runtime.context or Context()


def _order(runtime: Runtime) -> Order:
    return Order.model_validate(runtime.state.get("current_order") or Order())


def _menu_facts(item: Item) -> dict[str, Any]:
    return {
        "item_id": item.item_id,
        "name": item.name,
        "category_name": item.category_name.value,
        "default_size": item.default_size.value,
        "available_sizes": [size.value for size in item.available_sizes],
        "available_modifiers": [_modifier_entry(m) for m in item.available_modifiers],
        **({} if item.available else {"sold_out": True}),
    }


def _modifier_entry(modifier: Modifier) -> dict[str, Any]:
    restricted = {"actions": list(modifier.actions)} if len(modifier.actions) < len(ModifierAction) else {}
    return {"modifier_id": modifier.modifier_id, "name": modifier.name, **restricted}


def _batch(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    calls = messages[-1].tool_calls if messages and isinstance(messages[-1], AIMessage) else []
    return [dict(call) for call in calls]


def _earlier_adds(runtime: Runtime) -> Iterable[AddCall]:
    for call in _batch(runtime.state["messages"]):
        if call["id"] == runtime.tool_call_id:
            return
        if call["name"] == "add_item_to_order":
            try:
                yield AddCall.model_validate(call["args"])
            except ValidationError:
                continue  # that call answers its own error and adds nothing


def _propose(context: Context, order: Order, call: AddCall) -> Item | str:
    """The order line that a call asks for, every fact from the menu, or why it cannot be added."""
    catalog = context.catalog
    item = catalog.item(call.item_id)
    if item is None:
        close = [f"{i.name} ({i.item_id})" for i in catalog.suggest(call.item_name)]
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        return f"no item has the id '{call.item_id[:_ECHO]}'{hint} Use lookup_menu_item."
    if call.item_name != item.name and catalog.find(call.item_name).item != item:
        return f"'{call.item_name[:_ECHO]}' is not the name of {call.item_id}, which is {item.name}"
    if not item.available:
        return f"{item.name} is sold out"
    size = _size(item, call.size)
    if not isinstance(size, Size):
        return size
    modifiers = _modifiers(item, call.modifiers or [])
    if isinstance(modifiers, str):
        return modifiers
    return _quantity_problem(context, order, call.quantity) or _fits(
        context, order, item.line(call.quantity, size, modifiers)
    )


def _size(item: Item, asked: str | None) -> Size | str:
    size = asked.strip().lower() if asked else item.default_size.value
    if size in item.available_sizes:
        return Size(size)
    return f"{item.name} has no size '{size[:_ECHO]}'; its sizes are {', '.join(item.available_sizes)}"


def _modifiers(item: Item, choices: list[ModifierChoice]) -> list[Modifier] | str:
    offered = {m.modifier_id: m for m in item.available_modifiers}
    chosen: dict[str, Modifier] = {}
    for choice in choices:
        entry = offered.get(choice.modifier_id)
        if entry is None:
            names = ", ".join(offered) or "none"
            return f"{item.name} has no modifier '{choice.modifier_id[:_ECHO]}'; it has {names}"
        if choice.action not in entry.actions:
            actions = ", ".join(entry.actions)
            return f"'{choice.action[:_ECHO]}' cannot be done with {entry.name}; possible: {actions}"
        selected = entry.select(ModifierAction(choice.action))
        if chosen.setdefault(entry.modifier_id, selected) != selected:
            return f"{entry.name} is asked for in two ways; ask the customer which"
    return list(chosen.values())


def _quantity_problem(context: Context, order: Order, quantity: int) -> str | None:
    if order.status is OrderStatus.SUBMITTED:
        return "the order is already submitted and cannot change"
    if quantity < 1:
        return f"quantity must be at least 1, not {quantity}"
    if quantity > context.max_line_quantity:
        return f"at most {context.max_line_quantity} of one item can be ordered, not {quantity}"
    return None


def _fits(context: Context, order: Order, line: Item) -> Item | str:
    merged = next((i.quantity for i in order.items if i.is_same_item(line)), 0) + line.quantity
    if merged > context.max_line_quantity:
        return f"at most {context.max_line_quantity} of one item can be ordered; this would make {merged}"
    if order.units + line.quantity > context.max_order_units:
        return f"an order has at most {context.max_order_units} items; it has {order.units} already"
    return line


def _not_ready(messages: Sequence[AnyMessage], order: Order) -> str | None:
    """Why an order must not be submitted yet; None when it was read back as it is and then answered."""
    if order.status is OrderStatus.SUBMITTED:
        return "the order is already submitted; there is nothing left to do"
    if any(call["name"] == "add_item_to_order" for call in _batch(messages)):
        return "the order changes in this same step; read it back with get_current_order first"
    if not order.items:
        return "the order is empty; ask what the customer would like"
    answered = False
    for message in reversed(messages):
        answered = answered or isinstance(message, HumanMessage)
        if added_line(message):
            break
        if read_back := answer_of(message, "get_current_order"):
            if read_back.get("items") != lines_facts(order):
                break
            return None if answered else "the customer has not answered the read-back; read it out and wait"
    return "the order was not read back since its last change; call get_current_order and read it out"
