"""The menus that are shipped."""

from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
from orchestrator.enums import CategoryName, ModifierAction, Size
from orchestrator.menu_files import check_menu, load_menu, menu_warnings, save_menu
from orchestrator.models import Item, Menu

MENUS = Path(__file__).parents[2] / "menus" / "mcdonalds"
BREAKFAST = load_menu(MENUS / "breakfast-v2.json")
ALL_DAY = load_menu(MENUS / "all-day.json")
SHIPPED = pytest.mark.parametrize("menu", [BREAKFAST, ALL_DAY], ids=["breakfast", "all-day"])
STEMS = pytest.mark.parametrize("stem", ["breakfast-v2", "all-day"])


def spoken(item: Item) -> set[str]:
    return {name.casefold() for name in (item.name, *item.aliases)}


@STEMS
@pytest.mark.parametrize("ending", ["json", "xml", "csv"])
def test_shipped_files_are_clean(stem: str, ending: str) -> None:
    """A shipped menu file has neither problems nor warnings."""
    path = MENUS / f"{stem}.{ending}"
    assert check_menu(path) == []
    assert menu_warnings(path) == []


@STEMS
@pytest.mark.parametrize("ending", ["json", "xml", "csv"])
def test_shipped_formats_are_conversions_of_the_json(tmp_path: Path, stem: str, ending: str) -> None:
    """Every format of a menu is, but for line ends, what saving the JSON file's menu gives."""
    path = tmp_path / f"{stem}.{ending}"
    save_menu(load_menu(MENUS / f"{stem}.json"), path)
    shipped = MENUS / path.name
    assert path.read_text(encoding="utf-8") == shipped.read_text(encoding="utf-8")
    assert load_menu(shipped) == load_menu(path)


@SHIPPED
def test_no_words_name_two_items(menu: Menu) -> None:
    """No name or alias of an item is, whatever its case, a name or alias of another."""
    said = Counter(chain.from_iterable(spoken(item) for item in menu.items))
    assert [name for name, owners in said.items() if owners > 1] == []


@SHIPPED
def test_no_words_name_two_modifiers_of_an_item(menu: Menu) -> None:
    """Within an item a modifier's names are its own."""
    for item in menu.items:
        said = Counter(
            name.casefold()
            for modifier in item.available_modifiers
            for name in (modifier.name, *modifier.aliases)
        )
        assert [name for name, owners in said.items() if owners > 1] == [], item.name


@SHIPPED
def test_a_modifier_id_means_one_thing(menu: Menu) -> None:
    """A modifier id has the same name, actions and aliases wherever it occurs."""
    known = {modifier.modifier_id: modifier for item in menu.items for modifier in item.available_modifiers}
    for item in menu.items:
        for modifier in item.available_modifiers:
            assert modifier == known[modifier.modifier_id], item.name


@SHIPPED
def test_ids_have_the_settled_style(menu: Menu) -> None:
    """An item id is lower-case words and a three-digit number."""
    for item in menu.items:
        *words, number = item.item_id.split("-")
        assert words
        assert all(word.isalnum() and word == word.lower() for word in words), item.item_id
        assert number == "001", item.item_id


@SHIPPED
@pytest.mark.parametrize(
    "family", ["mcmuffin", "mcmuffins", "mcgriddle", "mcgriddles", "biscuit", "bagel", "sandwich"]
)
def test_a_family_name_names_no_single_item(menu: Menu, family: str) -> None:
    """A family's bare name is left ambiguous: it is no item's name or alias."""
    assert [item.name for item in menu.items if family in spoken(item)] == []


@pytest.mark.parametrize(
    ("item_id", "name", "category", "size"),
    [
        ("mcmuffin-egg-001", "Egg McMuffin", CategoryName.BREAKFAST, Size.REGULAR),
        ("hashbrown-001", "Hash Brown", CategoryName.SNACKS_SIDES, Size.REGULAR),
        ("coffee-001", "Coffee", CategoryName.BEVERAGES, Size.MEDIUM),
    ],
)
def test_items_that_the_design_names(item_id: str, name: str, category: CategoryName, size: Size) -> None:
    """The items of the design's conversations have the ids, sections and sizes they have there."""
    item = next(item for item in BREAKFAST.items if item.item_id == item_id)
    assert (item.name, item.category_name, item.default_size) == (name, category, size)


def test_breakfast_is_a_real_breakfast_list() -> None:
    """The breakfast menu holds what conversations mention, no lunch, and is small enough to read out."""
    names = {item.name for item in BREAKFAST.items}
    assert 45 <= len(BREAKFAST.items) <= 60
    assert names >= {
        "Big Breakfast",
        "Sausage McMuffin",
        "Sausage McGriddles",
        "Orange Juice",
        "Milk",
        "Apple Slices",
    }
    assert not any("Big Mac" in name for name in names)
    assert BREAKFAST.menu_id == "mcdonalds-breakfast"


def test_coffee_comes_in_sizes_and_restricted_modifiers() -> None:
    """Coffee has three sizes, and cream in every way; a kind of milk can only be added."""
    coffee = next(item for item in BREAKFAST.items if item.item_id == "coffee-001")
    latte = next(item for item in BREAKFAST.items if item.item_id == "latte-001")
    assert coffee.available_sizes == (Size.SMALL, Size.MEDIUM, Size.LARGE)
    assert {m.modifier_id: m.actions for m in coffee.available_modifiers}["cream"] == tuple(ModifierAction)
    assert {m.modifier_id: m.actions for m in latte.available_modifiers}["oat-milk"] == (ModifierAction.ADD,)


def test_all_day_holds_breakfast_and_every_section() -> None:
    """The all-day menu is a superset of breakfast with equal items, over all nine sections."""
    assert set(BREAKFAST.items) <= set(ALL_DAY.items)
    assert len(ALL_DAY.items) >= 200
    assert {item.category_name for item in ALL_DAY.items} == set(CategoryName)
    assert any(Size.SNACK in item.available_sizes for item in ALL_DAY.items)


def test_what_people_call_a_sandwich_says_so() -> None:
    """Each family of breakfast sandwiches has items that answer to the word sandwich."""
    for family in ("McMuffin", "Biscuit", "McGriddles", "Bagel"):
        members = [item for item in BREAKFAST.items if family in item.name]
        assert members
        assert all(any("sandwich" in alias for alias in item.aliases) for item in members), family
