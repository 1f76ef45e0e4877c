"""Bytes that a turn adds to SQLite: this project's Session beside the seed's design, on the same menu."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import aiosqlite
from bare_graph import Recording
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from measure import Row
from orchestrator.bootstrap import open_drive_thru
from orchestrator.catalog import DEFAULT_MENU
from orchestrator.config import Settings
from seed_graph import Menu, Order, seed_graph, seed_serializer

MENU_SIZES = (21, 260, 5000)
TURNS = ("An Egg McMuffin and two hash browns", "A Big Breakfast and a sausage biscuit")
_ORDERED = {"Egg McMuffin", "Hash Brown", "Big Breakfast", "Sausage Biscuit"}
_SEED_FIELDS = ("item_id", "name", "category_name", "default_size")


async def size_rows(folder: Path) -> list[Row]:
    """A row for each menu size: bytes a turn, over a conversation of two turns that add two items each."""
    return [await _row(folder, items) for items in MENU_SIZES]


def seed_menu(items: int) -> dict[str, Any]:
    """A menu of so many items in the seed's format, with the modifiers of the breakfast menu's items.

    The items that the turns order come first; the rest repeat the menu's under numbered names.
    """
    menu: dict[str, Any] = json.loads(Path(DEFAULT_MENU).read_text())
    real = sorted(menu["items"], key=lambda item: item["name"] not in _ORDERED)
    menu["items"] = [_seed_item(real[i % len(real)], i // len(real)) for i in range(items)]
    return menu


def _seed_item(item: dict[str, Any], copy: int) -> dict[str, Any]:
    fields = {name: item[name] for name in _SEED_FIELDS}
    if copy:
        fields |= {"item_id": f"{item['item_id']}-{copy}", "name": f"{item['name']} Number {copy}"}
    modifiers = [
        {"modifier_id": m["modifier_id"], "name": m["name"]} for m in item.get("available_modifiers", ())
    ]
    return {**fields, "available_modifiers": modifiers}


async def _row(folder: Path, items: int) -> Row:
    menu = seed_menu(items)
    path = folder / f"menu-{items}.json"
    path.write_text(json.dumps(menu))
    turns = await _our_turns(folder / f"ours-{items}", path)
    await _seed_turns(folder / f"seed-{items}.sqlite", menu, turns)
    ours = _bytes(folder / f"ours-{items}" / "conversations.sqlite")
    seed = _bytes(folder / f"seed-{items}.sqlite")
    return Row(f"checkpoint of a turn, {items:,} items", ours / len(TURNS), seed / len(TURNS), "bytes")


async def _our_turns(data_dir: Path, menu: Path) -> dict[str, Recording]:
    """Hold the conversation, and give what was said for the seed's design to say."""
    settings = Settings(_env_file=None, model="embedded", data_dir=data_dir, menu_json_path=str(menu))
    async with open_drive_thru(settings) as drive_thru:
        session = drive_thru.session("size")
        for text in TURNS:
            await session.asay(text)
        state = await drive_thru.graph.aget_state({"configurable": {"thread_id": "size"}})
    lines = len(state.values["current_order"].items)
    if lines != 2 * len(TURNS):
        raise RuntimeError(f"the turns ordered {lines} lines instead of {2 * len(TURNS)}: {menu}")
    return Recording.turns_of(state.values["messages"])


async def _seed_turns(path: Path, menu: dict[str, Any], turns: dict[str, Recording]) -> None:
    async with aiosqlite.connect(path) as connection:
        graph = seed_graph(turns, AsyncSqliteSaver(connection, serde=seed_serializer()))
        begin: dict[str, Any] = {
            "menu": Menu(**menu["metadata"], items=menu["items"]),
            "current_order": Order(order_id="0" * 36),
        }
        for text in TURNS:
            values = {"messages": [HumanMessage(text)], **begin}
            await graph.ainvoke(values, {"configurable": {"thread_id": "size"}})
            begin = {}


def _bytes(path: Path) -> int:
    """What the saver's two tables hold."""
    total = 0
    with closing(sqlite3.connect(path)) as connection:
        for table, columns in (("checkpoints", ("checkpoint", "metadata")), ("writes", ("value",))):
            lengths = " + ".join(f"length({column})" for column in columns)
            total += connection.execute(f"SELECT coalesce(sum({lengths}), 0) FROM {table}").fetchone()[0]  # noqa: S608
    return total
