"""Every turn counts once or not at all: models that fail, kitchens out of reach, processes that die."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from orchestrator.context import Context
from orchestrator.enums import OrderStatus
from orchestrator.graph import build_graph
from orchestrator.models import Order
from orchestrator.persistence import MemoryOrders, serializer
from orchestrator.prompts import phrases

from tests.integration.lane import (
    ADD_BUN,
    ADD_TEA,
    FINALIZE,
    READ_BACK,
    WHOLE_ORDER,
    ActingModel,
    FlakyOrders,
    Lane,
    lines,
)
from tests.scripted import ModelDownError, ScriptedModel, says

pytestmark = pytest.mark.anyio

TROUBLE = phrases("sentences")["trouble"][0].split("{{order}}")
GOODBYE = phrases("sentences")["goodbye"]
KITCHEN_TROUBLE = phrases("sentences")["kitchen_trouble"]
KITCHEN_AGAIN = phrases("sentences")["kitchen_again"]


class SaverThatFails(InMemorySaver):
    """Checkpoints on a disk that is full for a number of writes."""

    def __init__(self, failures: int) -> None:
        super().__init__(serde=serializer())
        self.failures = failures

    async def aput(self, *args: Any, **kwargs: Any) -> Any:
        """Fail, or write a checkpoint."""
        self._write()
        return await super().aput(*args, **kwargs)

    async def aput_writes(self, *args: Any, **kwargs: Any) -> None:
        """Fail, or write what a checkpoint is still to become."""
        self._write()
        await super().aput_writes(*args, **kwargs)

    def _write(self) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("no space left on device")


@pytest.fixture
def lane(tmp_path: Path) -> Lane:
    return Lane(tmp_path)


@pytest.mark.parametrize("failing", [1, 2])
async def test_model_fails_once(lane: Lane, failing: int) -> None:
    """A model that fails once, before or after the add, is asked again; nothing is added twice."""
    model = ScriptedModel(script=[ADD_TEA, says("Two teas.")], fail_at=frozenset({failing}))
    turn = await lane.open(model).asay("two teas")
    assert (turn.reply, lines(turn.order)) == ("Two teas.", [("Tea", 2)])
    assert turn.tool_calls == ("add_item_to_order",)
    assert len(turn.reasoning) == 2
    assert await lane.history() == [("human", "two teas"), ("ai", "Two teas.")]


@pytest.mark.parametrize(
    ("failing", "so_far", "spoken"),
    [({1, 2}, [], ""), ({2, 3}, [("Tea", 2)], "So far I have two small Teas. ")],
)
async def test_model_stays_away(
    lane: Lane, failing: set[int], so_far: list[tuple[str, int]], spoken: str
) -> None:
    """When asking again fails too, the customer hears the order so far; the next turn starts clean."""
    model = ScriptedModel(
        script=[ADD_TEA, says("Done.")] if so_far else [ADD_BUN, says("Done.")], fail_at=frozenset(failing)
    )
    session = lane.open(model)
    turn = await session.asay("two teas")
    assert turn.reply == f"{TROUBLE[0]}{spoken}{TROUBLE[1].strip()}"
    assert lines(turn.order) == so_far
    assert (await lane.state()).next == ()
    again = await session.asay("a bun")
    assert (again.turn, again.reply) == (2, "Done.")
    assert lines(again.order) == (so_far or [("Bun", 1)])
    assert [text for _, text in await lane.history()] == ["two teas", turn.reply, "a bun", "Done."]


async def test_trouble_is_remembered_by_a_new_process(lane: Lane) -> None:
    """A turn that was closed with an apology is a turn: the next process counts it and does not resume it."""
    await lane.open(ScriptedModel(script=[says("?")], fail_at=frozenset({1, 2}))).asay("two teas")
    turn = await lane.open([says("Hello!")]).asay("hi")
    assert (turn.turn, turn.reply, turn.order.items) == (2, "Hello!", ())


async def test_failing_tools_leave_no_open_call(lane: Lane) -> None:
    """A turn whose tools could not run is closed without its calls: a provider refuses open ones."""
    menu, elsewhere = Path(lane.menu), Path(lane.menu).with_name("lost.json")

    def lose_the_menu(call: int) -> None:
        if call == 1:
            menu.rename(elsewhere)

    session = lane.open(ActingModel(script=[ADD_TEA, says("Two teas.")], act=lose_the_menu))
    turn = await session.asay("two teas")
    assert turn.reply.startswith(TROUBLE[0])
    state = await lane.state()
    assert state.next == ()
    assert [type(m) for m in state.values["messages"]] == [HumanMessage, AIMessage]
    await asyncio.to_thread(elsewhere.rename, menu)
    assert (await session.asay("hello?")).turn == 2


async def test_process_dies_in_a_turn(lane: Lane) -> None:
    """A turn that a dead process left unfinished is finished before the next words are taken."""
    down = ScriptedModel(script=[ADD_TEA], fail_at=frozenset({2}))
    graph = build_graph(down, checkpointer=lane.checkpointer)
    with pytest.raises(ModelDownError):
        await graph.ainvoke(
            {"messages": [HumanMessage("two teas")], "current_order": Order(order_id="kept")},
            {"configurable": {"thread_id": "lane-1"}, "metadata": {"turn": 1}},
            context=Context(menu=lane.menu),
            durability="exit",
        )
    session = lane.open([says("Two teas."), ADD_BUN, says("And a bun.")])
    turn = await session.asay("and a bun")
    assert (turn.turn, turn.reply) == (2, "And a bun.")
    assert turn.order.order_id == "kept"
    assert lines(turn.order) == [("Tea", 2), ("Bun", 1)]
    assert [text for _, text in await lane.history()] == ["two teas", "Two teas.", "and a bun", "And a bun."]


async def test_unfinished_turn_cannot_be_finished(lane: Lane) -> None:
    """An unfinished turn that fails again is closed with an apology, and the new words are still answered."""
    down = ScriptedModel(script=[says("?")], fail_at=frozenset({1}))
    graph = build_graph(down, checkpointer=lane.checkpointer)
    with pytest.raises(ModelDownError):
        await graph.ainvoke(
            {"messages": [HumanMessage("two teas")], "current_order": Order()},
            {"configurable": {"thread_id": "lane-1"}, "metadata": {"turn": 1}},
            context=Context(menu=lane.menu),
            durability="exit",
        )
    turn = await lane.open(ScriptedModel(script=[says("Hello!")], fail_at=frozenset({1}))).asay("hi")
    assert (turn.turn, turn.reply) == (2, "Hello!")
    assert [who for who, _ in await lane.history()] == ["human", "ai", "human", "ai"]


async def test_checkpoint_cannot_be_written(tmp_path: Path) -> None:
    """A turn that could not be saved is as if it had not been: the customer is asked to say it again."""
    lane = Lane(tmp_path, SaverThatFails(failures=1))
    session = lane.open([ADD_TEA, says("Two teas."), ADD_TEA, says("Two teas.")])
    first = await session.asay("two teas")
    assert first.reply.startswith(TROUBLE[0])
    assert first.order.items == ()
    second = await session.asay("two teas")
    assert (second.turn, second.reply, lines(second.order)) == (2, "Two teas.", [("Tea", 2)])


async def test_failed_close_is_not_finished_later(tmp_path: Path) -> None:
    """A turn that the customer was asked to repeat is never finished afterwards, which would add twice."""
    saver = SaverThatFails(failures=0)
    lane = Lane(tmp_path, saver)

    def fill_the_disk(call: int) -> None:
        saver.failures = 2 if call == 2 else 0  # the turn is saved unfinished, its apology is not

    script = [ADD_TEA, says("Two teas."), ADD_TEA, says("Two more.")]
    session = lane.open(ActingModel(script=script, fail_at=frozenset({1, 2}), act=fill_the_disk))
    assert (await session.asay("two teas")).reply.startswith(TROUBLE[0])
    assert (await lane.state()).next == ("orchestrator",)
    turn = await session.asay("two teas")
    assert (turn.turn, turn.reply, lines(turn.order)) == (2, "Two teas.", [("Tea", 2)])


async def test_order_is_stored_before_the_checkpoint_says_so(tmp_path: Path) -> None:
    """The kitchen knows of an order before the checkpoint calls it submitted."""
    seen: list[str] = []

    class Witness(InMemorySaver):
        async def aput(self, config: Any, checkpoint: Any, *rest: Any) -> Any:
            order = checkpoint["channel_values"].get("current_order")
            seen.append(f"checkpoint {order.status}")
            return await super().aput(config, checkpoint, *rest)

    class Kitchen(MemoryOrders):
        async def submit(self, order: Order, *about: Any) -> bool:
            seen.append(f"kitchen {order.status}")
            return await super().submit(order, *about)

    session = Lane(tmp_path, Witness(serde=serializer()), Kitchen()).open([*WHOLE_ORDER, says("Bye!")])
    for text in ("two teas", "done", "yes", "thanks"):
        await session.asay(text)
    assert seen == [
        "checkpoint open",
        "checkpoint open",
        "kitchen submitted",
        "checkpoint submitted",
        "checkpoint submitted",
    ]


async def test_crash_after_the_store_and_before_the_checkpoint(lane: Lane) -> None:
    """An order that the store has and the checkpoint calls open becomes submitted, with a goodbye."""
    session = lane.open(WHOLE_ORDER)
    for text in ("two teas", "done"):
        order = (await session.asay(text)).order
    await lane.orders.submit(order.submitted(), "lane-1", "corner-menu", "1", None)  # type: ignore[arg-type]
    later = lane.open([ADD_BUN, says("It is too late for that.")])
    assert await later.aorder() == order.submitted()
    state = await lane.state()
    assert state.next == ()
    assert state.values["current_order"] == order.submitted()
    assert (await lane.history())[-1][1] in GOODBYE
    turn = await later.asay("and a bun")
    assert (turn.turn, turn.order) == (3, order.submitted())
    assert turn.reply == "It is too late for that."


async def test_checkpoint_says_submitted_and_the_store_does_not_know(lane: Lane) -> None:
    """An order that never reached the store is delivered when its session is opened, once."""
    session = lane.open(WHOLE_ORDER)
    for text in ("two teas", "done", "yes"):
        order = (await session.asay(text)).order
    lane.orders = (kitchen := FlakyOrders(failures=0))
    later = lane.open([says("You're welcome.")])
    turn = await later.asay("thanks")
    assert turn.reply in KITCHEN_AGAIN
    assert (await later.asay("thanks")).reply == "You're welcome."
    assert await kitchen.get(order.order_id) == order
    assert len(kitchen.submitted) == 1


async def test_store_fails_once(tmp_path: Path) -> None:
    """A kitchen out of reach is told and tried again at the next turn, whatever is said in it."""
    lane = Lane(tmp_path, orders=(kitchen := FlakyOrders(failures=0)))
    session = lane.open([*WHOLE_ORDER, says("You're welcome.")])
    for text in ("two teas", "done"):
        await session.asay(text)
    kitchen.failures = 2
    pieces = [piece async for piece in session.stream("yes")]
    assert pieces[:-1] == [pieces[-1].reply]  # type: ignore[union-attr]
    turns = [pieces[-1], *[await session.asay(text) for text in ("hello?", "...", "thanks")]]
    replies = [turn.reply for turn in turns]  # type: ignore[union-attr]
    assert replies[0] in KITCHEN_TROUBLE
    assert replies[1] in KITCHEN_TROUBLE
    assert replies[2] in KITCHEN_AGAIN
    assert replies[3] == "You're welcome."
    assert [turn.turn for turn in turns] == [3, 4, 5, 6]  # type: ignore[union-attr]
    assert len(kitchen.submitted) == 1
    heard = [text for who, text in await lane.history() if who == "ai"]
    assert heard[-3:] == [replies[0], replies[2], replies[3]]
    assert not any(text in GOODBYE for text in heard)


async def test_another_process_submits(tmp_path: Path) -> None:
    """Who comes second to a conversation does not hear of a kitchen out of reach when the order is there."""
    lane = Lane(tmp_path, orders=(kitchen := FlakyOrders(failures=0)))
    first, second = lane.open(WHOLE_ORDER), lane.open([says("Still here?"), says("It is in already.")])
    for text in ("two teas", "done"):
        await first.asay(text)
    await second.asay("hm")
    third = lane.open([READ_BACK, says("Two teas. Right?"), FINALIZE])
    for text in ("read it", "yes"):
        await third.asay(text)
    assert (await second.asay("hello?")).reply == "It is in already."
    assert len(kitchen.submitted) >= 1


async def test_store_fails_in_an_unforeseen_way(tmp_path: Path) -> None:
    """A customer is never told that an order is in when the store did not take it, whatever went wrong."""
    lane = Lane(tmp_path, orders=(kitchen := FlakyOrders(failures=0, error=RuntimeError("a bug"))))
    session = lane.open(WHOLE_ORDER)
    for text in ("two teas", "done"):
        await session.asay(text)
    kitchen.failures = 1
    assert (await session.asay("yes")).reply in KITCHEN_TROUBLE
    assert (await session.asay("hello?")).reply in KITCHEN_AGAIN
    assert len(kitchen.submitted) == 1


async def test_store_fails_and_the_process_dies(tmp_path: Path) -> None:
    """A new process delivers what the old one could not, and says so."""
    lane = Lane(tmp_path, orders=FlakyOrders(failures=0))
    session = lane.open(WHOLE_ORDER)
    for text in ("two teas", "done"):
        await session.asay(text)
    lane.orders.failures = 1  # type: ignore[attr-defined]
    assert (await session.asay("yes")).reply in KITCHEN_TROUBLE
    turn = await lane.open([says("?")]).asay("hello?")
    assert (turn.turn, turn.order.status) == (4, OrderStatus.SUBMITTED)
    assert turn.reply in KITCHEN_AGAIN


async def test_store_cannot_be_asked_at_the_start(tmp_path: Path) -> None:
    """While nobody knows whether an order was submitted, nothing is changed on it."""
    lane = Lane(tmp_path, orders=(kitchen := FlakyOrders(failures=0)))
    await lane.open([ADD_TEA, says("Two teas.")]).asay("two teas")
    kitchen.failures = 1
    session = lane.open([ADD_BUN, says("A bun.")])
    turn = await session.asay("a bun")
    assert turn.reply in KITCHEN_TROUBLE
    assert lines(turn.order) == [("Tea", 2)]
    turn = await session.asay("a bun")
    assert (turn.turn, turn.reply, lines(turn.order)) == (3, "A bun.", [("Tea", 2), ("Bun", 1)])


async def test_submitted_but_not_saved(tmp_path: Path) -> None:
    """The store took the order and the checkpoint could not be written: the next turn finds it submitted."""
    saver = SaverThatFails(failures=0)
    lane = Lane(tmp_path, saver, kitchen := FlakyOrders(failures=0))
    session = lane.open([ADD_TEA, says("Two teas."), READ_BACK, says("Right?"), FINALIZE, says("It is in.")])
    for text in ("two teas", "done"):
        await session.asay(text)
    saver.failures = 1
    assert (await session.asay("yes")).reply.startswith(TROUBLE[0])
    turn = await session.asay("yes!")
    assert (turn.reply, turn.order.status) == ("It is in.", OrderStatus.SUBMITTED)
    assert len(kitchen.submitted) == 1


async def test_failures_are_logged(lane: Lane, caplog: pytest.LogCaptureFixture) -> None:
    """What the customer hears as trouble stands in the log with its cause, and no word of the customer's."""
    with caplog.at_level(logging.ERROR):
        await lane.open(ScriptedModel(script=[says("?")], fail_at=frozenset({1, 2}))).asay("two secret teas")
    assert "ModelDownError" in caplog.text
    assert "secret" not in "".join(record.getMessage() for record in caplog.records)


async def test_late_delivery_is_told_at_the_next_turn(lane: Lane) -> None:
    """Looking at the order may be what delivers it; the customer still hears that it got there."""
    session = lane.open(WHOLE_ORDER)
    for text in ("two teas", "done", "yes"):
        await session.asay(text)
    lane.orders = FlakyOrders(failures=0)
    later = lane.open([says("You're welcome.")])
    assert (await later.aorder()).status is OrderStatus.SUBMITTED
    assert [(await later.asay(text)).reply for text in ("thanks", "thanks")][1] == "You're welcome."
    assert (await lane.history())[-3][1] in KITCHEN_AGAIN
