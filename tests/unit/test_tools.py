"""What `lookup_menu_item`, `add_item_to_order` and `get_current_order` answer, and what comes of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from orchestrator.context import Context
from orchestrator.enums import CategoryName, ModifierAction, Size
from orchestrator.graph import DriveThruState
from orchestrator.models import Modifier
from orchestrator.tools import TOOLS, explain_invalid_call

from tests.counter import ADD_LATTE, LATTE, Counter, facts_of, open_counter
from tests.scripted import READS_BACK, adds, calls
from tests.shops import dish, write_menu


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    """A small shop with the default limits."""
    return open_counter(tmp_path)


def test_lookup_answers_the_menus_facts(counter: Counter) -> None:
    """A found item is answered with everything a model needs to add it."""
    assert counter.call(("lookup_menu_item", {"item_name": "lattes"})) == [
        {
            "found": True,
            "item_id": "latte",
            "name": "Latte",
            "category_name": "coffee-tea",
            "default_size": "small",
            "available_sizes": ["small", "medium", "large"],
            "available_modifiers": [
                {"modifier_id": "cream", "name": "Cream"},
                {"modifier_id": "shot", "name": "Shot", "actions": ["add"]},
            ],
        }
    ]
    assert counter.lines == []


def test_lookup_of_another_shops_dish_suggests_real_items(counter: Counter) -> None:
    """What is not on the menu is answered with at most three items that are."""
    [facts] = counter.call(("lookup_menu_item", {"item_name": "fish burger"}))
    assert facts["found"] is False
    assert facts["suggestions"] == ["Fish Taco"]


def test_lookup_of_an_ambiguous_name_chooses_none(tmp_path: Path) -> None:
    """A name that fits two items equally well is not found, and both are suggested."""
    context = Context(menu=write_menu(tmp_path, dish("Green Tea"), dish("Black Tea"), dish("Soup")))
    [facts] = Counter(context).call(("lookup_menu_item", {"item_name": "tea"}))
    assert (facts["found"], facts["ambiguous"]) == (False, True)
    assert set(facts["suggestions"]) == {"Green Tea", "Black Tea"}


def test_lookup_says_what_is_sold_out(counter: Counter) -> None:
    """A sold-out item is found, marked as such; an item on sale is not."""
    sold_out, on_sale = counter.call(
        ("lookup_menu_item", {"item_name": "Plum Cake"}), ("lookup_menu_item", {"item_name": "Latte"})
    )
    assert sold_out["sold_out"] is True
    assert "sold_out" not in on_sale


def test_a_long_question_is_not_echoed_whole(counter: Counter) -> None:
    """An answer repeats a model's own words only in part, so that no answer grows without bound."""
    [facts] = counter.call(("lookup_menu_item", {"item_name": "x" * 10_000}))
    assert len(json.dumps(facts)) < 300


def test_added_is_what_was_asked_for(counter: Counter) -> None:
    """A correct call is answered with its line, and that line is on the order."""
    chosen = [{"modifier_id": "cream", "action": "extra"}, {"modifier_id": "shot"}]
    [facts] = counter.call(adds("latte", "Latte", quantity=2, size="large", modifiers=chosen))
    assert facts["added"] is True
    assert (facts["item_id"], facts["item_name"], facts["quantity"], facts["size"]) == (
        "latte",
        "Latte",
        2,
        "large",
    )
    expected = LATTE.line(
        2,
        Size.LARGE,
        [
            Modifier(modifier_id="cream", name="Cream", action=ModifierAction.EXTRA),
            Modifier(modifier_id="shot", name="Shot"),
        ],
    )
    assert [line.identity for line in counter.order.items] == [expected.identity]
    assert counter.order.units == 2


def test_size_and_quantity_have_defaults(counter: Counter) -> None:
    """Nothing said means one unit in the item's default size, without changes."""
    counter.call(ADD_LATTE)
    assert counter.lines == [("latte", 1, "small")]
    assert counter.order.items[0].modifiers == ()


@pytest.mark.parametrize("size", ["LARGE", " large "])
def test_a_size_may_be_written_anyhow(counter: Counter, size: str) -> None:
    """Case and blanks around a size do not matter."""
    counter.call(adds("latte", "Latte", size=size))
    assert counter.lines == [("latte", 1, "large")]


def test_sold_out_items_are_not_added(counter: Counter) -> None:
    """What is sold out cannot be ordered, and the answer says so."""
    [facts] = counter.call(adds("plum-cake", "Plum Cake"))
    assert (facts["added"], facts["error"]) == (False, "Plum Cake is sold out")
    assert counter.lines == []


