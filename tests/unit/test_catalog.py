"""Spoken name → menu item, on menus made for the purpose."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestrator.catalog import DEFAULT_MENU, Catalog, open_catalog
from orchestrator.enums import CategoryName
from orchestrator.errors import MenuError

from tests.shops import SML, dish, extra, shop, write_menu

CHICKEN = shop(
    dish(
        "Yangnyeom Chicken",
        "Sesame Seeds",
        extra("Pickled Radish", "danmuji"),
        aliases=("sweet spicy chicken",),
    ),
    dish("Soy Garlic Chicken", "Sesame Seeds"),
    dish("Cheese Tteokbokki", extra("Boiled Egg"), extra("Fish Cake", "eomuk"), aliases=("rice cakes",)),
    dish("Kimchi Fried Rice", "Fried Egg"),
    dish("Burrito Bowl"),
    dish("Bulgogi Burrito"),
    dish("Corn Dogs"),
    dish("Bacon, Egg & Cheese Toast"),
    dish("Yuzu Tea", sizes=SML, category=CategoryName.COFFEE_TEA),
    dish("Barley Tea", sizes=SML, category=CategoryName.COFFEE_TEA),
    dish("Melon Soda", available=False),
)
CART = shop(dish("Espresso", sizes=SML), dish("Oat Flat White", sizes=SML), dish("Coca-Cola"))


def names(catalog: Catalog, said: str) -> list[str]:
    return [item.name for item in catalog.find(said).items]


@pytest.mark.parametrize(
    ("said", "name", "how"),
    [
        ("Soy Garlic Chicken", "Soy Garlic Chicken", "exact"),
        ("soy garlic chickens", "Soy Garlic Chicken", "exact"),
        ("corndog", "Corn Dogs", "exact"),
        ("corn dog", "Corn Dogs", "exact"),
        ("bacon egg and cheese toast", "Bacon, Egg & Cheese Toast", "exact"),
        ("bacon egg cheese toast", "Bacon, Egg & Cheese Toast", "exact"),
        ("sweet spicy chicken", "Yangnyeom Chicken", "alias"),
        ("rice cake", "Cheese Tteokbokki", "alias"),
        ("tteokbokki", "Cheese Tteokbokki", "partial"),
        ("kimchi rice", "Kimchi Fried Rice", "partial"),
        ("egg toast", "Bacon, Egg & Cheese Toast", "partial"),
        ("tteokboki", "Cheese Tteokbokki", "fuzzy"),
        ("soy garlik chicken", "Soy Garlic Chicken", "fuzzy"),
        ("kimchee fried rice", "Kimchi Fried Rice", "fuzzy"),
        ("large yuzu tea", "Yuzu Tea", "exact"),
        ("two corn dogs", "Corn Dogs", "exact"),
    ],
)
def test_how_a_name_is_found(said: str, name: str, how: str) -> None:
    """A name is found exactly, else by another name, else by a part of it, else by a slip of spelling."""
    match = CHICKEN.find(said)
    assert (names(CHICKEN, said), match.how) == ([name], how)


def test_exact_beats_part() -> None:
    """A name that is a part of a longer name is the item of that name, not the longer one."""
    catalog = shop(dish("Toast"), dish("Toast Deluxe"), dish("Cheese Toast"))
    assert names(catalog, "toast") == ["Toast"]


def test_a_names_noun_beats_a_word_before_it() -> None:
    """Between a burrito and a burrito bowl, "burrito" names the former and "bowl" the latter."""
    assert names(CHICKEN, "burrito") == ["Bulgogi Burrito"]
    assert names(CHICKEN, "bowl") == ["Burrito Bowl"]


def test_another_name_beats_part() -> None:
    """An alias is what its item is called, even where it is a part of another item's name."""
    catalog = shop(dish("House Brew", aliases=("coffee",)), dish("Coffee Cake"))
    assert names(catalog, "coffee") == ["House Brew"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("chicken", ["Yangnyeom Chicken", "Soy Garlic Chicken"]),
        ("tea", ["Yuzu Tea", "Barley Tea"]),
    ],
)
def test_equally_good_matches_are_ambiguous(said: str, expected: list[str]) -> None:
    """A name that fits several items equally well finds no single one, and all of them are suggested."""
    match = CHICKEN.find(said)
    assert match.item is None
    assert [item.name for item in match.items] == expected
    assert [item.name for item in CHICKEN.suggest(said)] == expected


@pytest.mark.parametrize(
    "said", ["a burrito and a bowl", "burrito and bowl", "burrito, bowl", "corn and dogs"]
)
def test_a_connector_that_is_not_printed_separates_two_things(said: str) -> None:
    """Of a burrito and a bowl, none is a Burrito Bowl."""
    assert "Burrito Bowl" not in names(CHICKEN, said)
    assert "Corn Dogs" not in names(CHICKEN, said)


@pytest.mark.parametrize(
    "said", ["pizza", "Big Mac", "", "   ", "!!!", "and", "the", "and with of", "7", "two", "large"]
)
def test_what_is_not_on_the_menu_is_not_found(said: str) -> None:
    """A dish of another shop, a number, a size or nothing at all is no item."""
    match = CHICKEN.find(said)
    assert (match.item, match.items, match.how) == (None, (), "none")


def test_suggestions_are_related() -> None:
    """A name that nothing matches is answered with the items that share a word with it."""
    suggested = [item.name for item in CHICKEN.suggest("hot honey chicken")]
    assert set(suggested) >= {"Yangnyeom Chicken", "Soy Garlic Chicken"}


def test_sold_out_items_are_not_suggested() -> None:
    """What cannot be ordered now is no alternative; asked for by its name it is still found."""
    assert "Melon Soda" not in [item.name for item in CHICKEN.suggest("melon float")]
    assert names(CHICKEN, "melon soda") == ["Melon Soda"]


