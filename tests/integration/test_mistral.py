"""Mistral in the same graph, over real HTTP to a loopback server that refuses what Mistral refuses."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_mistralai import ChatMistralAI
from langgraph.checkpoint.memory import InMemorySaver
from orchestrator.bootstrap import choose_model
from orchestrator.config import Settings
from orchestrator.enums import OrderStatus
from orchestrator.graph import Graph, build_graph
from orchestrator.models import Order
from orchestrator.persistence import serializer
from pydantic import SecretStr

from tests.integration.mistral_conversations import (
    HASH_BROWNS,
    ITEM_NOT_FOUND,
    LARGE_COFFEE,
    MULTI_INTENT,
    SIMPLE_ORDER,
    Conversation,
    exchange,
)
from tests.integration.mistral_server import Call, MistralServer, says, serve

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"])]

THREAD: RunnableConfig = {"configurable": {"thread_id": "lane-1"}}


@dataclass
class Lane:
    """The graph on Mistral beside the server that plays it, run as `Session` does or in one piece."""

    mistral: MistralServer
    graph: Graph
    embedded: Graph
    streamed: bool

    async def say(self, text: str, graph: Graph | None = None) -> dict[str, Any]:
        """Serve a turn and give the state."""
        graph, values = graph or self.graph, {"messages": [HumanMessage(text)]}
        if not self.streamed:
            return await graph.ainvoke(values, THREAD)
        state: dict[str, Any] = {}
        async for event in graph.astream(values, THREAD, stream_mode=["messages", "values"]):
            assert isinstance(event, tuple)
            state = event[1] if event[0] == "values" else state
        return state

    async def hold(self, conversation: Conversation) -> dict[str, Any]:
        """Play a conversation to its end and give the last state."""
        state: dict[str, Any] = {}
        for turn in conversation.exchanges:
            self.mistral.play(*turn.answers)
            state = await self.say(turn.customer)
            assert self.mistral.played_out
        return state


@pytest.fixture
def mistral(monkeypatch: pytest.MonkeyPatch) -> Iterator[MistralServer]:
    """The server; the model that `choose_model` builds talks to it."""
    with serve() as server:
        monkeypatch.setenv("MISTRAL_BASE_URL", server.endpoint)
        yield server


@pytest.fixture
async def model(mistral: MistralServer) -> AsyncIterator[ChatMistralAI]:
    """The model that a key chooses."""
    settings = Settings(
        model="auto", mistral_api_key=SecretStr("secret-of-the-test"), mistral_temperature=0.0
    )
    model = choose_model(settings)
    assert isinstance(model, ChatMistralAI)
    assert model.endpoint == mistral.endpoint
    yield model
    model.client.close()
    await model.async_client.aclose()


@pytest.fixture(params=[True, False], ids=["streamed", "at once"])
def lane(request: pytest.FixtureRequest, mistral: MistralServer, model: ChatMistralAI) -> Iterator[Lane]:
    """A conversation that Mistral never refuses."""
    saver = InMemorySaver(serde=serializer())
    mistral_graph, embedded = build_graph(model, checkpointer=saver), build_graph(checkpointer=saver)
    yield Lane(mistral, mistral_graph, embedded, streamed=request.param)
    assert mistral.refused == []


def lines(state: dict[str, Any]) -> tuple[tuple[str, int, str], ...]:
    order = Order.model_validate(state["current_order"])
    return tuple((line.item_id, line.quantity, line.size.value) for line in order.items)


@pytest.mark.parametrize("conversation", [SIMPLE_ORDER, MULTI_INTENT, ITEM_NOT_FOUND])
async def test_a_conversation_of_the_diagrams_ends_with_its_order(
    lane: Lane, conversation: Conversation
) -> None:
    """The three conversations of the v1 diagrams end with the same orders on Mistral, streamed or not."""
    state = await lane.hold(conversation)

    assert lines(state) == conversation.lines
    assert state["current_order"].status is conversation.status
    assert isinstance(state["messages"][-1], AIMessage)
    assert state["messages"][-1].text
    assert all(body.get("stream", False) is lane.streamed for body in lane.mistral.requests)


async def test_a_request_carries_prompt_key_and_settings(lane: Lane) -> None:
    """A request has the key and settings of the environment, and one system prompt, first, with the order."""
    await lane.hold(SIMPLE_ORDER)

    for body in lane.mistral.requests:
        roles = [message["role"] for message in body["messages"]]
        assert roles[0] == "system"
        assert roles.count("system") == 1
        assert body["model"] == "mistral-small-latest"
        assert body["temperature"] == 0.0
    assert "1x Egg McMuffin (regular)" in lane.mistral.requests[2]["messages"][0]["content"]
    assert {headers["authorization"] for headers in lane.mistral.headers} == {"Bearer secret-of-the-test"}


async def test_the_tool_schemas_show_only_what_a_model_fills_in(lane: Lane) -> None:
    """Mistral sees four described tools with the arguments it fills in, and nothing that is injected."""
    await lane.hold(ITEM_NOT_FOUND)

    functions = {t["function"]["name"]: t["function"] for t in lane.mistral.requests[0]["tools"]}
    arguments = {name: set(f["parameters"]["properties"]) for name, f in functions.items()}
    assert arguments == {
        "lookup_menu_item": {"item_name"},
        "add_item_to_order": {"item_id", "item_name", "category_name", "quantity", "size", "modifiers"},
        "get_current_order": set(),
        "finalize_order": set(),
    }
    assert all(f["description"] for f in functions.values())
    assert all(p["description"] for f in functions.values() for p in f["parameters"]["properties"].values())
    assert "runtime" not in json.dumps(list(functions.values())).lower()


async def test_parallel_calls_are_answered_under_their_ids(lane: Lane) -> None:
    """Parallel calls go back as one assistant message and one tool message for each id, in call order."""
    await lane.hold(MULTI_INTENT)

    *_, calling, first, second = lane.mistral.requests[2]["messages"]
    assert [call["function"]["name"] for call in calling["tool_calls"]] == ["add_item_to_order"] * 2
    assert [call["id"] for call in calling["tool_calls"]] == [first["tool_call_id"], second["tool_call_id"]]
    assert json.loads(first["content"])["item_name"] == "Hash Brown"
    assert json.loads(second["content"])["item_name"] == "Coffee"


async def test_a_customer_never_follows_a_tool(lane: Lane) -> None:
    """What a customer says after a submitted order follows the spoken goodbye, never a tool's answer."""
    await lane.hold(SIMPLE_ORDER)
    late = exchange("Wait, a coffee too", says("<reasoning>Too late</reasoning>It is submitted already."))
    await lane.hold(Conversation((late,)))

    roles = [message["role"] for message in lane.mistral.requests[-1]["messages"]]
    assert roles[-3:] == ["tool", "assistant", "user"]


