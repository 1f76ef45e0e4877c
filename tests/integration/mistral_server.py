"""A loopback server that speaks Mistral's `/v1/chat/completions`: it plays a script and keeps the requests.

It is as strict as the real one about a conversation's form, so a history that Mistral would refuse fails
here too, with the same status and error body (codes 3230 and 3280 as Mistral's users report them).
"""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any, Final

_CALL_ID: Final = re.compile(r"[a-zA-Z0-9]{9}")
_PIECE: Final = 7  # characters of a streamed piece: short enough to cut tags and words in two


@dataclass(frozen=True)
class Call:
    """A tool call as Mistral sends it; `arguments` may be text that is no JSON."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The arguments as they travel: JSON in a string."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Says:
    """One answer of the model: words, tool calls, or both beside each other."""

    content: str = ""
    calls: tuple[Call, ...] = ()

    def tool_calls(self, number: int) -> list[dict[str, Any]]:
        """The calls on the wire, with ids of Mistral's form that are unique in the conversation."""
        return [
            {
                "id": f"Call{number:03}{i:02}",
                "type": "function",
                "index": i,
                "function": {"name": call.name, "arguments": call.text},
            }
            for i, call in enumerate(self.calls)
        ]


def says(content: str, *calls: Call) -> Says:
    """An answer of the model."""
    return Says(content, calls)


class MistralServer:
    """What the script still holds and what was asked so far. `play` appends to the script.

    Attributes:
        endpoint: the base URL, as `ChatMistralAI(endpoint=…)` takes it.
        requests: the bodies received, in order.
        headers: their headers.
        refused: why requests were refused, as the client was told.
    """

    def __init__(self, port: int) -> None:
        self.endpoint = f"http://127.0.0.1:{port}/v1"
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.refused: list[str] = []
        self._script: list[Says] = []

    def play(self, *script: Says) -> None:
        """Answer the next requests with these, in order."""
        self._script.extend(script)

    @property
    def played_out(self) -> bool:
        """Whether every answer of the script was asked for."""
        return not self._script

    def answer(self, body: dict[str, Any]) -> Says | dict[str, Any]:
        """The next answer of the script, or the error body for a request that Mistral would refuse."""
        self.requests.append(body)
        problem = _problem(body.get("messages", []))
        if problem is None and not self._script:
            problem = ("the script has no answer left", "script", "0")
        if problem is None:
            return self._script.pop(0)
        message, kind, code = problem
        self.refused.append(message)
        return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


@contextmanager
def serve() -> Iterator[MistralServer]:
    """Run a server on a free port of 127.0.0.1 while the block runs."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    http.daemon_threads = True
    http.mistral = MistralServer(http.server_address[1])  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield http.mistral  # type: ignore[attr-defined]
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server: MistralServer = self.server.mistral  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self._send(404, "application/json", json.dumps({"detail": "Not Found"}))
            return
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        answer = server.answer(body)
        number = len(server.requests)
        if isinstance(answer, dict):
            self._send(400, "application/json", json.dumps(answer))
        elif body.get("stream"):
            events = [*map(json.dumps, _chunks(answer, number, body["model"])), "[DONE]"]
            self._send(200, "text/event-stream", "".join(f"data: {event}\n\n" for event in events))
        else:
            self._send(200, "application/json", json.dumps(_completion(answer, number, body["model"])))

    def _send(self, status: int, kind: str, text: str) -> None:
        payload = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(payload)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Keep quiet: the requests are recorded."""


def _completion(answer: Says, number: int, model: str) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": answer.content,
        "tool_calls": answer.tool_calls(number) or None,
    }
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    return {**_envelope(number, model, "chat.completion"), "choices": [choice], "usage": _USAGE}


def _chunks(answer: Says, number: int, model: str) -> Iterator[dict[str, Any]]:
    envelope = _envelope(number, model, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for start in range(0, len(answer.content), _PIECE):
        yield chunk({"content": answer.content[start : start + _PIECE]})
    calls = {"tool_calls": answer.tool_calls(number)} if answer.calls else {}
    yield {**chunk({"content": "", **calls}, _finish(answer)), "usage": _USAGE}


def _envelope(number: int, model: str, kind: str) -> dict[str, Any]:
    return {"id": f"cmpl-{number:08}", "object": kind, "created": 1_750_000_000 + number, "model": model}


def _finish(answer: Says) -> str:
    return "tool_calls" if answer.calls else "stop"


_USAGE: Final = {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930}
_FOLLOWS: Final = {
    "system": {"user", "assistant"},
    "user": {"user", "assistant"},
    "assistant": {"user", "assistant", "tool"},
    "tool": {"tool", "assistant"},
}
_ORDER: Final = ("invalid_request_message_order", "3230")
_ASSISTANT: Final = ("invalid_assistant_message", "3240")
_CALLING: Final = ("invalid_function_call", "3280")


def _problem(messages: Sequence[dict[str, Any]]) -> tuple[str, str, str] | None:
    """What Mistral would refuse in a conversation: message, type and code of its error."""
    for message in messages:
        if message["role"] == "assistant" and bool(message["content"]) == bool(message.get("tool_calls")):
            return "Assistant message must have either content or tool_calls, but not both.", *_ASSISTANT
    return _bad_order(messages) or _bad_calls(messages)


def _bad_order(messages: Sequence[dict[str, Any]]) -> tuple[str, str, str] | None:
    roles = [message["role"] for message in messages]
    for before, role in pairwise(roles):
        if role not in _FOLLOWS[before]:
            return f"Unexpected role '{role}' after role '{before}'", *_ORDER
    if roles[-1:] not in (["user"], ["tool"]):
        return "Expected last role User or Tool (or Assistant with prefix True) for serving", *_ORDER
    return None


def _bad_calls(messages: Sequence[dict[str, Any]]) -> tuple[str, str, str] | None:
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return f"Unexpected tool call id {message['tool_call_id']} in tool results", *_CALLING
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            break
        open_calls.extend(call["id"] for call in message.get("tool_calls") or ())
        for identity in open_calls:
            if not _CALL_ID.fullmatch(identity):
                said = f"Tool call id was {identity} but must be a-z, A-Z, 0-9, with a length of 9."
                return said, *_CALLING
    return ("Not the same number of function calls and responses", *_ORDER) if open_calls else None
