"""The front door: turns, streaming, and what a customer hears when there is nothing to answer."""

import asyncio
import threading
from pathlib import Path

import pytest
from orchestrator.bootstrap import DriveThru, open_drive_thru, open_session
from orchestrator.config import Settings
from orchestrator.enums import OrderStatus
from orchestrator.graph import extract_reasoning
from orchestrator.persistence import open_checkpointer
from orchestrator.prompts import phrases
from orchestrator.session import Session, Turn
from orchestrator.speech import MAX_CHARACTERS

from tests.integration.lane import (
    ADD_BUN,
    ADD_TEA,
    NOON,
    WHOLE_ORDER,
    ActingModel,
    FlakyOrders,
    Lane,
    StreamingModel,
    lines,
)
from tests.scripted import ScriptedModel, calls, says

pytestmark = pytest.mark.anyio

SENTENCES = {key: tuple(s.strip() for s in said) for key, said in phrases("sentences").items()}


@pytest.fixture
def lane(tmp_path: Path) -> Lane:
    return Lane(tmp_path)


async def streamed(session: Session, text: str) -> tuple[list[str], Turn]:
    """The pieces of a turn's stream, and its turn."""
    *pieces, turn = [piece async for piece in session.stream(text)]
    assert isinstance(turn, Turn)
    return [piece for piece in pieces if isinstance(piece, str)], turn


async def test_turn_as_json(lane: Lane) -> None:
    """A turn is told in the issue's shape: the order after it, the tools in call order, the reasons."""
    session = lane.open([calls(("lookup_menu_item", {"item_name": "tea"}), why="look"), *WHOLE_ORDER])
    turn = await session.asay("Two teas, please")
    assert turn.as_json() == {
        "turn": 1,
        "customer": "Two teas, please",
        "reply": "Two teas. Anything else?",
        "order": {
            "order_id": "order-lane-1",
            "status": "open",
            "items": [{"item_id": "tea", "name": "Tea", "quantity": 2, "size": "small", "modifiers": []}],
        },
        "tool_calls": ["lookup_menu_item", "add_item_to_order"],
        "reasoning": [
            "[TOOL_CALL] lookup_menu_item: look",
            "[TOOL_CALL] add_item_to_order: they want tea",
            "[DIRECT] ",
        ],
    }


async def test_whole_order(tmp_path: Path) -> None:
    """Order, read-back and yes: the order is in the store once, with its session, menu and moment."""
    lane = Lane(tmp_path, orders=(orders := FlakyOrders(failures=0)))
    session = lane.open(WHOLE_ORDER)
    turns = [await session.asay(text) for text in ("two teas", "that's it", "yes")]
    assert [turn.turn for turn in turns] == [1, 2, 3]
    assert turns[-1].order.status is OrderStatus.SUBMITTED
    assert turns[-1].reply in SENTENCES["goodbye"]
    assert turns[-1].tool_calls == ("finalize_order",)
    assert orders.submitted == [("order-lane-1", "lane-1", "corner-menu", "1", NOON)]
    assert await orders.get("order-lane-1") == turns[-1].order
    state = (await lane.state()).values
    assert (state["menu_id"], state["menu_version"]) == ("corner-menu", "1")


async def test_sessions_do_not_see_each_other(lane: Lane) -> None:
    """Two customers at once have two orders."""
    first, second = lane.open([ADD_TEA, says("Tea.")], "one"), lane.open([ADD_BUN, says("Bun.")], "two")
    turns = await asyncio.gather(first.asay("two teas"), second.asay("a bun"))
    assert [lines(turn.order) for turn in turns] == [[("Tea", 2)], [("Bun", 1)]]
    assert [turn.order.order_id for turn in turns] == ["order-one", "order-two"]
    assert (await lane.history("one"))[0] == ("human", "two teas")


async def test_turns_of_a_session_are_served_one_after_the_other(lane: Lane) -> None:
    """Two utterances at once on one session are two turns, and both count."""
    session = lane.open([ADD_TEA, says("Tea."), ADD_BUN, says("Bun.")])
    turns = await asyncio.gather(session.asay("two teas"), session.asay("a bun"))
    assert [turn.turn for turn in turns] == [1, 2]
    assert lines(turns[1].order) == [("Tea", 2), ("Bun", 1)]


