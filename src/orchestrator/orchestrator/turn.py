"""What one utterance led to: the value that the session gives back and every surface shows."""

from dataclasses import dataclass
from typing import Any

from orchestrator.models import Order
from orchestrator.results import lines_facts


@dataclass(frozen=True)
class Turn:
    """What one utterance led to.

    Attributes:
        turn: counted from 1 over the whole conversation.
        customer: what was heard.
        reply: what the customer hears.
        order: as it stands now.
        tool_calls: names of the tools called, in order.
        reasoning: why, an entry for each answer of the model.
    """

    turn: int
    customer: str
    reply: str
    order: Order
    tool_calls: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The turn as programs outside read it."""
        return {
            "turn": self.turn,
            "customer": self.customer,
            "reply": self.reply,
            "order": {
                "order_id": self.order.order_id,
                "status": self.order.status.value,
                "items": lines_facts(self.order),
            },
            "tool_calls": list(self.tool_calls),
            "reasoning": list(self.reasoning),
        }