@pytest.mark.parametrize(
    "word",
    [
        "thing",
        "things",
        "today",
        "there",
        "this",
        "please",
        "would",
        "good",
        "ready",
        "thanks",
        "right",
        "wrong",
    ],
)
def test_everyday_english_is_never_corrected(word: str) -> None:
    """Common words are what they are, however near a dish is spelled."""
    catalog = shop(dish("Thigh"), dish("Wings"), dish("Toady"), dish("Threes"), dish("Goof"), dish("Tight"))
    assert catalog.correct(word) == word


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("expresso", "espresso"),
        ("espreso", "espresso"),
        ("esprseso", "espresso"),
        ("whit", "white"),
        ("at", "at"),
    ],
)
def test_a_slip_of_spelling_is_put_right(heard: str, meant: str) -> None:
    """A letter too many, too few or swapped is corrected in words long enough to be sure of."""
    assert CART.correct(heard) == meant


def test_two_equally_near_words_correct_nothing() -> None:
    """A misspelling between two words of the menu stays as it is: guessing is not allowed."""
    assert shop(dish("Bread Beans"), dish("Broad Beans")).correct("brxad") == "brxad"


def test_synonyms_of_the_trade_find_the_printed_name() -> None:
    """A coke is found as Coca-Cola on any menu, also on one without aliases."""
    assert names(CART, "coke") == ["Coca-Cola"]
    assert CART.find("coke").item is not None


def test_a_synonym_does_not_hide_what_the_menu_calls_so() -> None:
    """Where "pop" is a dish, "pop" is that dish and no soda."""
    catalog = shop(dish("Corn Pop"), dish("Orange Soda"))
    assert names(catalog, "corn pop") == ["Corn Pop"]


def test_modifiers_are_found_by_name_alias_and_id_on_their_item_only() -> None:
    """A modifier's words mean the item's own modifier, and nothing on an item that has none of that name."""
    chicken, rice = CHICKEN.find("yangnyeom").item, CHICKEN.find("kimchi fried rice").item
    assert chicken is not None
    assert rice is not None
    for said in ("pickled-radish", "Pickled Radish", "pickled radishes", "danmuji", "radish"):
        assert [m.modifier_id for m in CHICKEN.modifier(chicken, said)] == ["pickled-radish"]
        assert CHICKEN.modifier(rice, said) == ()


def test_a_modifier_name_that_fits_two_finds_both() -> None:
    """Milk can be two of this coffee's modifiers: both are returned, none is chosen."""
    catalog = shop(dish("Latte", "Oat Milk", "Whole Milk"))
    assert len(catalog.modifier(catalog.menu.items[0], "milk")) == 2


def test_a_name_of_many_words_does_not_blow_up_the_index() -> None:
    """A menu name of twenty words is indexed as a whole, without every choice of its words."""
    long_name = " ".join(f"word{chr(97 + i)}" for i in range(20))
    catalog = shop(dish(long_name))
    assert names(catalog, long_name) == [long_name]


@given(st.text())
def test_find_takes_any_text(text: str) -> None:
    """Whatever is said, finding answers with items of the menu and never raises."""
    match = CHICKEN.find(text)
    assert set(match.items) <= set(CHICKEN.menu.items)
    assert (match.how == "none") == (not match.items)


@given(
    st.text()
    | st.lists(
        st.sampled_from(["hot", "chicken", "rice", "tea", "and", "with", "the", "soy", "2", "corn"])
    ).map(" ".join)
)
def test_suggestions_are_real_and_few(text: str) -> None:
    """At most three suggestions, each on the menu and on sale, none twice, whatever was asked."""
    suggested = CHICKEN.suggest(text)
    assert len(suggested) <= 3
    assert len(set(suggested)) == len(suggested)
    assert all(item in CHICKEN.menu.items and item.available for item in suggested)


@given(st.sampled_from(CHICKEN.menu.items))
def test_every_item_is_found_by_its_own_names(item: object) -> None:
    """An item's printed name and each of its aliases find that item."""
    assert item in CHICKEN.menu.items
    for known in CHICKEN.menu.items:
        assert [CHICKEN.find(name).item for name in (known.name, *known.aliases)] == [known] * (
            1 + len(known.aliases)
        )


@pytest.mark.parametrize("menu", [DEFAULT_MENU, DEFAULT_MENU.replace("breakfast-v2", "all-day")])
def test_every_shipped_item_is_found_by_its_own_names(menu: str) -> None:
    """On the shipped menus every name and alias finds its own item, and only it."""
    catalog = open_catalog(menu)
    lost = [
        (name, [i.name for i in catalog.find(name).items])
        for item in catalog.menu.items
        for name in (item.name, *item.aliases)
        if catalog.find(name).item != item
    ]
    assert lost == []


def test_a_menu_file_is_read_once(tmp_path: Path) -> None:
    """Opening the same file twice gives the same catalogue."""
    path = write_menu(tmp_path, dish("Bun"))
    assert open_catalog(path) is open_catalog(path)


def test_a_changed_menu_file_is_read_again(tmp_path: Path) -> None:
    """When the restaurant changes its menu file, the next turn sees the new menu."""
    path = write_menu(tmp_path, dish("Bun"))
    before = open_catalog(path)
    write_menu(tmp_path, dish("Roll"))
    os.utime(path, ns=(1, 1))
    assert open_catalog(path) is not before
    assert names(open_catalog(path), "roll") == ["Roll"]


def test_a_missing_menu_file_is_a_clear_error(tmp_path: Path) -> None:
    """A menu that is not there is a MenuError naming the file."""
    with pytest.raises(MenuError, match=r"nowhere\.json"):
        open_catalog(tmp_path / "nowhere.json")
