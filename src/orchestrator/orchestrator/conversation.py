"""One conversation kept as a LangGraph thread: every turn counts once or not at all, whatever crashes.

- A submitted order is written to the order store *before* LangGraph writes the checkpoint that says so: with
  `durability="exit"` it writes one a turn, when the stream ends. A crash between the two is settled by
  `catch_up`, in either direction.
- A turn that fails half-way is resumed from where it stood and never fed its input again, which would add
  twice. If that fails too it is closed in the state with an apology, so that the next turn starts clean.
"""

import logging
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Protocol, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from orchestrator import prompts
from orchestrator.context import Context
from orchestrator.embedded.phrase import Speaker
from orchestrator.enums import OrderStatus
from orchestrator.graph import Graph
from orchestrator.models import Order
from orchestrator.results import lines_facts
from orchestrator.turn import Turn

logger = logging.getLogger(__name__)

Hear = Callable[[str | None, str], None]
"""Takes a message's id and the next chunk of its text."""

_SPEAKER: Final = (
    "orchestrator"  # the node whose words are streamed; a state written in its name ends the turn
)


class Orders(Protocol):
    """Where submitted orders go; see `persistence.OrderStore`."""

    async def submit(
        self, order: Order, session_id: str, menu_id: str, menu_version: str, submitted_at: datetime
    ) -> bool:
        """Keep the order unless its id is known; whether it was new."""

    async def get(self, order_id: str) -> Order | None:
        """The order as it was submitted, or None."""


