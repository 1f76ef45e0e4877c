"""LangGraph Studio's server, started as `langgraph dev` is and driven over HTTP as Studio drives it."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from orchestrator.catalog import PROJECT_ROOT

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

START_SECONDS: Final = 90  # the server imports for three seconds on two idle cores
OFFLINE: Final = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_API_KEY": "",
    "NO_PROXY": "127.0.0.1",
    "HTTP_PROXY": "http://127.0.0.1:9",  # whatever still calls out finds nobody there
    "HTTPS_PROXY": "http://127.0.0.1:9",
}


class Studio:
    """A thread on the running server."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._thread = self._post("/threads", {})["thread_id"]

    def say(self, text: str, **context: Any) -> dict[str, Any]:
        """Run the graph on what a customer says and give the run's last state."""
        run: dict[str, Any] = {"assistant_id": "drive_thru", "input": {"messages": [_human(text)]}}
        return self._post(f"/threads/{self._thread}/runs/wait", {**run, "context": context})

    def edit(self, values: dict[str, Any]) -> None:
        """Change the state by hand."""
        self._post(f"/threads/{self._thread}/state", {"values": values})

    def order(self) -> dict[str, Any]:
        """The order in the thread's state."""
        order: dict[str, Any] = self.state()["current_order"]
        return order

    def state(self) -> dict[str, Any]:
        """The thread's state."""
        answer = self._client.get(f"/threads/{self._thread}/state").raise_for_status()
        values: dict[str, Any] = answer.json()["values"]
        return values

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self._client.post(path, json=body).raise_for_status().json()
        return answer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """The server, in a folder of its own because it leaves its threads in the working directory."""
    folder = tmp_path_factory.mktemp("studio")
    config = json.loads((PROJECT_ROOT / "langgraph.json").read_text())
    config["dependencies"] = [str(PROJECT_ROOT / path) for path in config["dependencies"]]
    (folder / "langgraph.json").write_text(json.dumps(config))
    port = _free_port()
    langgraph = str(Path(sys.executable).with_name("langgraph"))
    command = [langgraph, "dev", "--no-browser", "--no-reload", "--port", str(port)]
    log = folder / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=os.environ | OFFLINE, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            _wait_until_up(client, process, log)
            yield client
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


@pytest.fixture
def studio(server: httpx.Client) -> Studio:
    """A new thread."""
    return Studio(server)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(client: httpx.Client, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if client.get("/ok").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail(f"langgraph dev did not start:\n{log.read_text()[-4000:]}")


def _human(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _lines(order: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [(line["item_id"], line["quantity"], line["size"]) for line in order["items"]]


def test_two_runs_order_two_items(studio: Studio) -> None:
    """Two runs of one thread order two items, and the thread's state has both lines."""
    studio.say("An Egg McMuffin please")
    reply = studio.say("And a large coffee")["messages"][-1]

    assert _lines(studio.order()) == [("mcmuffin-egg-001", 1, "regular"), ("coffee-001", 1, "large")]
    assert reply["type"] == "ai"
    assert "coffee" in reply["content"].lower()


def test_the_order_keeps_its_id_from_the_first_word(studio: Studio) -> None:
    """A thread has one order id from its first run on, also when that run orders nothing."""
    ids = [
        studio.say(text)["current_order"]["order_id"] for text in ("Hi!", "A large coffee", "Two hash browns")
    ]

    assert set(ids) == {studio.order()["order_id"]}
    assert studio.state()["menu_id"] == "mcdonalds-breakfast"
    assert studio.state()["menu_version"]


def test_an_order_edited_by_hand_is_gone_on_with(studio: Studio) -> None:
    """State that arrives as JSON is an order again: a line that Studio's user added counts."""
    studio.say("A large coffee")
    order = studio.order()
    order["items"][0]["quantity"] = 3
    studio.edit({"current_order": order})
    studio.say("Two hash browns")

    assert _lines(studio.order()) == [("coffee-001", 3, "large"), ("hashbrown-001", 2, "regular")]
    assert studio.order()["order_id"] == order["order_id"]


def test_menu_and_limits_come_from_the_context(studio: Studio) -> None:
    """A run's context, plain JSON values, chooses the menu and the limits."""
    menu = str(PROJECT_ROOT / "menus" / "mcdonalds" / "all-day.json")
    studio.say("Three Big Macs please", menu=menu, max_line_quantity=2)
    assert _lines(studio.order()) == []

    studio.say("Two Big Macs please", menu=menu, max_line_quantity=2)
    assert [quantity for _, quantity, _ in _lines(studio.order())] == [2]
