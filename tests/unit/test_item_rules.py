"""What makes a menu item, a modifier and a menu valid, and what unset fields mean."""

from typing import Any

import pytest
from orchestrator.enums import CategoryName, ModifierAction, OrderStatus, Size
from orchestrator.models import Item, Menu, Modifier, Order
from pydantic import ValidationError

from tests.shops import SML, dish, menu_dict, menu_of

COFFEE = dish("Coffee", "Cream", sizes=SML, category=CategoryName.COFFEE_TEA)
BUN = dish("Bun")


@pytest.mark.parametrize("size", [{}, {"size": None}])
def test_unset_size_is_the_default_size(size: dict[str, None]) -> None:
    """An item whose size is not given, or null, has its default size."""
    item = Item.model_validate(
        {"item_id": "t", "name": "Tea", "category_name": "coffee-tea", "default_size": "medium", **size}
    )
    assert item.size is Size.MEDIUM


def test_available_sizes_default_to_the_default_size() -> None:
    """A menu item that lists no sizes is sold in its default size only."""
    item = Item.model_validate(
        {"item_id": "t", "name": "Tea", "category_name": "coffee-tea", "default_size": "large"}
    )
    assert item.available_sizes == (Size.LARGE,)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"quantity": 0}, "greater than or equal to 1"),
        ({"quantity": -1}, "greater than or equal to 1"),
        ({"default_size": "XL"}, "Input should be"),
        ({"category_name": "pasta"}, "Input should be"),
        ({"available_sizes": ["small"], "default_size": "large"}, "not among available_sizes"),
        ({"available_sizes": []}, "at least 1"),
        ({"name": " "}, "at least 1 character"),
        ({"available_modifiers": [{"modifier_id": "m", "name": "M"}] * 2}, "listed twice"),
        ({"available_modifiers": [{"modifier_id": "m", "name": "M", "actions": []}]}, "at least 1"),
    ],
)
def test_a_wrong_item_is_refused(broken: dict[str, Any], message: str) -> None:
    """An item that breaks a rule is not made at all."""
    fields = {"item_id": "t", "name": "Tea", "category_name": "coffee-tea", "default_size": "medium"}
    with pytest.raises(ValidationError, match=message):
        Item.model_validate(fields | broken)


def test_a_line_has_at_least_one_unit() -> None:
    """A line cannot be set to no units."""
    with pytest.raises(ValueError, match="at least one unit"):
        COFFEE.line(2).with_quantity(0)


def test_a_modifier_allows_all_actions_by_default() -> None:
    """A menu modifier that restricts nothing can be added, left out, extra and light."""
    assert Modifier(modifier_id="m", name="M").actions == tuple(ModifierAction)


def test_a_menu_lists_an_id_once() -> None:
    """Two menu items cannot share an item_id."""
    with pytest.raises(ValidationError, match="'coffee' is listed twice"):
        menu_of(COFFEE, BUN, COFFEE)


def test_a_menu_in_the_format_of_the_seed_loads_unchanged() -> None:
    """Metadata beside items, modifiers of an id and a name, a null size: nothing has to be added."""
    seed = {
        "metadata": {k: v for k, v in menu_dict(menu_of(COFFEE)).items() if k != "items"},
        "items": [
            {
                "item_id": "wrap-1",
                "name": "Wrap",
                "category_name": "snacks-sides",
                "default_size": "regular",
                "size": None,
                "quantity": 1,
                "modifiers": [],
                "available_modifiers": [{"modifier_id": "salsa", "name": "Salsa"}],
            }
        ],
    }
    menu = Menu.from_dict(seed)
    assert (menu.menu_id, menu.location.city) == ("corner-menu", "Springfield")
    assert menu.items[0] == dish("Wrap", "Salsa").model_copy(update={"item_id": "wrap-1"})


def test_persisted_names_stay() -> None:
    """The values that stored orders contain are exactly these; renaming one loses stored orders."""
    assert [str(v) for v in Size] == ["snack", "small", "medium", "large", "regular", "extra-large"]
    assert [str(v) for v in ModifierAction] == ["add", "no", "extra", "light"]
    assert [str(v) for v in OrderStatus] == ["open", "submitted"]
    assert set(Order.model_fields) == {"order_id", "items", "status"}
    assert {"item_id", "name", "category_name", "default_size", "size", "quantity", "modifiers"} <= set(
        Item.model_fields
    )
