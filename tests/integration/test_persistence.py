"""Conversations and orders on disk: what goes in comes out, and what is wrong is one sentence."""

import asyncio
import logging
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from orchestrator.enums import CategoryName, ModifierAction, OrderStatus, Size
from orchestrator.errors import StoreError
from orchestrator.models import Item, Modifier, Order
from orchestrator.persistence import (
    PERSISTED_TYPES,
    MemoryOrders,
    OrderStore,
    open_checkpointer,
    open_orders,
    serializer,
)
from orchestrator.sqlite_saver import OneHopSqliteSaver
from pydantic import BaseModel

from tests.integration.lane import NOON, WHOLE_ORDER, Lane

pytestmark = pytest.mark.anyio

POSTGRES = os.environ.get("TEST_DATABASE_URL", "")
needs_postgres = pytest.mark.skipif(not POSTGRES, reason="TEST_DATABASE_URL names no Postgres server")
ABOUT = ("lane-1", "corner-menu", "1")
ORDER = Order(
    order_id="order-1",
    items=(
        Item(
            item_id="latte",
            name="Café Latte",
            category_name=CategoryName.COFFEE_TEA,
            default_size=Size.SMALL,
            available_sizes=(Size.SMALL, Size.LARGE),
            size=Size.LARGE,
            quantity=2,
            modifiers=(Modifier(modifier_id="milk", name="Milk", action=ModifierAction.EXTRA),),
        ),
    ),
    status=OrderStatus.SUBMITTED,
)


class Unlisted(BaseModel):
    """A type of ours that nobody allowed in a checkpoint."""

    name: str


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=needs_postgres)], name="orders")
async def _orders(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[OrderStore | MemoryOrders]:
    where: dict[str, str | Path | None] = {
        "memory": None,
        "sqlite": tmp_path / "orders.sqlite",
        "postgres": POSTGRES,
    }
    async with open_orders(where[request.param]) as orders:
        yield orders


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=needs_postgres)], name="where")
def _where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path | None:
    places: dict[str, str | Path | None] = {
        "memory": None,
        "sqlite": tmp_path / "new" / "folder" / "conversations.sqlite",
        "postgres": POSTGRES,
    }
    return places[request.param]


def test_state_survives_as_what_it_was(caplog: pytest.LogCaptureFixture) -> None:
    """A whole state comes back as real messages, orders and enums, with nothing logged."""
    state = {
        "messages": [
            HumanMessage("two lattes", id="1"),
            AIMessage(
                "",
                id="2",
                tool_calls=[{"name": "get_current_order", "args": {}, "id": "c", "type": "tool_call"}],
            ),
            ToolMessage('{"items": []}', id="3", name="get_current_order", tool_call_id="c"),
        ],
        "current_order": ORDER,
        "reasoning": ["[DIRECT] why"],
        "menu_id": "corner-menu",
        "menu_version": "1",
    }
    with caplog.at_level(logging.DEBUG):
        back = serializer().loads_typed(serializer().dumps_typed(state))
    assert back == state
    assert [type(message) for message in back["messages"]] == [HumanMessage, AIMessage, ToolMessage]
    line = back["current_order"].items[0]
    assert (type(line), type(line.modifiers[0])) == (Item, Modifier)
    found = {
        type(v)
        for v in (back["current_order"].status, line.size, line.category_name, line.modifiers[0].action)
    }
    assert found == {OrderStatus, Size, CategoryName, ModifierAction}
    assert caplog.records == []


def test_unlisted_type_is_not_revived(caplog: pytest.LogCaptureFixture) -> None:
    """A type that is not on the list comes back as plain data, and the log says so."""
    assert Unlisted.__name__ not in {t.__name__ for t in PERSISTED_TYPES}
    back = serializer().loads_typed(serializer().dumps_typed({"x": Unlisted(name="n")}))
    assert back == {"x": {"name": "n"}}
    assert "Unlisted" in caplog.text


def test_persisted_names_are_pinned() -> None:
    """Stored conversations name these types: renaming one orphans it."""
    assert {f"{t.__module__}.{t.__name__}" for t in PERSISTED_TYPES} == {
        "orchestrator.models.Order",
        "orchestrator.models.Item",
        "orchestrator.models.Modifier",
        "orchestrator.enums.CategoryName",
        "orchestrator.enums.ModifierAction",
        "orchestrator.enums.OrderStatus",
        "orchestrator.enums.Size",
    }


