"""What tools answer, as JSON facts, and how those facts are read back from messages.

A tool's answer travels as text in a `ToolMessage`, possibly through a checkpoint, so it is validated
again when read: whatever is not a well-formed answer counts as "nothing happened".
"""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic import ValidationError

from orchestrator.enums import Size
from orchestrator.models import Item, Modifier, Order


def line_facts(line: Item) -> dict[str, Any]:
    """An order line as `add_item_to_order` answers it: everything needed to build the line again."""
    return {
        "item_id": line.item_id,
        "item_name": line.name,
        "category_name": line.category_name.value,
        "default_size": line.default_size.value,
        "size": line.size.value,
        "quantity": line.quantity,
        "modifiers": [_modifier_facts(m) for m in line.modifiers],
    }


def order_facts(order: Order) -> dict[str, Any]:
    """An order as `get_current_order` answers it: the read-back."""
    return {"order_id": order.order_id, "items": lines_facts(order), "item_count": order.units}


def lines_facts(order: Order) -> list[dict[str, Any]]:
    """The lines of an order as programs outside read them."""
    return [
        {
            "item_id": line.item_id,
            "name": line.name,
            "quantity": line.quantity,
            "size": line.size.value,
            "modifiers": [_modifier_facts(m) for m in line.modifiers],
        }
        for line in order.items
    ]


def answer_of(message: BaseMessage, tool: str | None = None) -> dict[str, Any]:
    """The facts in a tool's message; empty when it is another message, another tool's, or not well-formed."""
    if not isinstance(message, ToolMessage) or (tool and message.name != tool):
        return {}
    try:
        facts = json.loads(message.content) if isinstance(message.content, str) else None
    except (ValueError, RecursionError):  # no JSON, or nested beyond reason
        return {}
    return facts if isinstance(facts, dict) else {}


def added_line(message: BaseMessage) -> Item | None:
    """The line that an `add_item_to_order` answer adds, or None when it adds nothing."""
    facts = answer_of(message, "add_item_to_order")
    if facts.get("added") is not True:
        return None
    size = facts.get("size") or facts.get("default_size") or Size.REGULAR
    try:
        return Item(
            item_id=facts["item_id"],
            name=facts["item_name"],
            category_name=facts["category_name"],
            default_size=facts.get("default_size") or size,
            size=size,
            quantity=facts["quantity"],
            modifiers=tuple(Modifier.model_validate(m) for m in facts.get("modifiers", ())),
        )
    except (KeyError, TypeError, ValidationError):
        return None


def is_finalized(message: BaseMessage) -> bool:
    """Whether this is `finalize_order` answering that the order is submitted."""
    return answer_of(message, "finalize_order").get("finalized") is True


def latest_batch(messages: Sequence[BaseMessage]) -> list[ToolMessage]:
    """The tools' answers after the last AI message, in the order in which it called them."""
    last = next((i for i in reversed(range(len(messages))) if isinstance(messages[i], AIMessage)), -1)
    caller = messages[last] if last >= 0 else None
    ids = [call["id"] for call in caller.tool_calls] if isinstance(caller, AIMessage) else []
    batch = [message for message in messages[last + 1 :] if isinstance(message, ToolMessage)]
    return sorted(batch, key=lambda m: ids.index(m.tool_call_id) if m.tool_call_id in ids else len(ids))


def _modifier_facts(modifier: Modifier) -> dict[str, str]:
    return {"modifier_id": modifier.modifier_id, "name": modifier.name, "action": modifier.action.value}
