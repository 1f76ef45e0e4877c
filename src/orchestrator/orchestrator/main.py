"""The `drive-thru` command. Only what `--help` needs is imported here; each verb imports its own."""

import gc
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from orchestrator.errors import DriveThruError, SettingsError

if TYPE_CHECKING:
    from orchestrator.config import Settings

MODELS = ("auto", "embedded", "mistral")


class _Failure(click.ClickException):
    """One line on stderr: 2 when the call must change, 1 when something else must."""

    def __init__(self, error: DriveThruError) -> None:
        super().__init__(str(error))
        self.exit_code = 2 if isinstance(error, SettingsError) else 1  # type: ignore[misc]

    def show(self, file: Any = None) -> None:  # noqa: ARG002 - click's signature
        click.echo(f"drive-thru: {self.message}", err=True)


class _Commands(click.Group):
    """Verbs, of which `chat` need not be said."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in {"--help", "-h", "--version"}):
            args = ["chat", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DriveThruError as error:
            raise _Failure(error) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="orchestrator", message="drive-thru %(version)s")
def cli() -> None:
    """Order at the drive-thru: talk, hear your order read back, and send it to the kitchen.

    Without a command: chat. Its options work without the word, too: drive-thru --ephemeral
    """


@cli.command()
@click.option("--menu", metavar="FILE", help="A menu file (JSON, XML or CSV) instead of the settings' one.")
@click.option("--session", "session_id", metavar="ID", help="Go on with the conversation of this id.")
@click.option("--ephemeral", is_flag=True, help="Keep nothing on disk.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each turn.")
@click.option("--model", type=click.Choice(MODELS), help="Who answers; auto is Mistral when there is a key.")
def chat(menu: str | None, session_id: str | None, ephemeral: bool, as_json: bool, model: str | None) -> None:  # noqa: FBT001 - click passes options by name
    """Talk to the drive-thru; from a pipe, each line is what the customer says next."""
    with _importing():
        from orchestrator import chat as conversation
    conversation.run(_settings(model), menu=menu, session_id=session_id, ephemeral=ephemeral, as_json=as_json)


@cli.command()
@click.option("--jobs", type=click.IntRange(1, 61), help="Worker processes (default: one for each core).")
@click.option("--model", type=click.Choice(MODELS), help="Who answers; auto is Mistral when there is a key.")
def replay(jobs: int | None, model: str | None) -> None:
    """Replay conversations from JSON lines on stdin; a line of JSON with the order and replies for each."""
    with _importing():
        from orchestrator.pipe import standard_input
        from orchestrator.replay import replay as play
    play(_settings(model), standard_input(), click.echo, jobs or _cores())


@cli.command()
def graph() -> None:
    """Print the graph as a Mermaid diagram."""
    with _importing():
        from orchestrator.graph import graph as compiled
    click.echo(compiled.get_graph().draw_mermaid().rstrip())


@cli.group()
def menu() -> None:
    """Check and convert menu files."""


@menu.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def check_menus(files: tuple[str, ...]) -> None:
    """Tell every problem of menu files, a line each; exit code 1 if there is any."""
    from orchestrator.menu_files import check_menu, load_menu, menu_warnings

    bad = False
    for file in files:
        problems = check_menu(file)
        bad = bad or bool(problems)
        for warning in menu_warnings(file):
            click.echo(f"warning: {warning}", err=True)
        for problem in problems:
            click.echo(problem)
        if not problems:
            click.echo(f"{file}: ok, {len(load_menu(file).items)} items")
    sys.exit(1 if bad else 0)


@menu.command("convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
def convert_menu(source: str, target: str) -> None:
    """Write a menu file in another format: .json, .xml or .csv."""
    from orchestrator.menu_files import load_menu, save_menu

    loaded = load_menu(source)
    save_menu(loaded, target)
    click.echo(f"{target}: {len(loaded.items)} items")


def main() -> None:
    """Run the command. What a terminal or pipe cannot show becomes a question mark, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
    cli(prog_name="drive-thru")


@contextmanager
def _importing() -> Iterator[None]:
    """Import without garbage collection, which takes a fifth of the time and finds nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _settings(model: str | None) -> "Settings":
    from orchestrator.config import get_settings, log_to_stderr

    settings = get_settings()
    log_to_stderr(settings.log_level)
    return settings.model_copy(update={"model": model}) if model else settings


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
