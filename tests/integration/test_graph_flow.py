"""The whole graph with a scripted model: rounds, ends, failures, checkpoints."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, InvalidToolCall, SystemMessage
from langchain_core.messages.tool import ToolCall
from orchestrator.context import Context
from orchestrator.enums import OrderStatus
from orchestrator.graph import RECURSION_LIMIT, build_graph
from orchestrator.models import Order

from tests.counter import ADD_LATTE, ADD_TACO, open_counter
from tests.scripted import FINALIZES, READS_BACK, ModelDownError, ScriptedModel, adds, calls, says
from tests.shops import dish, write_menu
from tests.talk import Talk, new_saver

LOOKUP = ("lookup_menu_item", {"item_name": "latte"})


@pytest.fixture
def shop(tmp_path: Path) -> Context:
    """A shop with a latte, wings and a taco."""
    return open_counter(tmp_path).context


def talk(
    context: Context, *script: AIMessage, fail_at: frozenset[int] = frozenset()
) -> tuple[Talk, ScriptedModel]:
    model = ScriptedModel(script=list(script), fail_at=fail_at)
    return Talk(build_graph(model, checkpointer=new_saver()), context), model


def test_an_order_from_greeting_to_goodbye(shop: Context) -> None:
    """Look up, add, read back, agree, submit: each step changes what it should and nothing else."""
    conversation, _ = talk(
        shop,
        calls(LOOKUP),
        calls(ADD_LATTE, first_id=2),
        says("One small latte. Anything else?"),
        calls(READS_BACK, first_id=3),
        says("One small latte. Is that right?"),
        calls(FINALIZES, first_id=4),
    )
    assert conversation.say("A latte, please") == "One small latte. Anything else?"
    assert conversation.tool_calls == ["lookup_menu_item", "add_item_to_order"]
    order_id = conversation.order.order_id
    conversation.say("That's all")
    assert (conversation.lines, conversation.order.status) == ([("latte", 1)], OrderStatus.OPEN)
    conversation.say("Yes")
    assert (conversation.lines, conversation.order.status) == ([("latte", 1)], OrderStatus.SUBMITTED)
    assert conversation.order.order_id == order_id


def test_a_submitted_order_ends_the_turn_without_asking_the_model_again(shop: Context) -> None:
    """After a successful finalize the goodbye is the program's, and the model is not asked."""
    conversation, model = talk(
        shop, calls(ADD_LATTE), calls(READS_BACK, first_id=2), says("Right?"), calls(FINALIZES, first_id=3)
    )
    conversation.say("A latte, that's all")
    conversation.say("Yes")
    assert len(model.heard) == 4


def test_a_refused_finalize_goes_back_to_the_model(shop: Context) -> None:
    """A model that finalizes too early is asked again, and its words end the turn."""
    conversation, _ = talk(shop, calls(FINALIZES), says("What would you like?"))
    assert conversation.say("Done") == "What would you like?"
    assert conversation.order.status is OrderStatus.OPEN


def test_the_conversation_goes_on_after_submission(shop: Context) -> None:
    """A customer who speaks after the goodbye is answered, and the order stays as it is."""
    conversation, _ = talk(
        shop,
        calls(ADD_LATTE),
        calls(READS_BACK, first_id=2),
        says("Right?"),
        calls(FINALIZES, first_id=3),
        calls(READS_BACK, ADD_TACO, first_id=4),
        says("It is with the kitchen."),
    )
    for words in ("A latte", "Yes"):
        conversation.say(words)
    submitted = conversation.order
    assert conversation.say("And a taco!") == "It is with the kitchen."
    assert conversation.order == submitted


def test_reasoning_is_kept_apart_from_the_words(shop: Context) -> None:
    """Each answer of the model has one entry that says what it did and why; the customer hears no reason."""
    conversation, _ = talk(
        shop,
        calls(LOOKUP, READS_BACK, why="Customer asked"),
        AIMessage("<reasoning>Found it</reasoning>We have lattes."),
        says("Bye"),
    )
    assert conversation.say("Do you have lattes?") == "We have lattes."
    conversation.say("Bye")
    assert conversation.reasoning == [
        "[TOOL_CALL] lookup_menu_item, get_current_order: Customer asked",
        "[DIRECT] Found it",
        "[DIRECT] ",
    ]


@pytest.mark.parametrize("content", ["", "   \n", "<reasoning>Nothing to say</reasoning>", "<reasoning>cut"])
def test_an_empty_reply_becomes_a_sentence(shop: Context, content: str) -> None:
    """A model that says nothing does not leave the customer in silence (`Talk` checks the words)."""
    conversation, _ = talk(shop, AIMessage(content))
    assert "<reasoning>" not in conversation.say("Hello?")


