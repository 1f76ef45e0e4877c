"""Everything this package raises on purpose.

    DriveThruError
    ├── MenuError             a menu file cannot be read, or breaks the menu's rules
    ├── OrderError            an operation that the order's rules forbid
    │   ├── OrderClosedError  the order was submitted; nothing changes it
    │   └── NotOnOrderError   more was taken off than was ordered
    ├── SettingsError         a setting has a value that cannot work
    └── StoreError            an order could not be written or read back

Each message is one sentence that can be shown to a person: it names what is wrong and where.
"""

from dataclasses import dataclass


class DriveThruError(Exception):
    """Base of every error raised on purpose; catching it never hides a bug."""


@dataclass(frozen=True)
class MenuProblem:
    """One thing wrong with a menu file.

    Attributes:
        file: the file's path as it was given.
        item: the item's id or name, or "(menu)" for what concerns no single item.
        field: dotted path of the field inside the item or menu.
        message: what is wrong, without a full stop.
    """

    file: str
    item: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.item}: {self.field}: {self.message}"


class MenuError(DriveThruError):
    """A menu file cannot be used; `problems` lists everything found, in file order."""

    def __init__(self, problems: list[MenuProblem]) -> None:
        self.problems = problems
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{problems[0]}{more}")


class OrderError(DriveThruError):
    """An operation that the order's rules forbid."""


class OrderClosedError(OrderError):
    """The order was submitted; nothing changes it."""


class NotOnOrderError(OrderError):
    """More of an item was taken off than was ordered."""


class SettingsError(DriveThruError):
    """A setting has a value that cannot work."""


class StoreError(DriveThruError):
    """An order could not be written or read back."""
