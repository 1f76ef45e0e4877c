"""Where a conversation stands and what the engine does next: plain values that its rules pass on."""

from dataclasses import dataclass, field
from typing import Any, Literal

from orchestrator.embedded.heard import Heard, Line

AskedKind = Literal["", "more", "confirm", "which", "offer", "size"]


@dataclass(frozen=True)
class Asked:
    """What the last reply asked for, so that a short answer can be understood.

    Attributes:
        kind: "more" (anything else?), "confirm" (the read-back), "which" of several items, an "offer" of
            items, a "size", or nothing.
        options: item ids to choose from.
        line: the order line that waits for the answer, as JSON facts.
    """

    kind: AskedKind = ""
    options: tuple[str, ...] = ()
    line: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A tool call of this turn and what it answered."""

    tool: str
    args: dict[str, Any]
    facts: dict[str, Any]


@dataclass(frozen=True)
class Situation:
    """Everything the engine looks at, read from the messages.

    Attributes:
        utterance: the customer's last words.
        turn: how often the customer has spoken.
        answers: this turn's tool calls so far, in order.
        asked: what the reply before asked.
        submitted: whether the order is already with the kitchen.
        ordered: whether anything was added so far, this turn included.
        last_item: id of the item that was last looked up or added before this turn.
    """

    utterance: str
    turn: int = 1
    answers: tuple[Answer, ...] = ()
    asked: Asked = field(default_factory=Asked)
    submitted: bool = False
    ordered: bool = False
    last_item: str | None = None

    def of(self, tool: str) -> list[Answer]:
        """This turn's answers of one tool."""
        return [answer for answer in self.answers if answer.tool == tool]


@dataclass(frozen=True)
class Plan:
    """What this turn should do.

    Attributes:
        heard: the utterance as understood.
        lines: what to add, pending questions resolved.
        read_back: whether to read the order back, and why.
        submit: whether the customer has just confirmed the read-back.
        lookups: further names to look up for questions.
        cut: how many things were said beyond what one turn takes.
    """

    heard: Heard
    lines: tuple[Line, ...] = ()
    read_back: Literal["", "recall", "confirm"] = ""
    submit: bool = False
    lookups: tuple[str, ...] = ()
    cut: int = 0


@dataclass(frozen=True)
class Call:
    """A tool call to make."""

    tool: str
    args: dict[str, Any]


@dataclass(frozen=True)
class Step:
    """What the engine does now: call tools, or reply and end its turn. Always with the reason."""

    why: str
    calls: tuple[Call, ...] = ()
    reply: str = ""
    asks: Asked = field(default_factory=Asked)