async def test_conversation_survives(where: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A conversation read back from its store has an `Order`, not a dict, and nothing was logged."""
    session_id = f"lane-{uuid.uuid4()}"
    async with open_checkpointer(where) as checkpointer:
        lane = Lane(tmp_path, checkpointer)
        session = lane.open(WHOLE_ORDER, session_id)
        for text in ("two teas", "done", "yes"):
            turn = await session.asay(text)
        order = (await lane.state(session_id)).values["current_order"]
        assert type(order) is Order
        assert order == turn.order
        await checkpointer.adelete_thread(session_id)
    assert not [r for r in caplog.records if r.name.startswith("langgraph")]


async def test_place_decides_the_saver(tmp_path: Path) -> None:
    """A path is SQLite, with a write-ahead log that readers do not block; nothing is memory."""
    async with open_checkpointer(tmp_path / "c.sqlite") as saver:
        assert isinstance(saver, OneHopSqliteSaver)
        assert saver.conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert saver.conn.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    async with open_checkpointer(None) as saver:
        assert isinstance(saver, InMemorySaver)


@needs_postgres
async def test_postgres_saver() -> None:
    """A `postgresql://` URL is Postgres."""
    async with open_checkpointer(POSTGRES) as saver:
        assert isinstance(saver, AsyncPostgresSaver)


async def test_bad_places_are_one_sentence(tmp_path: Path) -> None:
    """A place that cannot be used is one sentence that names it."""
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "garbage.sqlite").write_bytes(b"this is not a database " * 100)
    for path in (tmp_path / "file" / "c.sqlite", tmp_path / "garbage.sqlite", tmp_path):
        with pytest.raises(StoreError) as refused:
            async with open_checkpointer(path):
                pass
        assert str(path) in str(refused.value)
        assert "\n" not in str(refused.value)
        async with open_orders(path) as orders:
            with pytest.raises(StoreError, match="order-1 could not be written"):
                await orders.submit(ORDER, *ABOUT, NOON)
            with pytest.raises(StoreError, match="order-1 could not be read"):
                await orders.get("order-1")


async def test_unreachable_postgres_is_one_sentence(tmp_path: Path) -> None:
    """A server that is away is one sentence without its password."""
    url = f"postgresql://user:hunter2@/db?host={tmp_path}"
    async with open_orders(url) as orders:
        with pytest.raises(StoreError) as refused:
            await orders.get("order-1")
    assert "\n" not in str(refused.value)
    assert "hunter2" not in str(refused.value)


async def test_order_is_written_once(orders: OrderStore | MemoryOrders) -> None:
    """The first submit of an id counts; a second one changes nothing and says so."""
    order = ORDER.model_copy(update={"order_id": str(uuid.uuid4())})
    assert await orders.get(order.order_id) is None
    assert await orders.submit(order, *ABOUT, NOON)
    assert not await orders.submit(order, *ABOUT, NOON)
    changed = order.model_copy(update={"items": ()})
    assert not await orders.submit(changed, "lane-2", "other", "2", NOON)
    assert await orders.get(order.order_id) == order


async def test_many_submits_at_once(orders: OrderStore | MemoryOrders) -> None:
    """Of many submits of one id at once exactly one is new."""
    order = ORDER.model_copy(update={"order_id": str(uuid.uuid4())})
    new = await asyncio.gather(*(orders.submit(order, *ABOUT, NOON) for _ in range(20)))
    assert sorted(new) == [False] * 19 + [True]


async def test_processes_share_a_file(tmp_path: Path) -> None:
    """Two stores on one file see each other's orders and create its table once."""
    path = tmp_path / "orders.sqlite"
    async with open_orders(path) as one, open_orders(path) as other:
        new = await asyncio.gather(one.submit(ORDER, *ABOUT, NOON), other.submit(ORDER, *ABOUT, NOON))
        assert sorted(new) == [False, True]
        assert await one.get("order-1") == await other.get("order-1") == ORDER


async def test_row_of_an_order(tmp_path: Path) -> None:
    """A row says which conversation and menu an order came from, and when in UTC."""
    path = tmp_path / "orders.sqlite"
    moment = datetime(2026, 1, 2, 7, 30, tzinfo=timezone(timedelta(hours=-6)))
    async with open_orders(path) as orders:
        await orders.submit(ORDER, *ABOUT, moment)
    connection = sqlite3.connect(path)
    try:
        row = connection.execute(
            "SELECT order_id, session_id, menu_id, menu_version, submitted_at FROM orders"
        )
        assert row.fetchall() == [("order-1", *ABOUT, "2026-01-02 13:30:00.000000")]
    finally:
        connection.close()
    assert moment.astimezone(UTC).hour == 13
