"""Between the customer's ears and the graph: what was really said, and what may be said aloud."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

MAX_CHARACTERS: Final = 20_000
"""Longer than anyone speaks at a drive-thru: half an hour of talking."""

_NOISE: Final = 0.05  # share of such characters from which a line is noise
_OPEN: Final = re.compile("<reasoning>", re.IGNORECASE)
_CLOSE: Final = re.compile("</reasoning>", re.IGNORECASE)
_OPENING: Final = re.compile(
    "".join(f"(?:{letter}" for letter in "<reasoning") + ")?" * 9 + r")\Z", re.IGNORECASE
)
_UNSPEAKABLE: Final = {"Cc": " ", "Cs": "", "Zl": " ", "Zp": " "}


def clean(text: str) -> str:
    """The text without what no database or model can take: control characters, NUL and half characters."""
    if text.isprintable():
        return text.strip()
    return "".join(_UNSPEAKABLE.get(unicodedata.category(c), c) for c in text).strip()


def is_noise(text: str) -> bool:
    """Whether text is no text: too much of it are control characters and bytes that are no letters."""
    strange = sum(
        c == "\ufffd" or (unicodedata.category(c) in _UNSPEAKABLE and not c.isspace()) for c in text
    )
    return strange > max(3, len(text) * _NOISE)


def is_speech(text: str) -> bool:
    """Whether anything was said: a letter or a digit, in any script."""
    return any(map(str.isalnum, text))


class Aloud:
    """Strips `<reasoning>…</reasoning>` from one message that arrives in chunks.

    What it lets through adds up to `graph.extract_reasoning(whole)[1]`, also when a tag is split over
    chunks or never closed. Space at either end of the message is kept back.
    """

    def __init__(self) -> None:
        self._waiting = ""  # may turn out to be a tag
        self._space = ""
        self._thinking = False
        self._begun = False

    def hear(self, chunk: str) -> str:
        """What can be said aloud now that this chunk is known."""
        self._waiting += chunk
        said = ""
        while tag := (_CLOSE if self._thinking else _OPEN).search(self._waiting):
            if not self._thinking:
                said += self._waiting[: tag.start()]
            self._waiting = self._waiting[tag.end() :]
            self._thinking = not self._thinking
        if self._thinking:
            self._waiting = self._waiting[1 - len("</reasoning>") :]
        else:
            partial = _OPENING.search(self._waiting)
            end = partial.start() if partial else len(self._waiting)
            said, self._waiting = said + self._waiting[:end], self._waiting[end:]
        return self._trimmed(said)

    def end(self) -> str:
        """What was kept back in case it was a tag, once the message is over."""
        rest, self._waiting = "" if self._thinking else self._waiting, ""
        return self._trimmed(rest)

    def _trimmed(self, text: str) -> str:
        text = self._space + text if self._begun else text.lstrip()
        said = text.rstrip()
        self._space = text[len(said) :]
        self._begun = self._begun or bool(said)
        return said


class Voice:
    """Speaks one turn while it is being made: the words of the model's messages, one after the other."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._aloud = Aloud()
        self._message: str | None = None
        self._said = ""
        self._gap = ""

    def hear(self, message: str | None, chunk: str) -> None:
        """Say what a chunk of the message with this id adds."""
        if message != self._message:
            self._speak(self._aloud.end())
            self._aloud, self._message = Aloud(), message
            self._gap = " " if self._said else ""
        self._speak(self._aloud.hear(chunk))

    def conclude(self, reply: str) -> None:
        """Say what of the reply has not been said: nothing, its end, or all of it after something else."""
        self._speak(self._aloud.end())
        if reply.startswith(self._said):
            self._speak(reply.removeprefix(self._said))
        elif not self._said.endswith(reply):
            self._speak(f" {reply}")

    def _speak(self, words: str) -> None:
        if words:
            self._tell(self._gap + words)
            self._said += self._gap + words
            self._gap = ""
