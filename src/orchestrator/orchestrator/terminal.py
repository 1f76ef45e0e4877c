"""The chat on a terminal: a prompt with history, the reply as it comes, the order below it, commands."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from orchestrator.bootstrap import DriveThru
from orchestrator.enums import OrderStatus
from orchestrator.errors import StoreError
from orchestrator.models import Item, Order
from orchestrator.session import Session

HELP: Final = """\
Say what you would like, as you would at the window: "two hash browns and a large coffee".
/order            your order so far
/menu [section]   what we have
/new              the next customer
/quit             leave (so do Ctrl-C and Ctrl-D)"""


class Terminal:
    """One terminal and the session that it shows."""

    def __init__(self, drive_thru: DriveThru, session: Session, data_dir: Path | None) -> None:
        self._drive_thru = drive_thru
        self._session = session
        self._kept = data_dir is not None
        self._console = Console(highlight=False)
        self._prompt: PromptSession[str] = PromptSession(history=_history(data_dir))
        self._shown = Order()
        self._column = 0
        self._commands: dict[str, Callable[[str], bool]] = {
            "/order": self._show_order,
            "/menu": self._show_menu,
            "/new": self._next_customer,
            "/help": self._show_help,
            "/quit": lambda _: False,
            "/exit": lambda _: False,
        }

    def run(self) -> None:
        """Serve until the customer leaves."""
        menu = self._drive_thru.context.catalog.menu
        self._console.print(Panel(Text(f"{menu.location.name} · {menu.menu_name}", justify="center")))
        self._introduce()
        try:
            while self._serve(self._prompt.prompt("You:  ").strip()):
                pass
        except (EOFError, KeyboardInterrupt):
            self._console.print()
        self._console.print("[dim]Thanks for stopping by. Drive safe![/dim]")

    def _serve(self, text: str) -> bool:
        """Answer one input; whether the customer stays."""
        if not text:
            return True
        name, _, argument = text.partition(" ")
        if name in self._commands:
            return self._commands[name](argument.strip())
        if name.startswith("/"):
            self._console.print(f"[dim]There is no {name}; these are the commands:[/dim]")
            return self._show_help("")
        self._console.print("Crew: ", end="", style="bold green")
        self._column = len("Crew: ")
        turn = self._session.say(text, self._write)
        self._console.print()
        if turn.order != self._shown:
            self._show(turn.order)
        return True

    def _write(self, piece: str) -> None:
        """Print a piece of a reply, on the next line when its first word does not fit on this one."""
        word = len(piece.lstrip().split(" ")[0])
        if self._column and self._column + word + 1 > self._console.width:
            piece, self._column = "\n" + piece.lstrip(), 0
        self._console.print(piece, end="", markup=False, soft_wrap=True)
        self._column += len(piece)

    def _introduce(self) -> None:
        resume = f" · resume with: drive-thru --session {self._session.session_id}" if self._kept else ""
        self._console.print(f"[dim]/help{resume}[/dim]", soft_wrap=True)
        self._shown = Order()
        if self._session_order().items:
            self._show(self._session_order())

    def _show(self, order: Order) -> None:
        self._shown = order
        table = Table(box=None, show_header=False, pad_edge=False)
        for line in order.items:
            table.add_row(f"{line.quantity}x", *map(Text, _described(line)))
        title = "Sent to the kitchen" if order.status is OrderStatus.SUBMITTED else "Your order"
        self._console.print(Panel.fit(table, title=title, title_align="left", border_style="cyan"))

    def _show_order(self, _: str) -> bool:
        order = self._session_order()
        if order.items:
            self._show(order)
        else:
            self._console.print("[dim]Nothing ordered yet.[/dim]")
        return True

    def _session_order(self) -> Order:
        try:
            return self._session.order
        except StoreError as error:
            self._console.print(f"[red]{escape(str(error))}[/red]")
            return self._shown

    def _show_menu(self, section: str) -> bool:
        items = [item for item in self._drive_thru.context.catalog.menu.items if item.available]
        names = dict.fromkeys(item.category_name for item in items)
        wanted = [name for name in names if section and name.startswith(section.lower())]
        table = Table(box=None, show_header=False, pad_edge=False)
        for name in wanted or names:
            of_section = [item for item in items if item.category_name is name]
            if wanted:
                for item in of_section:
                    table.add_row(*map(Text, _offered(item)))
            else:
                table.add_row(f"/menu {name}", f"[dim]{len(of_section)} items[/dim]")
        self._console.print(table)
        return True

    def _next_customer(self, _: str) -> bool:
        self._session = self._drive_thru.session()
        self._introduce()
        return True

    def _show_help(self, _: str) -> bool:
        self._console.print(HELP, markup=False)
        return True


def _described(line: Item) -> tuple[str, str]:
    changes = [m.name if m.action == "add" else f"{m.action} {m.name}" for m in line.modifiers]
    size = "" if line.size is line.default_size else f"{line.size} "
    return f"{size}{line.name}", ", ".join(changes)


def _offered(item: Item) -> tuple[str, str, str]:
    sizes = ", ".join(item.available_sizes) if len(item.available_sizes) > 1 else ""
    return item.name, sizes, ", ".join(modifier.name for modifier in item.available_modifiers)


def _history(data_dir: Path | None) -> History:
    if data_dir is None:
        return InMemoryHistory()
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    return FileHistory(str(data_dir / "history"))