async def test_conversation_goes_on_after_a_restart(tmp_path: Path) -> None:
    """A new process has the order, the words and the number of the turn, silent turns counted."""
    async with open_checkpointer(tmp_path / "conversations.sqlite") as checkpointer:
        first = Lane(tmp_path, checkpointer).open([ADD_TEA, says("Two teas.")])
        assert [(await first.asay(text)).turn for text in ("two teas", "...")] == [1, 2]
    async with open_checkpointer(tmp_path / "conversations.sqlite") as checkpointer:
        lane = Lane(tmp_path, checkpointer)
        session = lane.open([ADD_BUN, says("A bun.")])
        assert lines(await session.aorder()) == [("Tea", 2)]
        turn = await session.asay("a bun")
        assert (turn.turn, lines(turn.order)) == (3, [("Tea", 2), ("Bun", 1)])
        assert turn.reasoning == ("[TOOL_CALL] add_item_to_order: they want a bun", "[DIRECT] ")
        assert await lane.history() == [
            ("human", "two teas"),
            ("ai", "Two teas."),
            ("human", "a bun"),
            ("ai", "A bun."),
        ]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1000])
async def test_stream_adds_up_to_the_reply(lane: Lane, chunk: int) -> None:
    """The pieces of a stream add up to the reply, without the reasoning, however the chunks fall."""
    script = [
        ADD_TEA,
        says("<reasoning>they are done</reasoning>\n\nTwo teas,  <REASONING>x</REASONING>right? "),
    ]
    model = StreamingModel(script=[*script, *WHOLE_ORDER[2:]], chunk=chunk)
    session = lane.open(model)
    pieces, turn = await streamed(session, "two teas")
    assert "".join(pieces) == turn.reply == "Two teas,  right?"
    assert len(pieces) >= 5 or chunk > 3
    for text in ("done", "yes"):
        pieces, turn = await streamed(session, text)
        assert "".join(pieces) == turn.reply
    assert turn.reply in SENTENCES["goodbye"]


@pytest.mark.parametrize(
    "text",
    ["<reasoning>never closed. Tea?", "Tea < water, <reason enough", "a<b", "<reasoning>x</reasoning>"],
)
async def test_stream_of_an_odd_tag(lane: Lane, text: str) -> None:
    """A tag that is never closed hides the rest, and what only looks like one is said."""
    pieces, turn = await streamed(lane.open(StreamingModel(script=[says(text)], chunk=2)), "hi")
    assert "".join(pieces) == turn.reply
    assert turn.reply == extract_reasoning(text)[1] or turn.reply in SENTENCES["unheard"]


async def test_stream_of_the_embedded_engine(lane: Lane) -> None:
    """The embedded engine streams, and what it streams is its reply, to the goodbye."""
    session = lane.open(None)
    for text in ("two teas and a bun", "that's all", "yes"):
        pieces, turn = await streamed(session, text)
        assert "".join(pieces) == turn.reply
    assert turn.order.status is OrderStatus.SUBMITTED
    assert lines(turn.order) == [("Tea", 2), ("Bun", 1)]


async def test_words_beside_a_tool_call_are_said_before_the_reply(lane: Lane) -> None:
    """What a model says while it calls a tool is heard, too; the reply is what it ends with."""
    beside = calls(("lookup_menu_item", {"item_name": "tea"}))
    script = [beside.model_copy(update={"content": "One moment."}), says("We have tea.")]
    pieces, turn = await streamed(lane.open(StreamingModel(script=script)), "tea?")
    assert turn.reply == "We have tea."
    assert "".join(pieces) == "One moment. We have tea."


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00\x07\x1b", "?!…", "\ud800", "\u200b", "🤷"])
async def test_nothing_said(lane: Lane, text: str) -> None:
    """Silence, noise and punctuation are asked about without the model; the turn counts."""
    model = ScriptedModel(script=[says("Hello!")])
    session = lane.open(model)
    turn = await session.asay(text)
    assert turn.turn == 1
    assert turn.reply in SENTENCES["unheard"]
    assert model.heard == []
    assert (await session.asay("hello")).turn == 2


async def test_unspeakable_characters_are_dropped(lane: Lane) -> None:
    """Half characters and NUL reach neither the model nor the database."""
    turn = await lane.open([says("Sure.")]).asay("two\x00 te\ud800as\r\nplease\udfff")
    assert turn.customer == "two  teas  please"
    assert turn.reply == "Sure."
    assert (await lane.history())[0] == ("human", turn.customer)


@pytest.mark.parametrize(("length", "asked"), [(MAX_CHARACTERS, 1), (MAX_CHARACTERS + 1, 0), (1_000_000, 0)])
async def test_endless_talk(lane: Lane, length: int, asked: int) -> None:
    """More than anyone says at a window is cut short politely, without the model."""
    model = ScriptedModel(script=[says("Phew.")])
    turn = await lane.open(model).asay("a" * length)
    assert len(model.heard) == asked
    assert turn.reply == "Phew." if asked else turn.reply in SENTENCES["too_long"]
    assert len(turn.customer) <= MAX_CHARACTERS


