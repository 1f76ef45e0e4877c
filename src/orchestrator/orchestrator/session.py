"""The front door: a customer's words go in, a reply and the order come out.

    utterance → Session.say() → graph → Turn(reply, order)

`conversation` keeps the turns safe, `speech` knows what may be said aloud; here turns are served, in turn.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from anyio.from_thread import BlockingPortal

from orchestrator.context import Context
from orchestrator.conversation import Conversation, Hear, Orders
from orchestrator.errors import StoreError
from orchestrator.graph import Graph
from orchestrator.models import Order
from orchestrator.speech import MAX_CHARACTERS, Voice, clean, is_noise, is_speech
from orchestrator.turn import Turn

__all__ = ["Session", "Turn"]

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class Session:
    """One customer at the window. `bootstrap` makes it; a known id goes on where that conversation stopped.

    Attributes:
        session_id: names the conversation for as long as its checkpoints are kept.
    """

    def __init__(  # noqa: PLR0913 - one argument for each collaborator
        self,
        graph: Graph,
        context: Context,
        orders: Orders,
        session_id: str,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_order_id: Callable[[], str] = lambda: str(uuid.uuid4()),
        portal: BlockingPortal | None = None,
        turns: set[asyncio.Task[Turn]] | None = None,
    ) -> None:
        """Read nothing yet: the first turn does.

        Args:
            graph: compiled with a checkpointer.
            context: the menu and the limits.
            orders: where a submitted order goes.
            session_id: see the class.
            clock: the moment of submission, with its time zone.
            new_order_id: names the order of a new conversation.
            portal: the event loop's thread, for `say` and `order`.
            turns: collects the turns under way; whoever closes the checkpointer waits for them first.
        """
        self.session_id = session_id
        self._conversation = Conversation(
            graph, context, orders, session_id, clock=clock, order_id=new_order_id()
        )
        self._portal = portal
        self._turns = set() if turns is None else turns
        self._one_at_a_time = asyncio.Lock()

    def say(self, text: str, tell: Callable[[str], object] | None = None) -> Turn:
        """Serve a turn, for code that is not async: see `bootstrap.open_session`.

        Args:
            text: the customer's words.
            tell: given the reply in pieces as it comes, in the event loop's thread.
        """
        return self._wait_for(self.asay, text, tell)

    async def asay(self, text: str, tell: Callable[[str], object] | None = None) -> Turn:
        """Serve a turn, giving the reply to `tell` in pieces as it comes; without `tell` all at once."""
        if tell is None:
            return await asyncio.shield(self._start(text, None))
        async for piece in self.stream(text):
            if isinstance(piece, Turn):
                return piece
            tell(piece)
        raise AssertionError("a stream ends with its turn")

    async def stream(self, text: str) -> AsyncIterator[str | Turn]:
        """Serve a turn: the reply in pieces as it comes, then the `Turn`."""
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        turn = self._start(text, Voice(pieces.put_nowait))
        turn.add_done_callback(lambda _: pieces.put_nowait(None))
        while (piece := await pieces.get()) is not None:
            yield piece
        yield turn.result()

    def _start(self, text: str, voice: Voice | None) -> asyncio.Task[Turn]:
        """Run a turn in a task of its own: a listener that goes away does not cut it in two."""
        turn = asyncio.create_task(self._serve(text, voice))
        self._turns.add(turn)
        turn.add_done_callback(self._turns.discard)
        return turn

    @property
    def order(self) -> Order:
        """The order as it stands, for code that is not async: see `bootstrap.open_session`."""
        return self._wait_for(self.aorder)

    async def aorder(self) -> Order:
        """The order as it stands, after a turn that was cut off in an earlier process is finished.

        Raises:
            StoreError: the order store cannot say whether the order was submitted.
        """
        async with self._one_at_a_time:
            await self._conversation.catch_up()
            return self._conversation.order

    async def _serve(self, text: str, voice: Voice | None) -> Turn:
        async with self._one_at_a_time:
            heard = "" if is_noise(text) else clean(text)
            turn = await self._answer(heard, voice.hear if voice else None)
            self._conversation.served = turn.turn
        if voice:
            voice.conclude(turn.reply)
        return turn

    async def _answer(self, heard: str, hear: Hear | None) -> Turn:
        conversation = self._conversation
        try:
            if await conversation.catch_up():
                return await conversation.answer("kitchen_again", heard, on_record=True)
            if not is_speech(heard):
                return await conversation.answer("unheard", heard, on_record=False)
            if len(heard) > MAX_CHARACTERS:
                return await conversation.answer("too_long", heard[:MAX_CHARACTERS], on_record=False)
            return await conversation.ask(heard, hear)
        except StoreError:
            logger.exception("session %s: the kitchen cannot be reached", self.session_id)
            return conversation.apology("kitchen_trouble", heard[:MAX_CHARACTERS])
        except Exception:
            logger.exception("session %s: turn %d failed", self.session_id, conversation.served + 1)
            return conversation.apology("trouble", heard[:MAX_CHARACTERS])

    def _wait_for(self, function: Callable[..., Awaitable[_T]], *args: Any) -> _T:
        if self._portal is None:
            raise RuntimeError(
                "say() and order need bootstrap.open_session(); async code awaits asay(), aorder()"
            )
        return self._portal.call(function, *args)