def test_facts_come_from_the_menu(counter: Counter) -> None:
    """What a model echoes wrongly (category, spelling, modifier names) is replaced by what the menu says."""
    chosen = [{"modifier_id": "cream", "name": "Motor Oil", "action": "add"}]
    counter.call(
        (
            "add_item_to_order",
            {"item_id": "latte", "item_name": "lattes", "category_name": "salads", "modifiers": chosen},
        )
    )
    [line] = counter.order.items
    assert (line.name, line.category_name) == ("Latte", CategoryName.COFFEE_TEA)
    assert [m.name for m in line.modifiers] == ["Cream"]


def test_the_others_of_a_batch_count_when_one_is_wrong(counter: Counter) -> None:
    """A wrong call beside a correct one loses only itself."""
    facts = counter.call(adds("latte", "Latte", quantity="two"), adds("fish-taco", "Fish Taco", quantity=2))
    assert [f["added"] for f in facts] == [False, True]
    assert counter.lines == [("fish-taco", 2, "regular")]


def test_two_adds_in_one_batch_both_count(counter: Counter) -> None:
    """Everything added together is on the order, in call order, the same item merged."""
    counter.call(adds("hot-wings", "Hot Wings", quantity=3), ADD_LATTE, adds("hot-wings", "Hot Wings"))
    assert counter.lines == [("hot-wings", 4, "regular"), ("latte", 1, "small")]


def test_a_batch_cannot_exceed_the_line_limit_together(counter: Counter) -> None:
    """Two calls that each fit but together exceed the most of one item: the second is refused."""
    facts = counter.call(
        *[adds("hot-wings", "Hot Wings", quantity=15)] * 2, adds("hot-wings", "Hot Wings", quantity=5)
    )
    assert [f["added"] for f in facts] == [True, False, True]
    assert "30" in facts[1]["error"]
    assert counter.lines == [("hot-wings", 20, "regular")]


def test_the_line_limit_counts_what_is_ordered_already(counter: Counter) -> None:
    """The most of one item holds over all turns, for each size by itself."""
    counter.call(adds("latte", "Latte", quantity=20, size="small"))
    [small] = counter.call(adds("latte", "Latte", size="small"))
    [large] = counter.call(adds("latte", "Latte", size="large"))
    assert (small["added"], large["added"]) == (False, True)
    assert counter.lines == [("latte", 20, "small"), ("latte", 1, "large")]


def test_a_batch_cannot_exceed_the_order_limit_together(counter: Counter) -> None:
    """Calls that each fit but together exceed the most units of an order: those beyond it are refused."""
    batch = [adds("latte", "Latte", quantity=20, size=size) for size in ("small", "medium", "large")]
    facts = counter.call(*batch, adds("fish-taco", "Fish Taco"))
    assert [f["added"] for f in facts] == [True, True, True, False]
    assert "60" in facts[3]["error"]
    assert counter.order.units == 60


def test_limits_are_the_contexts(counter: Counter) -> None:
    """A restaurant that allows two of a thing gets two at most."""
    small = Counter(Context(menu=counter.context.menu, max_line_quantity=2, max_order_units=3))
    facts = small.call(*[adds("latte", "Latte", quantity=2)], adds("fish-taco", "Fish Taco", quantity=2))
    assert [f["added"] for f in facts] == [True, False]


def test_the_read_back_is_the_order(counter: Counter) -> None:
    """Reading back answers the order's id, its lines with size and changes, and its units."""
    counter.call(
        adds(
            "latte", "Latte", quantity=2, size="medium", modifiers=[{"modifier_id": "cream", "action": "no"}]
        )
    )
    [facts] = counter.call(READS_BACK)
    assert facts == {
        "order_id": counter.order.order_id,
        "items": [
            {
                "item_id": "latte",
                "name": "Latte",
                "quantity": 2,
                "size": "medium",
                "modifiers": [{"modifier_id": "cream", "name": "Cream", "action": "no"}],
            }
        ],
        "item_count": 2,
    }


def test_tools_work_on_a_bare_state() -> None:
    """Without a context and an order yet (Studio's first run) the default menu is used."""
    node = StateGraph(DriveThruState)
    node.add_node("tools", ToolNode(TOOLS, handle_tool_errors=explain_invalid_call))
    node.add_edge(START, "tools")
    state: Any = {"messages": [calls(READS_BACK, ("lookup_menu_item", {"item_name": "egg mcmuffin"}))]}
    read_back, found = (facts_of(m.content) for m in node.compile().invoke(state)["messages"][1:])
    assert (read_back["items"], found["item_id"]) == ([], "mcmuffin-egg-001")


def test_models_see_only_what_they_may_pass() -> None:
    """No injected argument is in a tool's published schema; every argument is explained."""
    for tool in TOOLS:
        properties = tool.tool_call_schema.model_json_schema().get("properties", {})  # type: ignore[union-attr]
        assert "runtime" not in properties
        assert all(p.get("description") for p in properties.values()), tool.name
