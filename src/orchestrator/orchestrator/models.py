"""The domain: menu, item, modifier, order. Frozen values; nothing is mutated in place."""

import json
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from orchestrator.enums import CategoryName, ModifierAction, OrderStatus, Size
from orchestrator.errors import NotOnOrderError, OrderClosedError

ALL_ACTIONS = tuple(ModifierAction)


class _Value(BaseModel):
    """A frozen value: equal when its fields are, hashable, never changed."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)


class Modifier(_Value):
    """A change to an item. On a menu it says what is possible, on an order line what was chosen.

    Attributes:
        modifier_id: unique within its item.
        name: as printed on the menu.
        action: what the customer chose; meaningless on a menu entry.
        actions: what the kitchen can do with it (menu entries; default: all four).
        aliases: other names people say (menu entries).
    """

    modifier_id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    action: ModifierAction = ModifierAction.ADD
    actions: tuple[ModifierAction, ...] = Field(default=ALL_ACTIONS, min_length=1)
    aliases: tuple[str, ...] = ()

    def select(self, action: ModifierAction = ModifierAction.ADD) -> "Modifier":
        """This menu entry as a choice on an order line, without what only a menu needs."""
        return Modifier(modifier_id=self.modifier_id, name=self.name, action=action)


class Location(_Value):
    """The restaurant that a menu belongs to."""

    id: str
    name: str
    address: str
    city: str
    state: str
    zip: str
    country: str


class Item(_Value):
    """A menu item, or a line of an order.

    In `Menu.items` the `available_*` fields say what is possible; in `Order.items` `size`, `quantity`
    and `modifiers` say what was chosen. Prices are not part of the domain.

    Attributes:
        size: unset means `default_size`.
        quantity: units, at least 1; upper limits are the caller's policy (`tools.Limits`).
        modifiers: a set, kept sorted by id so that equal lines compare and hash alike.
        available_sizes: the sizes sold; default: just `default_size`.
        aliases: other names people say.
        available: false while sold out.
    """

    item_id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    category_name: CategoryName
    default_size: Size
    size: Size = Field(default_factory=lambda fields: fields.get("default_size", Size.REGULAR))
    quantity: int = Field(default=1, ge=1)
    modifiers: tuple[Modifier, ...] = ()
    available_modifiers: tuple[Modifier, ...] = ()
    available_sizes: tuple[Size, ...] = Field(
        default_factory=lambda fields: (fields["default_size"],) if "default_size" in fields else (),
        min_length=1,
    )
    aliases: tuple[str, ...] = ()
    available: bool = True

    @model_validator(mode="before")
    @classmethod
    def _unset_means_default(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return {k: v for k, v in data.items() if not (k in {"size", "available_sizes"} and v is None)}
        return data

    @field_validator("modifiers")
    @classmethod
    def _one_action_each(cls, chosen: tuple[Modifier, ...]) -> tuple[Modifier, ...]:
        distinct = {(m.modifier_id, m.action): m for m in chosen}
        if len({modifier_id for modifier_id, _ in distinct}) < len(distinct):
            raise ValueError("a modifier is chosen with two different actions")
        return tuple(distinct[key] for key in sorted(distinct))

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if self.default_size not in self.available_sizes:
            raise ValueError(f"default_size '{self.default_size}' is not among available_sizes")
        ids = [m.modifier_id for m in self.available_modifiers]
        if doubled := _doubled(ids):
            raise ValueError(f"modifier_id '{doubled}' is listed twice")
        return self

    @property
    def identity(self) -> tuple[str, str, CategoryName, Size, frozenset[tuple[str, ModifierAction]]]:
        """What makes two lines the same item: everything but how many."""
        chosen = frozenset((m.modifier_id, m.action) for m in self.modifiers)
        return (self.item_id, self.name, self.category_name, self.size, chosen)

    def is_same_item(self, other: "Item") -> bool:
        """Whether the two differ at most in quantity. A small and a large coffee are not the same."""
        return self.identity == other.identity

    def line(self, quantity: int = 1, size: Size | None = None, modifiers: Iterable[Modifier] = ()) -> "Item":
        """An order line of this menu item, without what only a menu needs."""
        return Item(
            item_id=self.item_id,
            name=self.name,
            category_name=self.category_name,
            default_size=self.default_size,
            size=size or self.default_size,
            quantity=quantity,
            modifiers=tuple(modifiers),
        )

    def with_quantity(self, quantity: int) -> "Item":
        """The same line with another number of units (at least 1, else `ValueError`)."""
        if quantity < 1:
            raise ValueError(f"a line has at least one unit, not {quantity}")
        return self.model_copy(update={"quantity": quantity})

    def __add__(self, other: object) -> "Item":
        """Merge two lines of the same item."""
        if not isinstance(other, Item):
            return NotImplemented
        if not self.is_same_item(other):
            raise ValueError(f"'{self.name}' and '{other.name}' are not the same item")
        return self.with_quantity(self.quantity + other.quantity)


class Order(_Value):
    """What a customer has ordered so far. Every change is a new `Order` with the same `order_id`."""

    order_id: str = Field(default_factory=lambda: str(uuid.uuid4()), min_length=1)
    items: tuple[Item, ...] = ()
    status: OrderStatus = OrderStatus.OPEN

    @property
    def units(self) -> int:
        """Units over all lines."""
        return sum(item.quantity for item in self.items)

    def __add__(self, item: object) -> "Order":
        """Add a line: merged into the same item if it is there, else appended.

        Raises:
            OrderClosedError: the order was submitted.
        """
        if not isinstance(item, Item):
            return NotImplemented
        position = self._position(item)
        if position is None:
            return self._with_items((*self.items, item))
        return self._replace(position, self.items[position] + item)

    def __sub__(self, item: object) -> "Order":
        """Take units of a line off; the line goes when none are left.

        Raises:
            NotOnOrderError: fewer than `item.quantity` units of that item are on the order.
            OrderClosedError: the order was submitted.
        """
        if not isinstance(item, Item):
            return NotImplemented
        position = self._position(item)
        ordered = self.items[position].quantity if position is not None else 0
        if position is None or ordered < item.quantity:
            raise NotOnOrderError(f"the order has {ordered} of '{item.name}', not {item.quantity}")
        if ordered == item.quantity:
            return self._with_items((*self.items[:position], *self.items[position + 1 :]))
        return self._replace(position, self.items[position].with_quantity(ordered - item.quantity))

    def submitted(self) -> "Order":
        """The same order, closed for good."""
        return self.model_copy(update={"status": OrderStatus.SUBMITTED})

    def _position(self, item: Item) -> int | None:
        if self.status is OrderStatus.SUBMITTED:
            raise OrderClosedError(f"order {self.order_id} was submitted and cannot change")
        return next((i for i, line in enumerate(self.items) if line.is_same_item(item)), None)

    def _replace(self, position: int, line: Item) -> "Order":
        return self._with_items((*self.items[:position], line, *self.items[position + 1 :]))

    def _with_items(self, items: tuple[Item, ...]) -> "Order":
        return self.model_copy(update={"items": items})


class Menu(_Value):
    """Everything one restaurant sells, in menu order. `menu_files` reads and writes it."""

    menu_id: str = Field(min_length=1)
    menu_name: str = Field(min_length=1)
    menu_version: str = Field(min_length=1)
    location: Location
    items: tuple[Item, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        if doubled := _doubled(item.item_id for item in self.items):
            raise ValueError(f"item_id '{doubled}' is listed twice")
        return self

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Menu":
        """A menu from the seed's shape: `{"metadata": {...}, "items": [...]}`, or from its own fields.

        Raises:
            pydantic.ValidationError: a field is missing or wrong.
        """
        metadata = data.get("metadata")
        fields = {**metadata, "items": data.get("items")} if isinstance(metadata, dict) else data
        return cls.model_validate(fields)

    @classmethod
    def from_json_file(cls, path: str | Path) -> "Menu":
        """A menu from a JSON file; `menu_files.load_menu` reads the other formats and explains errors better.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not JSON, or not a menu.
        """
        return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))


def _doubled(ids: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for identity in ids:
        if identity in seen:
            return identity
        seen.add(identity)
    return None
