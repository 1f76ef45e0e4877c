"""The question that is open while an utterance is read, and those that were."""

from dataclasses import replace
from typing import Final

from orchestrator.embedded.heard import Question, Topic

_VAGUE: Final = (Topic.LIST, Topic.OTHER)


class Asking:
    """A question runs until the sentence ends or an order is opened; what it names is not ordered."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self._open: Question | None = None
        self._bare = False  # a mere "what" so far

    @property
    def topic(self) -> Topic | None:
        """What the open question is about."""
        return self._open.topic if self._open else None

    def ask(self, topic: Topic, *, bare: bool) -> None:
        """A question is opened, or the open one turns out to be about something more definite."""
        self._bare = self._open is None and bare
        if self._open is None:
            self._open = Question(topic)
        elif self._open.topic in _VAGUE and topic not in (*_VAGUE, Topic.HAVE):
            self._open = replace(self._open, topic=topic)

    def hear(self, words: str, item_ids: tuple[str, ...] = ()) -> None:
        """A word or a name belongs to the open question."""
        if self._open:
            said = f"{self._open.words} {words}".strip()
            self._open = replace(self._open, words=said, item_ids=self._open.item_ids + item_ids)

    def leave_vague(self) -> None:
        """Forget "can you …" as a question when something better follows."""
        if self._open and self._open.topic is Topic.OTHER and not self._open.words:
            self._open = None

    def close(self, *, everyday: bool) -> None:
        """The question is over; one that asks nothing ("you know what, …") is dropped."""
        question, self._open = self._open, None
        if question is None:
            return
        empty = not question.words and (
            self._bare if question.topic is Topic.LIST else question.topic is Topic.OTHER and not everyday
        )
        if not empty:
            self.questions.append(question)
