"""How text is heard, before any menu is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestrator.words import Form, content, form, plain, stem, stems, tokens, trade


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("wings", "wing"),
        ("fries", "fry"),
        ("boxes", "box"),
        ("sandwiches", "sandwich"),
        ("tomatoes", "tomato"),
        ("radishes", "radish"),
        ("glasses", "glass"),
        ("pies", "pie"),
        ("lattes", "latte"),
        ("sausages", "sausage"),
        ("cheeses", "cheese"),
    ],
)
def test_a_plural_meets_its_singular(plural: str, singular: str) -> None:
    """One wing and two wings are the same word on a menu."""
    assert stem(plural) == stem(singular)


@pytest.mark.parametrize("word", ["swiss", "asparagus", "gas", "bus", "molasses", "us", "dr"])
def test_a_word_that_is_no_plural_stays_apart(word: str) -> None:
    """A word does not turn into another one by losing a letter that is no ending."""
    assert stem(word) not in {"swis", "asparagu", "ga", "bu", "u", "d"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Jalapeños", "jalapeno"),
        ("McDonald\u2019s", "mcdonald's"),
        ("CRÈME brûlée", "creme brulee"),
        ("coffee\x00\x07 black", "coffee black"),
        ("half ½", "half 1\u20442"),
    ],
)
def test_writing_does_not_matter(written: str, said: str) -> None:
    """Case, accents, typographic quotes and control characters make no difference."""
    assert stems(written) == stems(said)


@pytest.mark.parametrize(
    ("printed", "spoken"),
    [
        ("Hash Browns", "hashbrown"),
        ("Cheese Burger", "cheeseburgers"),
        ("Bacon, Egg & Cheese Bun", "bacon egg cheese bun"),
        ("Bacon, Egg & Cheese Bun", "bacon egg and cheese bun"),
        ("Mac and Cheese", "mac & cheese"),
        ("Mac and Cheese", "mac 'n cheese"),
        ("Coca-Cola", "coca cola"),
        ("Seven-Up", "seven up"),
        ("Rice w/ Beans", "rice with beans"),
        ("Fish + Chips", "fish and chips"),
    ],
)
def test_one_name_written_in_two_ways_has_one_key(printed: str, spoken: str) -> None:
    """Joined or split, with a sign or a word between, a name is looked up under one key."""
    assert form(stems(printed)).key == form(stems(spoken)).key


def test_a_connector_between_words_leaves_a_joint() -> None:
    """Where a connector was said is kept, it may separate two things; at an end it separates nothing."""
    assert form(stems("soup and salad")) == Form("soupsalad", frozenset({4}))
    assert form(stems("the soup salad")) == Form("soupsalad", frozenset())
    assert form(stems("soup salad and")) == Form("soupsalad", frozenset())


def test_joints_name_the_place() -> None:
    """Two pauses at different places are told apart."""
    assert form(stems("red and bean bun")).joints != form(stems("red bean and bun")).joints


def test_a_comma_is_a_connector_and_other_punctuation_is_nothing() -> None:
    """Within a name a comma may stand for "and"; a full stop or an exclamation mark says nothing."""
    assert form(stems("soup, salad")) == form(stems("soup and salad"))
    assert stems("Soup. Salad!") == ("soup", "salad")


def test_content_words_are_what_is_left_without_connectors() -> None:
    """Toast with the jam says toast and jam."""
    assert content(stems("toast with the jam")) == ("toast", "jam")


@pytest.mark.parametrize(
    ("text", "parts"), [("w/o onion", ["without", "onion"]), ("6 wings", ["6", "wings"])]
)
def test_signs_and_numbers_are_words(text: str, parts: list[str]) -> None:
    """A customer's "w/o" is heard as "without", and digits are words of their own."""
    assert [token.text for token in tokens(text)] == parts


@given(st.text())
def test_tokens_quote_the_normalised_text(text: str) -> None:
    """Any text gives tokens, each with the place where it stands, in order and without overlap."""
    heard, found = plain(text), tokens(text)
    position = 0
    for token in found:
        assert position <= token.start < token.end <= len(heard)
        assert token.text
        position = token.end


@given(st.text())
def test_a_stem_is_stable(text: str) -> None:
    """Hearing what was heard changes nothing: stems of stems are the same stems."""
    once = stems(text)
    assert stems(" ".join(once)) == once


def test_the_lexicon_names_no_menu() -> None:
    """A number word, a size word and everyday English are three things; none is a connector."""
    lexicon = trade()
    assert not lexicon.numbers.keys() & lexicon.sizes.keys()
    assert not (lexicon.numbers.keys() | lexicon.sizes.keys()) & lexicon.connectors
    assert set(lexicon.sizes.values()) == {"snack", "small", "medium", "large", "regular", "extra-large"}
