"""The order's algebra and the rules of menu, item and modifier."""

import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestrator.enums import CategoryName, ModifierAction, OrderStatus, Size
from orchestrator.errors import NotOnOrderError, OrderClosedError
from orchestrator.models import Item, Modifier, Order
from pydantic import ValidationError

from tests.shops import SML, dish, menu_of

ORDER_ID = "order-1"


def total(lines: Iterable[Item]) -> Order:
    order = Order(order_id=ORDER_ID)
    for line in lines:
        order = order + line
    return order


COFFEE = dish("Coffee", "Cream", "Sugar", "Ice", sizes=SML, category=CategoryName.COFFEE_TEA)
BUN = dish("Bun", "Butter", "Jam")
CHOICES = st.lists(
    st.builds(
        Modifier,
        modifier_id=st.sampled_from(["cream", "sugar", "ice"]),
        name=st.just("Thing"),
        action=st.sampled_from(ModifierAction),
    ),
    max_size=3,
    unique_by=lambda modifier: modifier.modifier_id,
)
LINES = st.builds(
    lambda item, quantity, size, modifiers: item.line(quantity, size, modifiers),
    item=st.sampled_from([COFFEE, BUN]),
    quantity=st.integers(1, 9),
    size=st.sampled_from(SML),
    modifiers=CHOICES,
)
ORDERS = st.lists(LINES, max_size=6).map(total)


def units(lines: Iterable[Item]) -> Counter[Any]:
    """Units per identity: what an order comes to, whatever the order of its lines."""
    counted: Counter[Any] = Counter()
    for line in lines:
        counted[line.identity] += line.quantity
    return counted


@given(st.lists(LINES, max_size=8))
def test_an_order_holds_what_was_added(lines: list[Item]) -> None:
    """However lines merge, the units of each distinct item are those that were added."""
    assert units(total(lines).items) == units(lines)


@given(st.lists(LINES, max_size=8), st.randoms())
def test_adding_is_associative_in_effect(lines: list[Item], random: Any) -> None:
    """The order in which lines are added does not change how much of what is ordered."""
    shuffled = random.sample(lines, len(lines))
    assert units(total(shuffled).items) == units(total(lines).items)


@given(ORDERS, LINES)
def test_merging_never_changes_the_total(order: Order, line: Item) -> None:
    """An addition makes the order larger by the units of the line, merged or not."""
    assert (order + line).units == order.units + line.quantity


@given(ORDERS, LINES)
def test_an_identity_has_one_line(order: Order, line: Item) -> None:
    """No two lines of an order are the same item."""
    identities = [i.identity for i in (order + line).items]
    assert len(identities) == len(set(identities))


@given(ORDERS, LINES)
def test_taking_off_undoes_adding(order: Order, line: Item) -> None:
    """(o + i) - i equals o, also in the order of its lines."""
    assert (order + line) - line == order


@given(ORDERS, LINES)
def test_nothing_is_mutated(order: Order, line: Item) -> None:
    """Adding and taking off leave the order and the line as they were."""
    before = (order.model_dump_json(), line.model_dump_json())
    _ = (order + line) - line
    assert (order.model_dump_json(), line.model_dump_json()) == before


@given(ORDERS, LINES)
def test_an_order_keeps_its_id(order: Order, line: Item) -> None:
    """Every version of an order has the same order_id."""
    larger = order + line
    assert {larger.order_id, (larger - line).order_id, larger.submitted().order_id} == {ORDER_ID}


@given(LINES, LINES)
def test_equality_and_hash_agree(one: Item, other: Item) -> None:
    """Lines are equal exactly if they are the same item in the same quantity, and equal lines hash alike."""
    assert (one == other) == (one.is_same_item(other) and one.quantity == other.quantity)
    if one == other:
        assert hash(one) == hash(other)


@given(ORDERS)
def test_an_order_survives_json(order: Order) -> None:
    """An order written as JSON and read back is the same order, with the same hash."""
    read = Order.model_validate_json(order.model_dump_json())
    assert read == order
    assert hash(read) == hash(order)


@given(LINES)
def test_a_line_merges_only_with_its_like(line: Item) -> None:
    """Items that differ in anything but quantity cannot be merged into one line."""
    other = dish("Tea").line()
    with pytest.raises(ValueError, match="not the same item"):
        _ = line + other
    assert (line + line).quantity == 2 * line.quantity


