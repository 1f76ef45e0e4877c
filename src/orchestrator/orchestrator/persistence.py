"""Where conversations and submitted orders are kept: in SQLite, in Postgres, or in memory only.

Both openers take a path (SQLite), a `postgresql://` URL, or None (memory). A conversation is one LangGraph
thread; an order is one row, written once per `order_id`.
"""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import ValidationError

from orchestrator.enums import CategoryName, ModifierAction, OrderStatus, Size
from orchestrator.errors import StoreError
from orchestrator.models import Item, Modifier, Order

if TYPE_CHECKING:  # slow to import, and the first reply needs neither
    from psycopg.rows import DictRow
    from sqlalchemy import Table
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

Where = str | Path | None

PERSISTED_TYPES: Final = (Order, Item, Modifier, CategoryName, ModifierAction, OrderStatus, Size)
"""Our types in a checkpoint. Any other would come back as a plain dict, so a new one is added here."""

_BUSY_SECONDS: Final = 30  # how long one process waits for another's SQLite write before it gives up
_CONNECT_SECONDS: Final = 10  # how long a start waits for Postgres
_POOL_SIZE: Final = 10  # Postgres connections per process, for conversations and again for orders
_POSTGRES: Final = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://")


def serializer() -> JsonPlusSerializer:
    """How checkpoints are written: msgpack, reading back only `PERSISTED_TYPES` and LangChain's messages."""
    return JsonPlusSerializer(allowed_msgpack_modules=PERSISTED_TYPES)


