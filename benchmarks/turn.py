"""A turn that adds two items: its time beside the bare supersteps, its bytes beside the seed's design.

Ours is the embedded engine behind `Session`, with SQLite: all at once, and streamed word by word. The
baseline of the times is `bare_graph`: the same answers and tools in the same supersteps, scripted, with no
checkpointer. The baseline of the bytes is `seed_graph`. Every conversation has four turns; histories grow on
both sides.
"""

import asyncio
import gc
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bare_graph import Recording, bare_graph
from checkpoint_size import size_rows
from langchain_core.messages import AnyMessage, HumanMessage
from measure import Row, arguments, percentile, report
from orchestrator.bootstrap import DriveThru, open_drive_thru
from orchestrator.config import Settings

TURNS = (
    "A large coffee and two hash browns",
    "An Egg McMuffin and a small orange juice",
    "Two sausage burritos and a milk",
    "A hotcakes and a medium latte",
)
Conversation = Callable[[], Awaitable[list[float]]]


async def main() -> None:
    """Measure, and print the rows."""
    chosen = arguments((__doc__ or "").splitlines()[0])
    with tempfile.TemporaryDirectory() as folder:
        rows = await time_rows(Path(folder), quick=chosen.quick)
        rows += await size_rows(Path(folder))
    report("A turn that adds two items", rows, as_json=chosen.json)


async def time_rows(folder: Path, *, quick: bool) -> list[Row]:
    """Seconds of turns at 1 and at 100 sessions, ours and bare by turns in one process."""
    settings = Settings(_env_file=None, model="embedded", data_dir=folder)
    async with open_drive_thru(settings) as drive_thru:
        bare = await _bare(drive_thru)
        rows: list[Row] = []
        for sessions, rounds in ((1, 3), (4, 1)) if quick else ((1, 60), (100, 3)):
            for kind, tell in (("", None), (", streamed", _unheard)):
                case = f"{sessions} session{'s' if sessions > 1 else ''}{kind}"
                rows += await _compare(case, sessions, rounds, Side(_ours(drive_thru, tell)), Side(bare))
    return rows


def _unheard(_piece: str) -> None:
    """A listener that costs nothing."""


def _ours(drive_thru: DriveThru, tell: Callable[[str], object] | None) -> Conversation:
    """Our conversation, giving the seconds of its turns."""

    async def ours() -> list[float]:
        session = drive_thru.session()
        return [await _timed(session.asay(text, tell)) for text in TURNS]

    return ours


async def _bare(drive_thru: DriveThru) -> Conversation:
    """The bare conversation: what ours said, recorded and warmed up."""
    session = drive_thru.session("recorded")
    for text in TURNS:
        await session.asay(text)
    state = await drive_thru.graph.aget_state({"configurable": {"thread_id": "recorded"}})
    graph = bare_graph(Recording.turns_of(state.values["messages"]))

    async def bare() -> list[float]:
        seconds: list[float] = []
        history: list[AnyMessage] = []
        for text in TURNS:
            values: dict[str, Any] = {"messages": [*history, HumanMessage(text)]}
            started = time.perf_counter()
            result = await graph.ainvoke(values)
            seconds.append(time.perf_counter() - started)
            history = result["messages"]
        return seconds

    await bare()
    return bare


async def _timed(turn: Awaitable[Any]) -> float:
    started = time.perf_counter()
    await turn
    return time.perf_counter() - started


@dataclass
class Side:
    """What one side's turns took, in seconds, and how long it was at work."""

    hold: Conversation
    turns: list[float] = field(default_factory=list)
    busy: float = 0.0

    async def work(self, sessions: int) -> None:
        """Hold so many conversations at once."""
        gc.collect()
        started = time.perf_counter()
        for seconds in await asyncio.gather(*(self.hold() for _ in range(sessions))):
            self.turns += seconds
        self.busy += time.perf_counter() - started


async def _compare(case: str, sessions: int, rounds: int, ours: Side, bare: Side) -> list[Row]:
    """Let either side work by turns, so that a slow moment of the machine meets both."""
    for _ in range(rounds):
        await ours.work(sessions)
        await bare.work(sessions)
    return [
        Row(f"p50, {case}", percentile(ours.turns, 50) * 1e3, percentile(bare.turns, 50) * 1e3, "ms"),
        Row(f"p95, {case}", percentile(ours.turns, 95) * 1e3, percentile(bare.turns, 95) * 1e3, "ms"),
        Row(f"throughput, {case}", len(ours.turns) / ours.busy, len(bare.turns) / bare.busy, "turns/s"),
    ]


if __name__ == "__main__":
    asyncio.run(main())
