"""`drive-thru chat`: a conversation on a terminal, or one customer turn per line of a pipe."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

import click
from anyio.from_thread import start_blocking_portal

from orchestrator.bootstrap import DriveThru, open_drive_thru
from orchestrator.config import Settings
from orchestrator.pipe import read_lines, standard_input
from orchestrator.session import Session

LONGEST_LINE: Final = 100_000
"""Bytes of a line that are read: more characters than `speech.MAX_CHARACTERS`, whatever the script."""


def run(
    settings: Settings, *, menu: str | None, session_id: str | None, ephemeral: bool, as_json: bool
) -> None:
    """Open the drive-thru and talk until the customer is gone.

    Raises:
        DriveThruError: it cannot be opened.
    """
    with start_blocking_portal() as portal:
        opening = open_drive_thru(settings, menu=menu, ephemeral=ephemeral, portal=portal)
        with portal.wrap_async_context_manager(opening) as drive_thru:
            try:
                session = drive_thru.session(session_id)
            except ValueError as error:
                raise click.UsageError(str(error)) from None
            if as_json or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
                serve_lines(session, standard_input(), click.echo, as_json=as_json)
            else:
                talk(drive_thru, session, None if ephemeral else settings.data_dir)


def serve_lines(session: Session, source: BinaryIO, write: Callable[[str], object], *, as_json: bool) -> None:
    """Answer each line of the source with one line. Blank lines are nothing said, and skipped."""
    for line in read_lines(source, LONGEST_LINE):
        turn = session.say(line.decode("utf-8", errors="replace").removeprefix("\ufeff"))
        write(
            json.dumps(turn.as_json(), ensure_ascii=False) if as_json else " ".join(turn.reply.splitlines())
        )


def talk(drive_thru: DriveThru, session: Session, data_dir: Path | None) -> None:
    """Talk on the terminal until the customer leaves."""
    from orchestrator.terminal import Terminal

    Terminal(drive_thru, session, data_dir).run()