@asynccontextmanager
async def open_checkpointer(where: Where) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The conversations kept in a SQLite file, in Postgres (tables are created), or in memory for None.

    Raises:
        StoreError: the file or the server cannot be opened.
    """
    async with AsyncExitStack() as stack:
        if where is None:
            from langgraph.checkpoint.memory import InMemorySaver

            yield InMemorySaver(serde=serializer())
        elif _is_postgres(where):
            yield await _postgres_saver(str(where), stack)
        else:
            yield _sqlite_saver(Path(where), stack)


class MemoryOrders:
    """Submitted orders that nobody will ask for after this process: the order store of ephemeral sessions."""

    def __init__(self) -> None:
        self._orders: dict[str, Order] = {}

    async def submit(
        self,
        order: Order,
        session_id: str,  # noqa: ARG002 - the signature is `OrderStore`'s
        menu_id: str,  # noqa: ARG002
        menu_version: str,  # noqa: ARG002
        submitted_at: datetime,  # noqa: ARG002
    ) -> bool:
        """Keep the order unless its id is known; see `OrderStore.submit`."""
        new = order.order_id not in self._orders
        self._orders.setdefault(order.order_id, order)
        return new

    async def get(self, order_id: str) -> Order | None:
        """The order as it was submitted, or None."""
        return self._orders.get(order_id)


class OrderStore:
    """Submitted orders in the table `orders`. An order is written once; a second submit changes nothing.

    Nothing is connected before the first order: most conversations never get that far in one process.
    """

    def __init__(self, where: str | Path) -> None:
        self._where = where
        self._engine: AsyncEngine | None = None
        self._opening = anyio.Lock()

    async def submit(
        self, order: Order, session_id: str, menu_id: str, menu_version: str, submitted_at: datetime
    ) -> bool:
        """Write the order unless its id is there already.

        Args:
            order: with status submitted.
            session_id: the conversation it comes from.
            menu_id: of the menu it was ordered from.
            menu_version: likewise.
            submitted_at: a moment with a time zone.

        Returns:
            Whether it was new.

        Raises:
            StoreError: it could not be written.
        """
        values = {
            "order_id": order.order_id,
            "session_id": session_id,
            "menu_id": menu_id,
            "menu_version": menu_version,
            "submitted_at": submitted_at.astimezone(UTC),  # SQLite drops the zone
            "order": order.model_dump(mode="json"),
        }
        async with self._connection(f"order {order.order_id} could not be written") as (connection, table):
            from sqlalchemy.dialects import postgresql, sqlite

            insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
            row = insert(table).values(values).on_conflict_do_nothing().returning(table.c.order_id)
            return (await connection.execute(row)).first() is not None

    async def get(self, order_id: str) -> Order | None:
        """The order as it was submitted, or None when it was not.

        Raises:
            StoreError: the store could not be read.
        """
        async with self._connection(f"order {order_id} could not be read") as (connection, table):
            from sqlalchemy import select

            found = await connection.execute(select(table.c.order).where(table.c.order_id == order_id))
            row = found.scalar_one_or_none()
            return None if row is None else Order.model_validate(row)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._engine is not None:
            await self._engine.dispose()

    @asynccontextmanager
    async def _connection(self, failure: str) -> "AsyncIterator[tuple[AsyncConnection, Table]]":
        # A thread imports SQLAlchemy, the first time: half a second in which other turns go on.
        table = _orders_table() if self._engine else await anyio.to_thread.run_sync(_orders_table)
        from sqlalchemy.exc import SQLAlchemyError

        try:
            async with self._opening:
                self._engine = self._engine or await _orders_engine(self._where, table)
            async with self._engine.begin() as connection:
                yield connection, table
        except (SQLAlchemyError, OSError, ValidationError) as error:
            raise StoreError(f"{failure}: {_reason(error)}") from error


@asynccontextmanager
async def open_orders(where: Where) -> AsyncIterator[OrderStore | MemoryOrders]:
    """The order store in a SQLite file or in Postgres, or in memory for None. It connects when first used."""
    if where is None:
        yield MemoryOrders()
        return
    store = OrderStore(where)
    try:
        yield store
    finally:
        await store.aclose()


def _sqlite_saver(path: Path, stack: AsyncExitStack) -> BaseCheckpointSaver[Any]:
    from orchestrator.sqlite_saver import OneHopSqliteSaver

    try:
        saver = OneHopSqliteSaver(_made(path), busy_seconds=_BUSY_SECONDS, serde=serializer())
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"conversations cannot be kept in {path}: {_reason(error)}") from error
    stack.callback(saver.close)
    return saver


async def _postgres_saver(url: str, stack: AsyncExitStack) -> BaseCheckpointSaver[Any]:
    import psycopg
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg.rows import dict_row
    from psycopg_pool import AsyncConnectionPool

    url = _POSTGRES.sub("postgresql://", url, count=1)
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool: AsyncConnectionPool[psycopg.AsyncConnection[DictRow]] = AsyncConnectionPool(
        url, kwargs=options, max_size=_POOL_SIZE, min_size=1, open=False
    )
    try:
        # A pool tries again and again and does not say why; one connection says at once what is wrong.
        await (await psycopg.AsyncConnection.connect(url, connect_timeout=_CONNECT_SECONDS)).close()
        await stack.enter_async_context(pool)
        saver = AsyncPostgresSaver(pool, serde=serializer())
        await saver.setup()
    except (psycopg.Error, OSError) as error:
        raise StoreError(f"conversations cannot be kept in Postgres: {_reason(error)}") from error
    return saver


async def _orders_engine(where: str | Path, table: "Table") -> "AsyncEngine":
    from sqlalchemy import URL, make_url
    from sqlalchemy.ext.asyncio import create_async_engine
    from sqlalchemy.schema import CreateTable

    if _is_postgres(where):
        url = make_url(_POSTGRES.sub("postgresql+psycopg://", str(where), count=1))
        engine = create_async_engine(
            url, pool_size=_POOL_SIZE, pool_pre_ping=True, connect_args={"connect_timeout": _CONNECT_SECONDS}
        )
    else:
        url = URL.create("sqlite+aiosqlite", database=str(_made(Path(where))))
        engine = create_async_engine(url, connect_args={"timeout": _BUSY_SECONDS})
    try:
        async with engine.begin() as connection:
            await connection.execute(CreateTable(table, if_not_exists=True))
    except BaseException:
        await engine.dispose()
        raise
    return engine


@lru_cache(maxsize=1)
def _orders_table() -> "Table":
    from sqlalchemy import JSON, Column, DateTime, MetaData, String, Table

    return Table(
        "orders",
        MetaData(),
        Column("order_id", String, primary_key=True),
        Column("session_id", String, nullable=False),
        Column("menu_id", String, nullable=False),
        Column("menu_version", String, nullable=False),
        Column("submitted_at", DateTime(timezone=True), nullable=False),
        Column("order", JSON, nullable=False),
    )


def _is_postgres(where: str | Path) -> bool:
    return isinstance(where, str) and _POSTGRES.match(where) is not None


def _made(path: Path) -> Path:
    """The path of a SQLite file, its folder made when missing, for its owner's eyes only.

    Raises:
        OSError: there is no SQLite file, and none can be made.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # Tried here first: aiosqlite leaves a thread behind that fails noisily when a file cannot be opened.
        with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as probe:
            probe.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        raise OSError(str(error)) from error
    return path


def _reason(error: BaseException) -> str:
    """A database's complaint in one line, without the statement and its values."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
