"""The graph's plain functions: they need nothing but the state."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from orchestrator.enums import CategoryName, ModifierAction, OrderStatus, Size
from orchestrator.graph import (
    RECURSION_LIMIT,
    append_entries,
    build_graph,
    extract_reasoning,
    graph,
    latest_order,
    should_continue,
    should_end_after_update,
    update_order,
)
from orchestrator.models import Modifier, Order

from tests.scripted import FINALIZES, adds, calls, says
from tests.shops import as_json, dish

TEA = dish("Tea", "Milk", category=CategoryName.COFFEE_TEA)
FINALIZED = {"finalized": True, "order_id": "order-1"}


def added(name: str = "tea", quantity: Any = 1, **facts: Any) -> dict[str, Any]:
    """What `add_item_to_order` answers, in the seed's shape: without a default size."""
    return {
        "added": True,
        "item_id": name,
        "item_name": name.title(),
        "category_name": "coffee-tea",
        "quantity": quantity,
        "size": "regular",
        "modifiers": [],
        **facts,
    }


def answer(facts: Any, call_id: str = "call-1", tool: str = "add_item_to_order") -> ToolMessage:
    content = facts if isinstance(facts, str) else as_json(facts)
    return ToolMessage(content, name=tool, tool_call_id=call_id)


def state_of(*messages: AnyMessage, order: Order | None = None) -> Any:
    return {"messages": [HumanMessage("Hi"), *messages], "current_order": order or Order(order_id="order-1")}


def ordered(*messages: AnyMessage, order: Order | None = None) -> list[tuple[str, int]]:
    updated = update_order(state_of(*messages, order=order))["current_order"]
    return [(line.item_id, line.quantity) for line in updated.items]


BATCH_OF_ONE = calls(adds("tea", "Tea"))
BATCH_OF_TWO = calls(adds("tea", "Tea"), adds("bun", "Bun"))


def test_an_answer_of_the_seeds_shape_is_applied() -> None:
    """An added item becomes a line with the size and the modifiers it was answered with."""
    facts = added(
        quantity=2, modifiers=[{"modifier_id": "milk", "name": "Milk", "action": "no"}], size="large"
    )
    [line] = update_order(state_of(BATCH_OF_ONE, answer(facts)))["current_order"].items
    assert (line.item_id, line.quantity, line.size) == ("tea", 2, Size.LARGE)
    assert line.modifiers == (Modifier(modifier_id="milk", name="Milk", action=ModifierAction.NO),)


def test_a_modifier_of_the_seeds_shape_is_added() -> None:
    """A modifier without an action is one that was added."""
    facts = added(modifiers=[{"modifier_id": "milk", "name": "Milk"}])
    [line] = update_order(state_of(BATCH_OF_ONE, answer(facts)))["current_order"].items
    assert line.modifiers[0].action is ModifierAction.ADD


def test_an_order_in_the_state_may_be_missing() -> None:
    """The first update of a bare state starts an order."""
    state: Any = {"messages": [BATCH_OF_ONE, answer(added())]}
    assert update_order(state)["current_order"].units == 1


def test_every_answer_of_the_batch_is_applied_in_call_order() -> None:
    """Two added items are two lines in the order of the calls, in whatever order the answers come."""
    tea, bun = answer(added("tea"), "call-1"), answer(added("bun"), "call-2")
    assert ordered(BATCH_OF_TWO, tea, bun) == [("tea", 1), ("bun", 1)]
    assert ordered(BATCH_OF_TWO, bun, tea) == [("tea", 1), ("bun", 1)]


def test_the_same_item_merges() -> None:
    """What is on the order already grows instead of being listed twice."""
    assert ordered(BATCH_OF_TWO, answer(added()), answer(added(), "call-2"), order=Order() + TEA.line(3)) == [
        ("tea", 5)
    ]