class Conversation:
    """A thread of the graph and what is known of it. Not safe for two turns at once: `Session` takes care.

    Attributes:
        order: as it stands.
        served: turns so far.
    """

    def __init__(  # noqa: PLR0913 - one argument for each collaborator
        self,
        graph: Graph,
        context: Context,
        orders: Orders,
        session_id: str,
        *,
        clock: Callable[[], datetime],
        order_id: str,
    ) -> None:
        self.order = Order(order_id=order_id)
        self.served = 0
        self._graph = graph
        self._context = context
        self._orders = orders
        self._session_id = session_id
        self._clock = clock
        self._entries = 0  # of reasoning, before the turn
        self._begun = False  # there is a checkpoint
        self._current = False  # what is known here is what the checkpoint says
        self._given_up = False  # the customer was asked to repeat what an unfinished turn was about
        self._kept_waiting = False  # the customer was told that the kitchen cannot be reached
        self._delivered = False  # the order is in the order store
        self._late = False  # it got there after the customer was told that it was there, or that it was not

    async def catch_up(self) -> bool:
        """Bring checkpoint and order store in line before a turn, after a start or after trouble.

        Returns:
            Whether a submitted order reached the order store only now, which the customer is still to hear.

        Raises:
            StoreError: the order store cannot be reached.
        """
        if not self._current:
            snapshot = await self._snapshot()
            if snapshot.next and self._given_up:
                await self._close(snapshot, _turn(snapshot))
            elif snapshot.next:
                await self._finish(_turn(snapshot), None)
            snapshot = await self._snapshot() if snapshot.next else snapshot
            if snapshot.values:
                self._read(snapshot)
                self._late = await self._settle() or self._late
        self._current = True
        self._given_up = False
        return self._late

    async def ask(self, heard: str, hear: Hear | None) -> Turn:
        """Let the graph answer; its words are given to `hear`, if anybody listens, as they come."""
        self._current = self._kept_waiting = False  # until the turn is over
        message = HumanMessage(heard, id=str(uuid.uuid4()))
        values: dict[str, Any] = {"messages": [message]}
        if not self._begun:
            menu = self._context.catalog.menu
            values |= {
                "current_order": self.order,
                "menu_id": menu.menu_id,
                "menu_version": menu.menu_version,
            }
        try:
            state = await self._run(values, self.served + 1, hear)
        except Exception:
            logger.exception("session %s: turn %d is resumed", self._session_id, self.served + 1)
            state = await self._finish(self.served + 1, hear)
        messages: list[BaseMessage] = state.get("messages", [])
        ids = [m.id for m in messages]
        if message.id not in ids:
            return self.apology("trouble", heard)  # the failure left no trace of the turn
        return await self._turn_of(messages[ids.index(message.id) :], state)

    async def answer(self, key: str, heard: str, *, on_record: bool) -> Turn:
        """Answer with a sentence, without the model.

        Args:
            key: the sentence's.
            heard: what it answers.
            on_record: whether both become part of the history that a model sees. The turn counts anyway.
        """
        turn = self._sentence(key, heard)
        self._late = self._late and key != "kitchen_again"
        if self._begun:
            messages = [HumanMessage(heard), AIMessage(turn.reply)] if on_record else []
            await self._record({"messages": messages, "reasoning": list(turn.reasoning)}, turn.turn)
            self._entries += 1
        return turn

    def apology(self, key: str, heard: str) -> Turn:
        """Answer with a sentence when nothing can be read or written; what is known here is in doubt now."""
        self._current = False
        self._given_up = True
        return self._sentence(key, heard)

    def _so_far(self, order: Order) -> str:
        if not order.items or order.status is OrderStatus.SUBMITTED:
            return ""
        return f"So far I have {Speaker(self._context.catalog, self.served).lines(lines_facts(order))}."

    def _sentence(self, key: str, heard: str) -> Turn:
        turn = self.served + 1
        order = self._so_far(self.order) if key == "trouble" else ""
        reply = _spoken(key, turn, order)
        return Turn(turn, heard, reply, self.order, reasoning=(f"[DIRECT] {key}",))

    async def _run(self, values: dict[str, Any] | None, turn: int, hear: Hear | None) -> dict[str, Any]:
        """Run the graph to its end, from where it stopped for None, and give its state."""
        state: dict[str, Any] = {}
        events = self._graph.astream(
            values,
            config=self._config(turn),
            context=self._context,
            stream_mode=["messages", "updates", "values"] if hear else ["updates", "values"],
            durability="exit",
        )
        async with aclosing(cast("AsyncGenerator[tuple[str, Any]]", events)) as parts:
            async for mode, part in parts:
                if mode == "values":
                    state = part
                elif mode == "updates":  # comes before the checkpoint; the last "values" come after it
                    await self._deliver((part.get("update_order") or {}).get("current_order"))
                elif hear and part[1]["langgraph_node"] == _SPEAKER and isinstance(part[0], AIMessage):
                    hear(part[0].id, part[0].text)
        return state

    async def _deliver(self, order: Order | None) -> None:
        if order is None or order.status is not OrderStatus.SUBMITTED or self._delivered:
            return
        try:
            await self._submit(order)
        except Exception:  # whatever fails in the store must not tear the turn
            logger.exception("session %s: order %s waits", self._session_id, order.order_id)
            self._kept_waiting = True

    async def _submit(self, order: Order) -> bool:
        menu = self._context.catalog.menu
        new = await self._orders.submit(
            order, self._session_id, menu.menu_id, menu.menu_version, self._clock()
        )
        self._delivered, self._kept_waiting = True, False
        return new

    async def _settle(self) -> bool:
        if self.order.status is OrderStatus.SUBMITTED:
            if self._delivered:
                return False
            waited, self._kept_waiting = self._kept_waiting, True
            return await self._submit(self.order) or waited
        stored = await self._orders.get(self.order.order_id) if self.order.items else None
        if stored is not None:
            goodbye = AIMessage(prompts.sentence("goodbye", self.served))
            why = "[DIRECT] the order had reached the kitchen when the last turn was cut off"
            await self._record(
                {"current_order": stored, "messages": [goodbye], "reasoning": [why]}, self.served
            )
            self.order, self._delivered = stored, True
            self._entries += 1
        return False

    async def _finish(self, turn: int, hear: Hear | None) -> dict[str, Any]:
        """Let an unfinished turn run to its end; if that fails, close it. Gives the state."""
        try:
            if (await self._snapshot()).next:
                await self._run(None, turn, hear)
        except Exception:
            logger.exception("session %s: turn %d is given up", self._session_id, turn)
            await self._close(await self._snapshot(), turn)
        return (await self._snapshot()).values

    async def _close(self, snapshot: StateSnapshot, turn: int) -> None:
        """End an unfinished turn with an apology, without the calls that nothing answered."""
        if not snapshot.next:
            return
        order = Order.model_validate(snapshot.values["current_order"])
        reply = AIMessage(_spoken("trouble", turn, self._so_far(order)))
        dropped = [RemoveMessage(message.id) for message in _unapplied(snapshot) if message.id]
        await self._record({"messages": [*dropped, reply], "reasoning": ["[DIRECT] trouble"]}, turn)

    async def _turn_of(self, messages: list[BaseMessage], state: dict[str, Any]) -> Turn:
        answers = [m for m in messages if isinstance(m, AIMessage)]
        self.order = Order.model_validate(state["current_order"])
        reasoning = state.get("reasoning", [])
        turn = Turn(
            turn=self.served + 1,
            customer=messages[0].text,
            reply=answers[-1].text,
            order=self.order,
            tool_calls=tuple(call["name"] for answer in answers for call in answer.tool_calls),
            reasoning=tuple(reasoning[self._entries :]),
        )
        self._entries = len(reasoning)
        self._begun = True
        if not self._kept_waiting:
            await self._deliver(self.order)  # another process may have closed it: see whether it is there
        self._current = not self._kept_waiting
        if self._kept_waiting:
            turn = replace(turn, reply=prompts.sentence("kitchen_trouble", turn.turn))
            await self._record({"messages": [AIMessage(turn.reply, id=answers[-1].id)]}, turn.turn)
        return turn

    def _read(self, snapshot: StateSnapshot) -> None:
        self.order = Order.model_validate(snapshot.values["current_order"])
        self.served = max(self.served, _turn(snapshot))
        self._entries = len(snapshot.values.get("reasoning", ()))
        self._begun = True

    async def _snapshot(self) -> StateSnapshot:
        return await self._graph.aget_state(self._config(self.served))

    async def _record(self, values: dict[str, Any], turn: int) -> None:
        await self._graph.aupdate_state(self._config(turn), values, as_node=_SPEAKER)

    def _config(self, turn: int) -> RunnableConfig:
        return {"configurable": {"thread_id": self._session_id}, "metadata": {"turn": turn}}


def _turn(snapshot: StateSnapshot) -> int:
    """The number of the turn that wrote this checkpoint."""
    number = dict(snapshot.metadata or {}).get("turn")
    return number if isinstance(number, int) else 0


def _unapplied(snapshot: StateSnapshot) -> list[BaseMessage]:
    """The calls whose answers did not reach the order, and those answers: a provider refuses half a batch."""
    messages: list[BaseMessage] = snapshot.values["messages"]
    if snapshot.next == (_SPEAKER,):
        return []
    calls = [i for i, m in enumerate(messages) if isinstance(m, AIMessage) and m.tool_calls]
    return messages[calls[-1] :] if calls else []


def _spoken(key: str, turn: int, order: str = "") -> str:
    return " ".join(prompts.sentence(key, turn, order=order).split())
