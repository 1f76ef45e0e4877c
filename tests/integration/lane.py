"""A lane of a drive-thru for tests: sessions on a small menu, with a scripted model and real stores."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import ToolCallChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import StateSnapshot
from orchestrator.context import Context
from orchestrator.conversation import Orders
from orchestrator.errors import StoreError
from orchestrator.graph import build_graph
from orchestrator.models import Order
from orchestrator.persistence import MemoryOrders, serializer
from orchestrator.session import Session

from tests.scripted import FINALIZES, READS_BACK, ScriptedModel, adds, calls, says
from tests.shops import SML, dish, write_menu

NOON: Final = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
ADD_TEA: Final = calls(adds("tea", "Tea", quantity=2), why="they want tea")
ADD_BUN: Final = calls(adds("bun", "Bun"), why="they want a bun")
READ_BACK: Final = calls(READS_BACK)
FINALIZE: Final = calls(FINALIZES)
WHOLE_ORDER: Final = [
    ADD_TEA,
    says("Two teas. Anything else?"),
    READ_BACK,
    says("Two teas, right?"),
    FINALIZE,
]


class StreamingModel(ScriptedModel):
    """A scripted model whose answers come in chunks of a few characters."""

    chunk: int = 3

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self._generate(messages).generations[0].message
        assert isinstance(message, AIMessage)
        for start in range(0, len(message.text), self.chunk):
            piece = message.text[start : start + self.chunk]
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        made = [
            ToolCallChunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=i)
            for i, call in enumerate(message.tool_calls)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=made))


class ActingModel(ScriptedModel):
    """A scripted model that does something to the world each time before it answers."""

    act: Callable[[int], None]

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.act(len(self.heard) + 1)
        return super()._generate(messages, *args, **kwargs)


class FlakyOrders(MemoryOrders):
    """An order store that is out of reach a number of times."""

    def __init__(self, failures: int = 1, error: Exception | None = None) -> None:
        super().__init__()
        self.failures = failures
        self.error = error or StoreError("the kitchen's line is cut")
        self.submitted: list[tuple[str, str, str, str, datetime]] = []

    async def submit(self, order: Order, *about: Any) -> bool:
        """Fail, or keep the order as the real one does."""
        self._fail()
        self.submitted.append((order.order_id, *about))
        return await super().submit(order, *about)

    async def get(self, order_id: str) -> Order | None:
        """Fail, or look as the real one does."""
        self._fail()
        return await super().get(order_id)

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise self.error


@dataclass
class Lane:
    """What survives a process: the menu file, the checkpoints and the orders."""

    folder: Path
    checkpointer: BaseCheckpointSaver[Any] = field(default_factory=lambda: InMemorySaver(serde=serializer()))
    orders: Orders = field(default_factory=MemoryOrders)

    def __post_init__(self) -> None:
        self.menu = write_menu(self.folder, dish("Tea", "Milk", sizes=SML), dish("Bun"))

    def open(self, model: BaseChatModel | list[AIMessage] | None, session_id: str = "lane-1") -> Session:
        """A session as a new process opens it."""
        model = ScriptedModel(script=model) if isinstance(model, list) else model
        graph = build_graph(model, checkpointer=self.checkpointer)
        context = Context(menu=self.menu)
        return Session(
            graph,
            context,
            self.orders,
            session_id,
            clock=lambda: NOON,
            new_order_id=lambda: f"order-{session_id}",
        )

    async def state(self, session_id: str = "lane-1") -> StateSnapshot:
        """What the checkpoint says."""
        graph = build_graph(ScriptedModel(script=[]), checkpointer=self.checkpointer)
        return await graph.aget_state({"configurable": {"thread_id": session_id}})

    async def history(self, session_id: str = "lane-1") -> list[tuple[str, str]]:
        """Who said what, as the checkpoint says; tools left out."""
        messages = (await self.state(session_id)).values["messages"]
        return [(m.type, m.text) for m in messages if m.type in {"human", "ai"} and m.text]


def lines(order: Order) -> list[tuple[str, int]]:
    """The order's lines: name and quantity."""
    return [(line.name, line.quantity) for line in order.items]