@pytest.mark.parametrize(
    "later",
    [
        [says("Got it, a tea. Anything else?")],
        [says("Got it."), HumanMessage("Thanks")],
        [says("Got it."), HumanMessage("Thanks"), says("You're welcome!")],
        [
            calls(("lookup_menu_item", {"item_name": "bun"})),
            answer({"found": False}, tool="lookup_menu_item"),
        ],
    ],
    ids=["reply", "next turn", "next reply", "next batch"],
)
def test_an_old_batch_is_never_applied_again(later: list[AnyMessage]) -> None:
    """Only answers after the last AI message count; what was added before it is on the order already."""
    once = Order() + TEA.line()
    assert ordered(BATCH_OF_ONE, answer(added()), *later, order=once) == [("tea", 1)]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "Error: something went wrong",
        "{",
        "null",
        "[]",
        "17",
        '"added"',
        "{}",
        as_json({"added": True}),
        as_json(added(quantity=0)),
        as_json(added(quantity=-3)),
        as_json(added(quantity="many")),
        as_json(added(size="XL")),
        as_json(added(category_name="weapons")),
        as_json(added(modifiers=[17])),
        as_json(added(modifiers={"a": 1})),
        as_json(added(item_id="")),
        as_json(added(item_id=None)),
        as_json({**added(), "added": False}),
        as_json({**added(), "added": "true"}),
        as_json({**added(), "added": 1}),
        "\x00\ufffd",
        "9" * 5_000,
        "[" * 100_000,
    ],
)
def test_garbage_from_a_tool_changes_nothing(content: str) -> None:
    """An answer that is not exactly an added line adds nothing, and the rest of its batch still counts."""
    assert ordered(BATCH_OF_TWO, answer(content), answer(added("bun"), "call-2")) == [("bun", 1)]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_any_json_from_a_tool_is_survived(data: Any) -> None:
    """No answer whatever makes the update fail or changes the order by accident."""
    facts = {**added(), "modifiers": data}
    result = update_order(state_of(BATCH_OF_TWO, answer(data), answer(facts, "call-2")))
    assert result["current_order"].units <= 1


def test_other_tools_add_nothing() -> None:
    """Only `add_item_to_order` adds, whatever another tool's answer looks like."""
    assert ordered(BATCH_OF_ONE, answer(added(), tool="lookup_menu_item")) == []
    assert ordered(BATCH_OF_ONE, ToolMessage(as_json(added()), tool_call_id="call-1")) == []


def test_the_state_is_not_mutated() -> None:
    """The update answers a new order; the state that it was given stays as it was."""
    state = state_of(BATCH_OF_ONE, answer(added()))
    before = (state["current_order"].model_dump(), list(state["messages"]))
    update_order(state)
    assert (state["current_order"].model_dump(), state["messages"]) == before


def test_a_submission_closes_the_order_and_says_goodbye() -> None:
    """A finalized order keeps its id and lines, is submitted, and the history ends on a sentence."""
    order = Order(order_id="order-1") + TEA.line()
    result = update_order(state_of(calls(FINALIZES), answer(FINALIZED, tool="finalize_order"), order=order))
    assert result["current_order"] == order.submitted()
    [goodbye] = result["messages"]
    assert isinstance(goodbye, AIMessage)
    assert goodbye.text
    assert not goodbye.tool_calls


@pytest.mark.parametrize("facts", [{"finalized": False}, {"finalized": "true"}, {}, [FINALIZED], "yes"])
def test_only_a_finalized_answer_submits(facts: Any) -> None:
    """A refused or garbled finalize leaves the order open and says nothing."""
    result = update_order(state_of(calls(FINALIZES), answer(facts, tool="finalize_order")))
    assert result["current_order"].status is OrderStatus.OPEN
    assert "messages" not in result


def test_a_submitted_order_is_left_alone() -> None:
    """An added item that reaches a submitted order is not applied."""
    closed = (Order() + TEA.line()).submitted()
    assert update_order(state_of(BATCH_OF_ONE, answer(added()), order=closed))["current_order"] == closed


@pytest.mark.parametrize(
    ("last", "route"),
    [
        (BATCH_OF_ONE, "tools"),
        (AIMessage("Let me see", tool_calls=BATCH_OF_ONE.tool_calls), "tools"),
        (says("Anything else?"), "respond"),
        (HumanMessage("Hi"), "respond"),
    ],
)
def test_tools_run_exactly_when_the_model_called_some(last: AnyMessage, route: str) -> None:
    """After the orchestrator, tool calls lead to the tools, anything else to the customer."""
    assert should_continue(state_of(last)) == route


