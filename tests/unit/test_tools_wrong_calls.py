"""Calls that a model got wrong, or made up: answered, never raised, and without effect."""

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, InvalidToolCall

from tests.counter import ADD_LATTE, Call, Counter, Facts, open_counter


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    """A small shop with the default limits."""
    return open_counter(tmp_path)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"quantity": 0}, "at least 1"),
        ({"quantity": -1}, "at least 1"),
        ({"quantity": 18_000}, "at most 20"),
        ({"quantity": 21}, "at most 20"),
        ({"quantity": 10**30}, "at most 20"),
        ({"quantity": "two"}, "quantity"),
        ({"quantity": 2.5}, "quantity"),
        ({"quantity": None}, "quantity"),
        ({"quantity": [2]}, "quantity"),
        ({"size": "XL"}, "small, medium, large"),
        ({"size": "regular"}, "small, medium, large"),
        ({"size": 3}, "size"),
        ({"modifiers": [{"modifier_id": "gold"}]}, "cream, shot"),
        ({"modifiers": [{"modifier_id": "sesame"}]}, "cream, shot"),
        ({"modifiers": [{"modifier_id": "shot", "action": "no"}]}, "possible: add"),
        ({"modifiers": [{"modifier_id": "cream", "action": "double"}]}, "add, no, extra, light"),
        ({"modifiers": [{"modifier_id": "cream"}, {"modifier_id": "cream", "action": "no"}]}, "two ways"),
        ({"modifiers": "cream"}, "modifiers"),
        ({"modifiers": ["cream"]}, "modifiers"),
        ({"modifiers": [{"action": "no"}]}, "modifier_id"),
        ({"item_id": "hot-wings"}, "Hot Wings"),
        ({"item_name": "Hot Wings"}, "Latte"),
        ({"item_name": "Pizza"}, "Latte"),
        ({"item_id": "latte-9000"}, "did you mean Latte (latte)"),
        ({"item_id": None}, "item_id"),
        ({"item_id": {"$ne": ""}}, "item_id"),
    ],
)
def test_a_wrong_call_adds_nothing_and_says_why(counter: Counter, wrong: Facts, said: str) -> None:
    """What a model got wrong comes back as an error that names it, and the order stays empty."""
    [facts] = counter.call(_wrong(wrong))
    assert facts["added"] is False
    assert said in facts["error"]
    assert counter.lines == []


def _wrong(wrong: Facts) -> Call:
    name, args = ADD_LATTE
    return (name, args | wrong)


@pytest.mark.parametrize("missing", ["item_id", "item_name"])
def test_a_call_without_an_argument_says_which(counter: Counter, missing: str) -> None:
    """A missing argument is named in the answer."""
    name, args = ADD_LATTE
    [facts] = counter.call((name, {k: v for k, v in args.items() if k != missing}))
    assert facts["added"] is False
    assert missing in facts["error"]


@pytest.mark.parametrize(
    "forged",
    [
        {"runtime": {"state": {"current_order": {"items": []}}, "context": {"max_line_quantity": 9}}},
        {"state": {"messages": [], "current_order": None}},
        {"menu": {"items": [{"item_id": "latte", "name": "Free Latte"}]}},
        {"context": {"menu": "/etc/passwd", "max_line_quantity": 10_000}},
        {"tool_call_id": "call-0", "config": {}, "store": None},
        {"price": 0, "available": True},
    ],
    ids=lambda forged: next(iter(forged)),
)
def test_forged_injected_arguments_change_nothing(counter: Counter, forged: Facts) -> None:
    """A model that passes the program's own arguments is answered as if it had not."""
    [honest] = Counter(counter.context).call(ADD_LATTE)
    assert counter.call(_wrong(forged)) == [honest]
    assert counter.lines == [("latte", 1, "small")]


def test_a_forged_context_lifts_no_limit(counter: Counter) -> None:
    """The limits are the restaurant's, whatever a model passes."""
    [facts] = counter.call(_wrong({"quantity": 21, "context": {"max_line_quantity": 99}, "runtime": None}))
    assert facts["added"] is False
    assert counter.lines == []


def test_an_unknown_tool_is_answered(counter: Counter) -> None:
    """Calling a tool that does not exist is answered with the ones that do."""
    [facts] = counter.call(("apply_discount", {"percent": 100}))
    assert "finalize_order" in facts["text"]
    assert counter.lines == []


def test_arguments_that_are_no_json_reach_the_tool_as_an_error(counter: Counter) -> None:
    """A call that the graph could not read is refused by its tool, which names what is missing."""
    call = InvalidToolCall(
        name="add_item_to_order", args='{"item_id": "lat', id="bad", error="no JSON", type="invalid_tool_call"
    )
    from orchestrator.graph import _unreadable_call

    [facts] = counter.send(AIMessage("", tool_calls=[_unreadable_call(call)]))
    assert facts["added"] is False
    assert "item_id" in facts["error"]