async def test_reasoning_is_kept_apart_from_words(lane: Lane) -> None:
    """A `<reasoning>` cut over chunks becomes a reasoning entry and is neither said nor sent back."""
    state = await lane.hold(SIMPLE_ORDER)

    assert state["reasoning"][:3] == [
        "[TOOL_CALL] lookup_menu_item: A greeting and an order",
        "[TOOL_CALL] add_item_to_order: It is on the menu",
        "[DIRECT] Added",
    ]
    history = [message for body in lane.mistral.requests for message in body["messages"][1:]]
    assert "reasoning" not in json.dumps(history)


@pytest.mark.parametrize("arguments", ['{"item_id": coffee-001}', "a coffee", "[]"])
async def test_unreadable_arguments_come_back_as_an_error(lane: Lane, arguments: str) -> None:
    """A call whose arguments are no JSON object is answered with an error, and the conversation goes on."""
    broken = says("<reasoning>Adding</reasoning>", Call("add_item_to_order", arguments), HASH_BROWNS)
    fixed = says("<reasoning>Again, properly</reasoning>", LARGE_COFFEE)
    turn = exchange("Two hash browns and a large coffee", broken, fixed, says("Got both!"))
    state = await lane.hold(Conversation((turn,)))

    answers = [json.loads(message["content"]) for message in lane.mistral.requests[1]["messages"][-2:]]
    assert sorted(answer["added"] for answer in answers) == [False, True]
    assert "item_id" in next(answer["error"] for answer in answers if not answer["added"])
    assert lines(state) == MULTI_INTENT.lines
    assert state["messages"][-1].text == "Got both!"


async def test_mistral_goes_on_where_the_embedded_engine_stopped(lane: Lane) -> None:
    """A conversation that the embedded engine began is one that Mistral accepts, call ids too."""
    await lane.say("Two hash browns please", lane.embedded)
    turn = exchange("And a large coffee", says("<reasoning>More</reasoning>", LARGE_COFFEE), says("Added!"))
    state = await lane.hold(Conversation((turn,)))

    assert lines(state) == MULTI_INTENT.lines
    history = lane.mistral.requests[0]["messages"]
    ids = [call["id"] for message in history for call in message.get("tool_calls", ())]
    assert len(ids) == len(set(ids)) == 2


async def test_the_embedded_engine_goes_on_where_mistral_stopped(lane: Lane) -> None:
    """A conversation that Mistral brought to the read-back is one that the embedded engine submits."""
    await lane.hold(Conversation(SIMPLE_ORDER.exchanges[:2]))
    state = await lane.say("Yep!", lane.embedded)

    assert state["current_order"].status is OrderStatus.SUBMITTED
    assert lines(state) == SIMPLE_ORDER.lines


async def test_the_server_is_as_strict_as_mistral(mistral: MistralServer, model: ChatMistralAI) -> None:
    """The loopback server refuses the histories that Mistral refuses, so no test above passes on one."""
    hi, again = HumanMessage("Hi"), HumanMessage("Hello?")
    calls = AIMessage("", tool_calls=[{"name": "get_current_order", "args": {}, "id": "abcdefghi"}])
    answer = ToolMessage("{}", tool_call_id="abcdefghi", name="get_current_order")
    refused: list[list[AnyMessage]] = [
        [hi, calls, answer, again],
        [hi, calls, again],
        [hi, calls, answer, answer],
        [hi, answer],
        [hi, AIMessage(""), again],
        [hi, AIMessage("Hi!")],
    ]
    for history in refused:
        with pytest.raises(Exception, match="Error response 400"):
            await model.ainvoke(history)
    assert len(mistral.refused) == len(refused)
