"""LangGraph's SQLite checkpointer for async code, one thread hop for each call.

The library's own async saver hands every statement to aiosqlite's thread and back, under one lock: about ten
hops a turn. With a hundred conversations they cost more than the graph (docs/adr/008-one-hop-saver.md).
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite import SqliteSaver

_T = TypeVar("_T")


class OneHopSqliteSaver(SqliteSaver):
    """The library's synchronous saver, each call whole on the one thread that owns the connection."""

    def __init__(self, path: Path, *, busy_seconds: float, serde: SerializerProtocol) -> None:
        """Open the file and create its tables.

        Args:
            path: of the SQLite file; its folder exists.
            busy_seconds: how long to wait for another process's write.
            serde: how checkpoints are written.

        Raises:
            sqlite3.Error: it cannot be opened, or is no SQLite file.
        """
        super().__init__(sqlite3.connect(path, timeout=busy_seconds, check_same_thread=False), serde=serde)
        self._thread = ThreadPoolExecutor(1, "checkpoints")
        try:
            # A power cut may take the last turns of a conversation; orders are in a file of their own.
            self.conn.execute("PRAGMA synchronous=NORMAL")
            self.setup()  # turns WAL on
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Finish what is being written, and close the file."""
        self._thread.shutdown()
        self.conn.close()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """See `SqliteSaver.get_tuple`."""
        return await self._hop(self.get_tuple, config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """See `SqliteSaver.put`."""
        return await self._hop(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """See `SqliteSaver.put_writes`."""
        await self._hop(self.put_writes, config, writes, task_id, task_path)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the library's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """See `SqliteSaver.list`."""
        listed = await self._hop(lambda: [*self.list(config, filter=filter, before=before, limit=limit)])
        for checkpoint in listed:
            yield checkpoint

    async def adelete_thread(self, thread_id: str) -> None:
        """See `SqliteSaver.delete_thread`."""
        await self._hop(self.delete_thread, thread_id)

    async def _hop(self, function: Callable[..., _T], *args: Any) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)
