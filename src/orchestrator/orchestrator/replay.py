"""`drive-thru replay`: written conversations in, the orders they end with out, as JSON lines.

    {"id": "a1", "menu": "menu.json", "turns": [{"role": "user", "text": "two coffees"}, …]}
    {"id": "a1", "items": […], "replies": […], "status": "open", "error": null}

Each case is a session of its own, kept in memory. Worker processes share the cases; rows come in input order.
"""

import asyncio
import gc
import json
import logging
import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AsyncExitStack
from functools import lru_cache
from queue import Queue
from threading import Thread
from typing import Any, BinaryIO, Final, Literal

from pydantic import BaseModel, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from orchestrator.config import Settings, log_to_stderr
from orchestrator.errors import DriveThruError
from orchestrator.pipe import read_lines

logger = logging.getLogger(__name__)

LONGEST_CASE: Final = 16 * 1024 * 1024
"""Bytes of a line that are read; a longer one is cut, and then no JSON any more."""

_AHEAD: Final = 16  # cases read ahead for each worker


def replay(settings: Settings, source: BinaryIO, write: Callable[[str], object], jobs: int) -> None:
    """Replay every case of the source, giving a row of JSON for each to `write`, in order and as it is ready.

    Args:
        settings: which model answers, and which menu when a case names none.
        source: JSON lines.
        write: takes one row, without its line end.
        jobs: worker processes.
    """
    rows: Queue[Future[str] | None] = Queue(maxsize=jobs * _AHEAD)
    pool = ProcessPoolExecutor(
        jobs,
        mp_context=multiprocessing.get_context("spawn"),  # a fork would copy threads' locks in whatever state
        initializer=_start_worker,
        initargs=(settings.log_level,),
    )
    try:
        Thread(target=_submit, args=(pool, settings, source, rows), daemon=True).start()
        while (row := rows.get()) is not None:
            write(_outcome(row))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def replay_case(settings: Settings, line: bytes) -> str:
    """The row of one case; whatever is wrong with the case is told in its `error`."""
    row: dict[str, Any] = {"id": None, "items": [], "replies": [], "status": None, "error": None}
    try:
        case = json.loads(line)
        row["id"] = case.get("id") if isinstance(case, dict) else None
        row |= _worker(settings).play(_Case.model_validate(case))
    except ValidationError as error:
        row["error"] = _sentence(error)
    except DriveThruError as error:
        row["error"] = str(error)
    except (ValueError, RecursionError) as error:
        row["error"] = f"the line is not JSON: {error}"
    return json.dumps(row)


class _Said(BaseModel):
    role: Literal["user", "assistant"]
    text: str


class _Case(BaseModel):
    menu: str | None = None
    turns: list[_Said]

    @property
    def said(self) -> list[str]:
        """What the customer said; what the assistant said then is not what it says now."""
        return [turn.text for turn in self.turns if turn.role == "user"]

    @field_validator("turns")
    @classmethod
    def _customer_speaks(cls, turns: list[_Said]) -> list[_Said]:
        if not any(turn.role == "user" for turn in turns):
            raise PydanticCustomError("silent", "there is no turn of a user")
        return turns


class _Worker:
    """An open drive-thru in this process, kept from case to case."""

    def __init__(self, settings: Settings) -> None:
        from orchestrator.bootstrap import open_drive_thru

        self._runner = asyncio.Runner()
        self._open = AsyncExitStack()
        opening = self._open.enter_async_context(open_drive_thru(settings, ephemeral=True))
        self._drive_thru = self._runner.run(opening)
        gc.freeze()  # what was imported is not garbage

    def play(self, case: _Case) -> dict[str, Any]:
        """The items, replies and status of a conversation."""
        return self._runner.run(self._play(case))

    async def _play(self, case: _Case) -> dict[str, Any]:
        session = self._drive_thru.session(menu=case.menu)
        turns = [await session.asay(text) for text in case.said]
        await self._drive_thru.forget(session)
        order = turns[-1].as_json()["order"]
        for line in order["items"]:
            del line["name"]
            for modifier in line["modifiers"]:
                del modifier["name"]
        return {"items": order["items"], "replies": [turn.reply for turn in turns], "status": order["status"]}


@lru_cache(maxsize=1)
def _worker(settings: Settings) -> _Worker:
    return _Worker(settings)


def _start_worker(log_level: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    log_to_stderr(log_level)


def _submit(
    pool: ProcessPoolExecutor, settings: Settings, source: BinaryIO, rows: "Queue[Future[str] | None]"
) -> None:
    try:
        for line in read_lines(source, LONGEST_CASE):
            rows.put(pool.submit(replay_case, settings, line))
    except RuntimeError as error:  # the pool broke or was shut down
        logger.debug("no more cases are taken: %s", error)
    finally:
        rows.put(None)


def _outcome(row: "Future[str]") -> str:
    try:
        return row.result()
    except BrokenProcessPool as error:
        raise DriveThruError(
            "a worker process was killed, perhaps for want of memory; try --jobs 1"
        ) from error


def _sentence(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, problem["loc"])) or "the case"
    what, _, _ = problem["msg"].partition(" or instance of")
    return f"{where}: {what[:1].lower()}{what[1:]}"