@pytest.mark.parametrize(
    ("messages", "route"),
    [
        ([calls(FINALIZES), answer(FINALIZED, tool="finalize_order")], "end"),
        ([calls(FINALIZES), answer(FINALIZED, tool="finalize_order"), says("Bye!")], "end"),
        ([calls(FINALIZES), answer({"finalized": False}, tool="finalize_order")], "continue"),
        ([BATCH_OF_ONE, answer(added())], "continue"),
        ([BATCH_OF_ONE, answer({"finalized": True})], "continue"),
        (
            [
                calls(FINALIZES),
                answer(FINALIZED, tool="finalize_order"),
                says("Bye!"),
                HumanMessage("What did I order?"),
                calls(("get_current_order", {})),
                answer({"items": []}, tool="get_current_order"),
            ],
            "continue",
        ),
    ],
    ids=["submitted", "with its goodbye", "refused", "added", "wrong tool", "a turn later"],
)
def test_a_turn_ends_when_its_batch_submitted_the_order(messages: list[AnyMessage], route: str) -> None:
    """After the update only a batch that submitted ends the turn; every other goes back to the model."""
    assert should_end_after_update(state_of(*messages)) == route


@pytest.mark.parametrize(
    ("content", "why", "words"),
    [
        ("Anything else?", "", "Anything else?"),
        ("<reasoning>Greeting</reasoning>Hi!", "Greeting", "Hi!"),
        ("<reasoning>\n two\n lines \n</reasoning>\n\nHi!\n", "two\n lines", "Hi!"),
        ("<reasoning>One</reasoning>Hi <reasoning>two</reasoning>there", "One two", "Hi there"),
        ("<REASONING>Loud</Reasoning>Hi", "Loud", "Hi"),
        ("Hi <reasoning>cut off in the mid", "cut off in the mid", "Hi"),
        ("<reasoning></reasoning>Hi", "", "Hi"),
        ("<reasoning>Only why</reasoning>", "Only why", ""),
        ("", "", ""),
        ("2 < 3 reasoning > 1", "", "2 < 3 reasoning > 1"),
    ],
    ids=["none", "one", "lines", "several", "case", "unclosed", "empty", "no words", "nothing", "no tag"],
)
def test_reasoning_is_split_off(content: str, why: str, words: str) -> None:
    """The customer never hears a model's reasoning; all of it is kept."""
    assert extract_reasoning(content) == (why, words)


@given(st.lists(st.sampled_from(["<reasoning>", "</reasoning>", "hi", " ", "\n", "<"])).map("".join))
def test_no_opened_reasoning_is_ever_spoken(content: str) -> None:
    """However tags are nested or broken, no opening tag reaches the customer."""
    assert not re.search("<reasoning>", extract_reasoning(content)[1])


def test_the_newest_order_wins_even_as_json() -> None:
    """What a JSON client sends as an order becomes an order."""
    order = Order() + TEA.line(2)
    assert latest_order(Order(), order.model_dump(mode="json")) == order
    assert latest_order(None, order) == order


def test_reasoning_entries_are_appended() -> None:
    """Entries are never overwritten, and the first ones start the list."""
    assert append_entries(None, ["a"]) == ["a"]
    assert append_entries(["a"], ["b", "c"]) == ["a", "b", "c"]


@pytest.mark.parametrize("compiled", [graph, build_graph()])
def test_the_recursion_limit_is_set(compiled: Any) -> None:
    """A turn has a limit of its own: the library's default would let a model loop ten thousand times."""
    assert compiled.config["recursion_limit"] == RECURSION_LIMIT
    assert RECURSION_LIMIT <= 50


def test_the_graph_has_the_designs_nodes() -> None:
    """Studio shows the three nodes of the design, and the bare graph brings no checkpointer."""
    assert set(graph.get_graph().nodes) == {"__start__", "orchestrator", "tools", "update_order", "__end__"}
    assert graph.checkpointer is None
