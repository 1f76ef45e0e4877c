"""What is wrong with a menu file and where it stands: the parts that every format's reader shares."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from orchestrator.errors import MenuError, MenuProblem

WHOLE_MENU = "(menu)"
"""What `MenuProblem.item` says for a problem that concerns no single item."""


class Record(dict[str, Any]):
    """One object of a file, which remembers where it stood and what was written twice in it.

    Attributes:
        where: "line 12" or "row 12"; empty where the format cannot tell.
        doubled: names that occurred more than once; the last value stands.
    """

    def __init__(self, pairs: Iterable[tuple[str, Any]] = (), where: str = "") -> None:
        super().__init__()
        self.where = where
        self.doubled: list[str] = []
        for name, value in pairs:
            self.put(name, value)

    def put(self, name: str, value: object) -> None:
        """Set a field, noting a second occurrence."""
        if name in self:
            self.doubled.append(name)
        self[name] = value


@dataclass(frozen=True)
class _Finding:
    index: int | None
    path: str
    message: str
    where: str


@dataclass
class Findings:
    """What was found in one file. Problems forbid its use, warnings do not.

    Attributes:
        file: the file's path as it was given.
        labels: what to call each item, by its position.
    """

    file: str
    labels: list[str] = field(default_factory=list)
    _problems: list[_Finding] = field(default_factory=list)
    _objections: list[_Finding] = field(default_factory=list)
    _warnings: list[_Finding] = field(default_factory=list)

    @property
    def problems(self) -> list[MenuProblem]:
        """Every problem, in file order: the menu's own first, then item by item."""
        explained = {finding.where for finding in self._problems}
        return self._listed([*self._problems, *(o for o in self._objections if o.where not in explained)])

    @property
    def warnings(self) -> list[MenuProblem]:
        """Every warning, in file order."""
        return self._listed(self._warnings)

    def problem(self, index: int | None, path: str, message: str, where: str = "") -> None:
        """Note a problem of the item at `index`, or of the menu itself."""
        self._problems.append(_Finding(index, path, message, where))

    def objection(self, index: int | None, path: str, message: str, where: str) -> None:
        """Note a schema's complaint; it counts where no problem explains the same line in plainer words."""
        self._objections.append(_Finding(index, path, message, where))

    def warning(self, index: int | None, path: str, message: str, where: str = "") -> None:
        """Note something that loading ignores, but that was hardly meant."""
        self._warnings.append(_Finding(index, path, message, where))

    def fatal(self, message: str) -> MenuError:
        """The error for a file that cannot even be taken apart."""
        return MenuError([MenuProblem(self.file, WHOLE_MENU, "(file)", message)])

    def _listed(self, findings: list[_Finding]) -> list[MenuProblem]:
        ordered = sorted(findings, key=lambda finding: -1 if finding.index is None else finding.index)
        return [MenuProblem(self.file, self._label(f.index), f.path, self._sentence(f)) for f in ordered]

    def _label(self, index: int | None) -> str:
        if index is None:
            return WHOLE_MENU
        return self.labels[index] if index < len(self.labels) else f"items[{index}]"

    @staticmethod
    def _sentence(finding: _Finding) -> str:
        return f"{finding.message} ({finding.where})" if finding.where else finding.message


def stripped(value: object) -> str:
    """A text without the space around it; empty for what is no text."""
    return value.strip() if isinstance(value, str) else ""


def place(record: object) -> str:
    """Where a record stood in its file; empty where the format cannot tell."""
    return str(getattr(record, "where", ""))


def described(value: object) -> str:
    """A value in a sentence: what it is when it holds others, else itself."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{shortened(value)}'"
    if isinstance(value, int | float):
        return shortened(repr(value))
    return "an object" if isinstance(value, dict) else "a list"


def shortened(text: str) -> str:
    """At most 40 characters of a text."""
    return text if len(text) <= 40 else f"{text[:37]}..."
