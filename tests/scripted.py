"""A chat model that says what a test wrote down: the boundary to a language model, played for real."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import Field


class ModelDownError(Exception):
    """What a provider raises when it is away."""


class ScriptedModel(BaseChatModel):
    """Plays its script, one message for each time it is asked; the last one again and again.

    Attributes:
        script: what it answers.
        fail_at: the times it is asked (counted from 1) at which it raises instead; the script waits.
        heard: the messages it was given, each time it was asked.
    """

    script: list[AIMessage]
    fail_at: frozenset[int] = frozenset()
    heard: list[list[BaseMessage]] = Field(default_factory=list)
    played: list[int] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model itself: its script knows what it calls."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.heard.append(list(messages))
        if len(self.heard) in self.fail_at:
            raise ModelDownError(f"call {len(self.heard)} fails")
        line = self.script[min(len(self.played), len(self.script) - 1)]
        self.played.append(len(self.heard))
        message = line.model_copy(update={"id": None, "tool_calls": [dict(c) for c in line.tool_calls]})
        return ChatResult(generations=[ChatGeneration(message=message)])


def says(text: str) -> AIMessage:
    """A spoken answer."""
    return AIMessage(text)


def calls(*made: tuple[str, dict[str, Any]], why: str = "", first_id: int = 1) -> AIMessage:
    """An answer that calls tools together, with ids call-1, call-2, and so on."""
    return AIMessage(
        f"<reasoning>{why}</reasoning>" if why else "",
        tool_calls=[
            ToolCall(name=name, args=args, id=f"call-{first_id + i}") for i, (name, args) in enumerate(made)
        ],
    )


def adds(item_id: str, name: str, **args: Any) -> tuple[str, dict[str, Any]]:
    """A call that adds an item."""
    return ("add_item_to_order", {"item_id": item_id, "item_name": name, "category_name": "", **args})


READS_BACK: tuple[str, dict[str, Any]] = ("get_current_order", {})
FINALIZES: tuple[str, dict[str, Any]] = ("finalize_order", {})