def test_a_looping_model_is_stopped(shop: Context) -> None:
    """A model that only ever calls tools is cut off after some rounds with a polite sentence."""
    conversation, model = talk(shop, *(calls(LOOKUP, first_id=i) for i in range(1, 40)))
    assert "sorry" in conversation.say("A latte").lower()
    assert len(model.heard) <= RECURSION_LIMIT // 3
    assert conversation.reasoning[-1].startswith("[DIRECT] ")


def test_a_loop_keeps_what_it_added(shop: Context) -> None:
    """Cut off, the order is as its tools left it, within its limits, and the next turn works."""
    conversation, model = talk(
        shop, *(calls(adds("latte", "Latte", quantity=5), first_id=i) for i in range(1, 40))
    )
    conversation.say("Lattes!")
    assert conversation.lines == [("latte", 20)]
    model.script.append(says("Fine."))
    model.played.extend([0] * 40)
    assert conversation.say("Stop") == "Fine."


def test_arguments_that_are_no_json_are_explained_to_the_model(shop: Context) -> None:
    """A malformed call is answered by its tool, and the model gets another chance."""
    broken = InvalidToolCall(
        name="add_item_to_order", args='{"item_id": "lat', id="call-1", error=None, type="invalid_tool_call"
    )
    conversation, model = talk(
        shop, AIMessage("", invalid_tool_calls=[broken]), calls(ADD_LATTE, first_id=2), says("A latte.")
    )
    assert conversation.say("A latte") == "A latte."
    assert conversation.lines == [("latte", 1)]
    assert "item_id" in str(model.heard[1][-1].content)


def test_calls_of_a_reply_that_was_cut_off_are_not_trusted(shop: Context) -> None:
    """Arguments that ended in the middle may look whole: the model is told so and calls again."""
    cut_off = calls(("add_item_to_order", {**ADD_LATTE[1], "quantity": 1}))
    cut_off.response_metadata["finish_reason"] = "length"
    conversation, _ = talk(
        shop, cut_off, calls((ADD_LATTE[0], {**ADD_LATTE[1], "quantity": 12}), first_id=2), says("Twelve.")
    )
    conversation.say("Twelve lattes")
    assert conversation.lines == [("latte", 12)]


def test_a_number_that_no_checkpoint_can_store_is_refused(shop: Context) -> None:
    """A quantity of thirty digits is an error for the model to read, not the end of the turn."""
    wild = calls((ADD_LATTE[0], {**ADD_LATTE[1], "quantity": 10**30}))
    conversation, _ = talk(shop, wild, says("That is too many."))
    assert conversation.say("A nonillion lattes") == "That is too many."
    assert conversation.lines == []


@pytest.mark.parametrize("call_id", [None, "", "call-1"], ids=["none", "empty", "repeated"])
def test_calls_without_ids_of_their_own_count_each(shop: Context, call_id: str | None) -> None:
    """Calls whose server left ids out, or gave one to all, are told apart: limits hold over the batch."""
    call = ToolCall(name="add_item_to_order", args={**ADD_LATTE[1], "quantity": 15}, id=call_id)
    conversation, _ = talk(shop, AIMessage("", tool_calls=[call, call]), says("There."))
    conversation.say("Thirty lattes")
    assert conversation.lines == [("latte", 15)]
    assert len({answer.tool_call_id for answer in conversation.tool_answers}) == 2


def test_an_unknown_tool_does_not_end_the_turn(shop: Context) -> None:
    """A model that invents a tool is told so and goes on."""
    conversation, _ = talk(shop, calls(("pay", {"amount": 0})), says("You pay at the window."))
    assert conversation.say("I'd like to pay") == "You pay at the window."


def test_the_model_gets_the_prompt_of_the_moment(shop: Context) -> None:
    """Each time, the system prompt names the restaurant, its menu and the order as it stands."""
    conversation, model = talk(shop, calls(ADD_LATTE), says("Anything else?"))
    conversation.say("A latte")
    before, after = (messages[0] for messages in model.heard)
    assert isinstance(before, SystemMessage)
    assert all(
        words in before.text for words in ("The Corner", "1 Elm Street", "- Latte [coffee-tea]", "Empty")
    )
    assert "Plum Cake" not in before.text
    assert "1x Latte (small)" in after.text


