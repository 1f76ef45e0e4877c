"""The closed vocabularies of the domain. Every value is persisted or spoken to a model: rename none."""

from enum import StrEnum


class Size(StrEnum):
    """A size that a kitchen can make. A menu item lists the ones it is sold in."""

    SNACK = "snack"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    REGULAR = "regular"
    EXTRA_LARGE = "extra-large"


class CategoryName(StrEnum):
    """A menu section. The seed's nine; a menu need not use them all."""

    BREAKFAST = "breakfast"
    BEEF_PORK = "beef-pork"
    CHICKEN_FISH = "chicken-fish"
    SALADS = "salads"
    SNACKS_SIDES = "snacks-sides"
    DESSERTS = "desserts"
    BEVERAGES = "beverages"
    COFFEE_TEA = "coffee-tea"
    SMOOTHIES_SHAKES = "smoothies-shakes"


class ModifierAction(StrEnum):
    """What a customer wants done with a modifier."""

    ADD = "add"
    NO = "no"
    EXTRA = "extra"
    LIGHT = "light"


class OrderStatus(StrEnum):
    """Where an order stands. A submitted order never changes again."""

    OPEN = "open"
    SUBMITTED = "submitted"