@pytest.mark.parametrize(
    "change",
    [
        {"item_id": "other"},
        {"name": "Other"},
        {"category_name": CategoryName.DESSERTS},
        {"size": Size.LARGE},
        {"modifiers": (Modifier(modifier_id="cream", name="Cream"),)},
        {"modifiers": (Modifier(modifier_id="ice", name="Ice", action=ModifierAction.EXTRA),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_makes_two_lines_different(change: dict[str, Any]) -> None:
    """Id, name, category, size and modifiers with their actions each tell two lines apart."""
    line = COFFEE.line(1, Size.SMALL, [Modifier(modifier_id="ice", name="Ice", action=ModifierAction.NO)])
    other = Item.model_validate(line.model_dump() | change)
    assert not line.is_same_item(other)
    assert len((Order() + line + other).items) == 2


def test_small_and_large_are_two_lines() -> None:
    """A small and a large coffee stay two lines; another small one joins the first."""
    order = Order() + COFFEE.line(1, Size.SMALL) + COFFEE.line(1, Size.LARGE) + COFFEE.line(2, Size.SMALL)
    assert [(line.size, line.quantity) for line in order.items] == [(Size.SMALL, 3), (Size.LARGE, 1)]


@pytest.mark.parametrize("chosen", list(itertools.permutations(["cream", "sugar", "ice"])))
def test_modifiers_are_a_set(chosen: tuple[str, ...]) -> None:
    """Lines with the same modifiers are equal and hash alike, whatever the order they were said in."""

    def make(ids: Iterable[str]) -> Item:
        return COFFEE.line(1, None, [Modifier(modifier_id=i, name=i) for i in ids])

    assert make(chosen) == make(["cream", "sugar", "ice"])
    assert hash(make(chosen)) == hash(make(["cream", "sugar", "ice"]))


def test_a_modifier_said_twice_counts_once() -> None:
    """The same modifier with the same action is chosen once, however often it is named."""
    cream = Modifier(modifier_id="cream", name="Cream")
    assert COFFEE.line(1, None, [cream, cream]) == COFFEE.line(1, None, [cream])


def test_a_modifier_has_one_action() -> None:
    """No line has a modifier both added and left out."""
    both = [
        Modifier(modifier_id="ice", name="Ice", action=a) for a in (ModifierAction.NO, ModifierAction.EXTRA)
    ]
    with pytest.raises(ValidationError, match="two different actions"):
        COFFEE.line(1, None, both)


@pytest.mark.parametrize("ordered", [0, 1])
def test_more_cannot_be_taken_off_than_was_ordered(ordered: int) -> None:
    """Taking off more units than the order has is an error that says how many there are."""
    order = total([COFFEE.line(ordered)] if ordered else [])
    with pytest.raises(NotOnOrderError, match=f"has {ordered} of 'Coffee', not 2"):
        _ = order - COFFEE.line(2)


def test_another_size_cannot_be_taken_off() -> None:
    """A large coffee on the order is not what takes a small one off."""
    with pytest.raises(NotOnOrderError):
        _ = total([COFFEE.line(1, Size.LARGE)]) - COFFEE.line(1, Size.SMALL)


def test_some_units_can_be_taken_off() -> None:
    """Taking off fewer units than ordered leaves the line with the rest."""
    assert (total([BUN.line(5)]) - BUN.line(2)).items == (BUN.line(3),)


@given(ORDERS, LINES)
def test_a_submitted_order_never_changes(order: Order, line: Item) -> None:
    """Nothing can be added to or taken off a submitted order."""
    closed = (order + line).submitted()
    assert closed.status is OrderStatus.SUBMITTED
    with pytest.raises(OrderClosedError):
        _ = closed + line
    with pytest.raises(OrderClosedError):
        _ = closed - line
    assert closed.items == (order + line).items


@pytest.mark.parametrize("value", [COFFEE, COFFEE.available_modifiers[0], Order(), menu_of(COFFEE)])
def test_values_are_frozen(value: Any) -> None:
    """No field of a domain value can be set."""
    with pytest.raises(ValidationError, match="frozen"):
        setattr(value, next(iter(type(value).model_fields)), "x")