def test_a_menu_cannot_rewrite_the_prompt(tmp_path: Path) -> None:
    """A menu item named like a variable of the prompt stays a name."""
    context = Context(menu=write_menu(tmp_path, dish("{{current_order}} Special"), dish("Tea")))
    conversation, model = talk(context, says("Hi"))
    conversation.say("Hi")
    assert "- {{current_order}} Special" in model.heard[0][0].text


@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_a_turn_that_failed_resumes_without_adding_twice(shop: Context, failing: int) -> None:
    """Wherever the model fails, running on with None finishes the turn, and each item is added once."""
    conversation, _ = talk(
        shop,
        calls(LOOKUP),
        calls(ADD_LATTE, first_id=2),
        calls(ADD_TACO, first_id=3),
        says("A latte and a taco."),
        fail_at=frozenset({failing}),
    )
    with pytest.raises(ModelDownError):
        conversation.say("A latte and a taco")
    assert conversation.run(None) == "A latte and a taco."
    assert conversation.lines == [("latte", 1), ("fish-taco", 1)]
    assert sum(isinstance(m, HumanMessage) for m in conversation.messages) == 1


def test_a_state_may_come_as_json(shop: Context) -> None:
    """Studio sends plain JSON: messages as dicts and an order as a dict become what they stand for."""
    conversation, _ = talk(shop, calls(ADD_LATTE), says("Two now."))
    order = (Order(order_id="from-json") + open_line()).model_dump(mode="json")
    conversation.run({"messages": [{"role": "user", "content": "Another latte"}], "current_order": order})
    assert conversation.order.order_id == "from-json"
    assert conversation.lines == [("latte", 2)]


def open_line() -> Any:
    from tests.counter import LATTE

    return LATTE.line()


def test_an_order_keeps_its_id_over_turns(shop: Context) -> None:
    """A conversation that was begun without an order has one order from its first turn on."""
    conversation, _ = talk(shop, says("Hi"), calls(ADD_LATTE), says("There."))
    conversation.say("Hi")
    order_id = conversation.order.order_id
    conversation.say("A latte")
    assert conversation.order.order_id == order_id


def test_the_state_says_which_menu_it_was_made_from(shop: Context) -> None:
    """A stored conversation names its menu and the menu's version."""
    conversation, _ = talk(shop, says("Hi"))
    conversation.say("Hi")
    assert (conversation.state["menu_id"], conversation.state["menu_version"]) == ("corner-menu", "1")


def stored_bytes(folder: Path, items: int) -> int:
    """Bytes in the checkpointer after a turn of the embedded engine on a menu of that many items."""
    names = [f"Dish {chr(97 + i // 26 % 26)}{chr(97 + i % 26)}{chr(97 + i // 676)}" for i in range(items)]
    menu = write_menu(
        folder, dish("Latte"), *(dish(name, "Salt", "Pepper") for name in names), name=f"{items}.json"
    )
    saver = new_saver()
    conversation = Talk(build_graph(checkpointer=saver), Context(menu=menu))
    conversation.say("Can I get two lattes?")
    assert conversation.lines == [("latte", 2)]
    blobs = sum(len(data) for _, data in saver.blobs.values())
    checkpoints = sum(
        len(checkpoint[1]) + len(metadata[1])
        for spaces in saver.storage.values()
        for kept in spaces.values()
        for checkpoint, metadata, _ in kept.values()
    )
    return blobs + checkpoints


def test_the_menu_is_not_in_the_checkpoint(tmp_path: Path) -> None:
    """What a turn stores does not grow with the menu: a hundred times the items, the same bytes."""
    assert abs(stored_bytes(tmp_path, 5) - stored_bytes(tmp_path, 500)) < 64


POISONED = """
import socket
def refuse(*a, **k): raise SystemExit("opened a connection")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
from orchestrator import bootstrap, graph, session, persistence
from langchain_core.messages import HumanMessage
import asyncio
result = asyncio.run(graph.graph.ainvoke({"messages": [HumanMessage("An Egg McMuffin, please")]}))
print([line.item_id for line in result["current_order"].items])
"""


def test_importing_needs_no_key_no_network_and_no_environment(tmp_path: Path) -> None:
    """Every setting poisoned and every connection forbidden, the graph is imported and takes an order."""
    settings = ("MISTRAL_API_KEY", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY", "LANGFUSE_BASE_URL")
    poison = dict.fromkeys((*settings, "MENU_JSON_PATH", "DATA_DIR", "MISTRAL_TEMPERATURE"), "/poison\x01")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", POISONED],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **poison},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr, done.returncode) == ("['mcmuffin-egg-001']", "", 0)
    assert list(tmp_path.iterdir()) == []