async def test_listener_goes_away(lane: Lane) -> None:
    """A client that hangs up in the middle does not cut its turn in two."""
    asked, gate = threading.Event(), threading.Event()

    def wait(call: int) -> None:
        if call == 1:
            asked.set()
            gate.wait(10)

    session = lane.open(ActingModel(script=[ADD_TEA, says("Two teas."), says("You're welcome.")], act=wait))
    listener = asyncio.create_task(session.asay("two teas"))
    await asyncio.to_thread(asked.wait, 10)
    listener.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listener
    gate.set()
    turn = await session.asay("thanks")
    assert (turn.turn, lines(turn.order)) == (2, [("Tea", 2)])
    assert await lane.history() == [
        ("human", "two teas"),
        ("ai", "Two teas."),
        ("human", "thanks"),
        ("ai", "You're welcome."),
    ]


async def test_closing_waits_for_a_turn_without_a_listener(tmp_path: Path) -> None:
    """The drive-thru closes its checkpointer only after the turns under way."""
    asked, gate = threading.Event(), threading.Event()

    def wait(_: int) -> None:
        asked.set()
        gate.wait(10)

    settings = Settings(data_dir=tmp_path / "data")
    menu = Lane(tmp_path).menu
    model = ActingModel(script=[says("Hello!")], act=wait)
    async with open_drive_thru(settings, menu=menu, model=model) as drive_thru:
        listener = asyncio.create_task(drive_thru.session("s").asay("hi"))
        await asyncio.to_thread(asked.wait, 10)
        listener.cancel()
        asyncio.get_running_loop().call_later(0.1, gate.set)
    async with open_drive_thru(
        settings, menu=menu, model=ScriptedModel(script=[says("Again?")])
    ) as drive_thru:
        assert (await drive_thru.session("s").asay("hi again")).turn == 2


async def test_async_code_cannot_block(lane: Lane) -> None:
    """A session without a portal says what to do instead of hanging."""
    with pytest.raises(RuntimeError, match="open_session"):
        lane.open([says("Hi")]).say("hi")


def test_open_session_for_scripts(tmp_path: Path) -> None:
    """A script needs one `with` and no async."""
    heard: list[str] = []
    settings = Settings(data_dir=tmp_path)
    with open_session("lunch", settings=settings, menu=Lane(tmp_path).menu) as session:
        turn = session.say("two teas", heard.append)
        assert lines(turn.order) == lines(session.order) == [("Tea", 2)]
        assert "".join(heard) == turn.reply
    with open_session("lunch", settings=settings, menu=Lane(tmp_path).menu) as session:
        assert lines(session.order) == [("Tea", 2)]


async def test_ephemeral_leaves_nothing(tmp_path: Path) -> None:
    """An ephemeral drive-thru writes no file."""
    settings = Settings(data_dir=tmp_path / "data")
    async with open_drive_thru(settings, ephemeral=True) as drive_thru:
        session = drive_thru.session()
        for text in ("a large coffee", "that's all", "yes"):
            turn = await session.asay(text)
    assert turn.order.status is OrderStatus.SUBMITTED
    assert not (tmp_path / "data").exists()


async def test_one_session_object_for_an_id(lane: Lane) -> None:
    """Asking twice for a session gives the same one, so that its turns cannot overlap."""
    async with open_drive_thru(Settings(), menu=lane.menu, ephemeral=True) as drive_thru:
        session = drive_thru.session("a")
        assert drive_thru.session("a") is session
        assert drive_thru.session("b") is not session
        assert drive_thru.session().session_id != drive_thru.session().session_id


@pytest.mark.parametrize("name", ["", " ", "../up", "a" * 129, "a\nb", "\ud800"])
async def test_impossible_session_ids(lane: Lane, name: str) -> None:
    """What cannot be part of a file name or a log line cannot name a session."""
    async with open_drive_thru(Settings(), menu=lane.menu, ephemeral=True) as drive_thru:
        with pytest.raises(ValueError, match="session id"):
            drive_thru.session(name)


async def test_forget(lane: Lane) -> None:
    """A forgotten conversation begins anew."""
    async with open_drive_thru(Settings(), menu=lane.menu, ephemeral=True) as drive_thru:
        session = drive_thru.session("a")
        await session.asay("two teas")
        await drive_thru.forget(session)
        assert (await drive_thru.session("a").asay("hi")).order.items == ()
    assert isinstance(drive_thru, DriveThru)
