"""The one place that chooses the model, the stores and the menu, and wires them together."""

import re
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from orchestrator.config import Settings, get_settings
from orchestrator.context import Context
from orchestrator.errors import SettingsError

if TYPE_CHECKING:  # a menu is checked, and a setting refused, before LangGraph is imported
    import asyncio

    from langchain_core.language_models import BaseChatModel
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from orchestrator.conversation import Orders
    from orchestrator.graph import Graph
    from orchestrator.session import Session, Turn

_MODEL_SECONDS: Final = 15  # longer than this nobody waits at a speaker
SESSION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")
"""What a session can be called: it becomes part of file names, addresses and log lines."""


class DriveThru:
    """An open restaurant: hands out sessions for as long as `open_drive_thru` keeps it open.

    Attributes:
        context: its menu and limits.
        graph: the compiled graph.
    """

    def __init__(
        self,
        graph: "Graph",
        context: Context,
        checkpointer: "BaseCheckpointSaver[Any]",
        orders: "Orders",
        portal: BlockingPortal | None = None,
    ) -> None:
        self.graph = graph
        self.context = context
        self._checkpointer = checkpointer
        self._orders = orders
        self._portal = portal
        self._sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._turns: set[asyncio.Task[Turn]] = set()

    def session(self, session_id: str | None = None, *, menu: str | Path | None = None) -> "Session":
        """A conversation: a new one for None, else the one of that id, which may be known already.

        Raises:
            MenuError: the menu given for this session cannot be used.
            ValueError: nothing can be called that.
        """
        from orchestrator.session import Session

        name = str(uuid.uuid4()) if session_id is None else session_id
        if not SESSION_ID.fullmatch(name):
            raise ValueError(
                "a session id has 1 to 128 letters, digits or . _ : @ - and starts with one of the first two"
            )
        context = self.context if menu is None else replace(self.context, menu=str(menu))
        context.catalog.menu  # noqa: B018 - a bad menu is the caller's error now, not the customer's later
        session = self._sessions.get(name)
        if session is None:
            session = Session(self.graph, context, self._orders, name, portal=self._portal, turns=self._turns)
            self._sessions[name] = session
        return session

    async def forget(self, session: "Session") -> None:
        """Drop what is kept of a conversation; a submitted order stays in the order store."""
        self._sessions.pop(session.session_id, None)
        await self._checkpointer.adelete_thread(session.session_id)

    async def finish(self) -> None:
        """Wait for the turns whose listeners went away."""
        import asyncio

        if self._turns:
            await asyncio.wait(self._turns)


def choose_model(settings: Settings) -> "BaseChatModel | None":
    """The chat model that the settings name; None is the embedded engine.

    Raises:
        SettingsError: Mistral is asked for without a key.
    """
    key = settings.mistral_api_key
    if settings.model == "embedded" or (settings.model == "auto" and not key.get_secret_value()):
        return None
    if not key.get_secret_value():
        raise SettingsError("MISTRAL_API_KEY is needed for the model 'mistral'; 'embedded' needs no key")
    from langchain_mistralai import ChatMistralAI

    # A customer is waiting: the turn is resumed once when the model fails, and that is the retry.
    return ChatMistralAI(
        mistral_api_key=key,
        model=settings.mistral_model,
        temperature=settings.mistral_temperature,
        timeout=_MODEL_SECONDS,
        max_retries=1,
    )


@asynccontextmanager
async def open_drive_thru(
    settings: Settings | None = None,
    *,
    menu: str | Path | None = None,
    ephemeral: bool = False,
    model: "BaseChatModel | None" = None,
    portal: BlockingPortal | None = None,
) -> AsyncIterator[DriveThru]:
    """Open the drive-thru: menu, model, conversations and order store.

    Args:
        settings: None reads them from the environment.
        menu: a menu file instead of the settings' one.
        ephemeral: keep everything in memory, nothing on disk.
        model: a chat model instead of the settings' choice.
        portal: lets code that is not async use the sessions; see `open_session`.

    Raises:
        MenuError: the menu file cannot be used.
        SettingsError: a setting cannot work.
        StoreError: conversations cannot be kept where the settings say.
    """
    settings = settings or get_settings()
    context = Context(
        menu=str(menu or settings.menu_json_path),
        max_line_quantity=settings.max_line_quantity,
        max_order_units=settings.max_order_units,
    )
    context.catalog.menu  # noqa: B018 - a bad menu is reported before anything else is opened
    model = model or choose_model(settings)

    from orchestrator.graph import build_graph
    from orchestrator.persistence import open_checkpointer, open_orders

    conversations, orders = _places(settings, ephemeral=ephemeral)
    async with open_checkpointer(conversations) as checkpointer, open_orders(orders) as store:
        drive_thru = DriveThru(
            build_graph(model, checkpointer=checkpointer), context, checkpointer, store, portal
        )
        try:
            yield drive_thru
        finally:
            with anyio.CancelScope(shield=True):
                await drive_thru.finish()


@contextmanager
def open_session(
    session_id: str | None = None,
    *,
    settings: Settings | None = None,
    menu: str | Path | None = None,
    ephemeral: bool = False,
    model: "BaseChatModel | None" = None,
) -> "Iterator[Session]":
    """Open the drive-thru for one session of a script.

        with open_session() as session:
            print(session.say("Two coffees, please").reply)

    The arguments and errors are `open_drive_thru`'s; a new conversation begins when `session_id` is None.
    """
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(
            open_drive_thru(settings, menu=menu, ephemeral=ephemeral, model=model, portal=portal)
        ) as drive_thru,
    ):
        yield drive_thru.session(session_id)


def _places(settings: Settings, *, ephemeral: bool) -> tuple[str | Path | None, str | Path | None]:
    """Where conversations are kept, and where orders."""
    if ephemeral:
        return None, None
    if url := settings.database_url.get_secret_value():
        return url, url
    return settings.data_dir / "conversations.sqlite", settings.data_dir / "orders.sqlite"
