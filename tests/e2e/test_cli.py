"""The `drive-thru` command, end to end, as processes on real files."""

import json
import os
import pty
import re
import select
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from orchestrator.catalog import DEFAULT_MENU
from orchestrator.menu_files import load_menu
from orchestrator.prompts import phrases

from tests.e2e.commands import COMMAND, SECONDS, Talk, drive_thru, rows

Env = dict[str, str]
HEAVY = {
    "langgraph",
    "langchain_core",
    "pydantic",
    "sqlalchemy",
    "rich",
    "prompt_toolkit",
    "lxml",
    "rapidfuzz",
}
UNHEARD = phrases("sentences")["unheard"]


@pytest.fixture(name="env")
def _env(drive_thru_env: Env) -> Env:
    return drive_thru_env


def items(turn: dict[str, Any]) -> list[tuple[str, int]]:
    return [(line["name"], line["quantity"]) for line in turn["order"]["items"]]


def stored(env: Env) -> list[tuple[str, ...]]:
    """The rows of the order store: order and session."""
    connection = sqlite3.connect(Path(env["DATA_DIR"]) / "orders.sqlite")
    try:
        return connection.execute("SELECT order_id, session_id FROM orders").fetchall()
    finally:
        connection.close()


def test_help_imports_nothing_heavy() -> None:
    """`--help` answers at once because only click is imported for it."""
    script = "import sys, orchestrator.main; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


def test_help_and_version(env: Env) -> None:
    """`--help` names the verbs, `--version` the version."""
    helped = drive_thru("--help", env=env)
    for verb in ("chat", "replay", "graph", "menu"):
        assert re.search(rf"^  {verb} ", helped.stdout, re.MULTILINE)
    assert "--ephemeral" in drive_thru("chat", "--help", env=env).stdout
    assert re.fullmatch(r"drive-thru \d+\.\d+\.\d+\n", drive_thru("--version", env=env).stdout)


def test_chat_from_a_pipe(env: Env) -> None:
    """From a pipe each line is a turn and each reply a line; the word `chat` need not be said."""
    talk = "two egg mcmuffins\n\nthat's all\nyes\n"
    plain = drive_thru(env=env, said=talk)
    assert len(plain.stdout.splitlines()) == 3
    assert plain.stderr == ""
    turns = rows(drive_thru("--json", "--session", "s", env=env, said=talk).stdout)
    assert [turn["turn"] for turn in turns] == [1, 2, 3]
    assert [turn["reply"] for turn in turns] == plain.stdout.splitlines()
    assert turns[2]["order"]["status"] == "submitted"
    assert items(turns[2]) == [("Egg McMuffin", 2)]
    assert [session for _, session in stored(env)][1:] == ["s"]
    assert (turns[2]["order"]["order_id"], "s") in stored(env)


def test_ephemeral_keeps_nothing(env: Env) -> None:
    """`--ephemeral` leaves the data folder as it was."""
    turns = rows(
        drive_thru("chat", "--ephemeral", "--json", env=env, said="a large coffee\nthat's all\nyes").stdout
    )
    assert turns[-1]["order"]["status"] == "submitted"
    assert list(Path(env["DATA_DIR"]).iterdir()) == []


def test_noise_from_a_pipe(env: Env) -> None:
    """Binary noise, a megabyte in a line, half characters and blank lines get polite answers."""
    noise = bytes(range(256)) * 40
    lines = [
        noise,
        b"\x00" * 5000,
        b"x " * 500_000,
        b"",
        b"   ",
        b"\xed\xa0\x80",
        "ünï ☕".encode(),
        b"large coffee",
    ]
    turns = rows(drive_thru("--json", "--ephemeral", env=env, said=b"\n".join(lines)).stdout)
    assert items(turns[-1]) == [("Coffee", 1)]
    assert all(turn["reply"].strip() for turn in turns)
    too_long = [turn for turn in turns if turn["reply"] in phrases("sentences")["too_long"]]
    assert len(too_long) == 1
    assert turns[-3]["reply"] in UNHEARD


def test_closed_pipes(env: Env) -> None:
    """`drive-thru < /dev/null`, a closed stdin and `| head -1` end quietly."""
    assert drive_thru("--ephemeral", env=env).stdout == ""
    command = " ".join(COMMAND)
    for line in (f"{command} --ephemeral <&-", f"yes hi | {command} --ephemeral | head -1"):
        done = subprocess.run(line, shell=True, env=env, capture_output=True, timeout=SECONDS, check=True)  # noqa: S602
        assert done.stderr.replace(b"yes: standard output: Broken pipe\n", b"") == b""


def test_killed_after_each_turn(env: Env) -> None:
    """A conversation whose process is killed after each turn loses nothing, doubles nothing, submits once."""
    said = ["two egg mcmuffins", "and a large coffee", "that's all", "yes", "thanks"]
    turns = []
    for text in said:
        talk = Talk("lunch", env)
        turns.append(talk.say(text))
        talk.kill()
    assert [turn["turn"] for turn in turns] == [1, 2, 3, 4, 5]
    assert [turn["customer"] for turn in turns] == said
    assert [items(turn) for turn in turns] == [
        [("Egg McMuffin", 2)],
        *[[("Egg McMuffin", 2), ("Coffee", 1)]] * 4,
    ]
    assert [turn["order"]["status"] for turn in turns] == ["open", "open", "open", "submitted", "submitted"]
    assert len({turn["order"]["order_id"] for turn in turns}) == 1
    assert stored(env) == [(turns[0]["order"]["order_id"], "lunch")]


CRASH = """
import os, sys
from orchestrator import persistence
from orchestrator.main import main

class Kitchen(persistence.OrderStore):
    async def submit(self, *order):
        await super().submit(*order)
        os._exit(9)  # the order is in the store; the checkpoint will never hear of it

persistence.OrderStore = Kitchen
main()
"""


def test_killed_between_store_and_checkpoint(env: Env) -> None:
    """A process that dies between the kitchen and the checkpoint has submitted the order once, for good."""
    crash = subprocess.run(
        [sys.executable, "-c", CRASH, "--json", "--session", "lunch"],
        input=b"two egg mcmuffins\nthat's all\nyes\n",
        env=env,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert crash.returncode == 9
    before = rows(crash.stdout.decode())
    assert [turn["order"]["status"] for turn in before] == ["open", "open"]
    after = rows(drive_thru("--json", "--session", "lunch", env=env, said="and a large coffee\nyes\n").stdout)
    assert [turn["turn"] for turn in after] == [3, 4]
    assert all(turn["order"]["status"] == "submitted" for turn in after)
    assert all(items(turn) == [("Egg McMuffin", 2)] for turn in after)
    assert stored(env) == [(before[0]["order"]["order_id"], "lunch")]


@pytest.mark.parametrize(
    ("args", "variables", "code", "words"),
    [
        (["--menu", "nowhere.json"], {}, 1, "nowhere.json"),
        (["--session", "../up"], {}, 2, "session id"),
        (["--model", "oracle"], {}, 2, "oracle"),
        (["--model", "mistral"], {}, 2, "MISTRAL_API_KEY"),
        (["dance"], {}, 2, "dance"),
        ([], {"LOG_LEVEL": "loud"}, 2, "LOG_LEVEL"),
        ([], {"DATA_DIR": "/dev/null/x"}, 1, "/dev/null/x"),
        (["menu", "convert", DEFAULT_MENU, "menu.yaml"], {}, 1, ".csv"),
    ],
)
def test_what_cannot_work_is_one_sentence(
    args: list[str], variables: Env, code: int, words: str, env: Env
) -> None:
    """What cannot work is told in a sentence on stderr, with an exit code: 2 when the call must change."""
    done = drive_thru(*args, env={**env, **variables}, said="hi\n", check=code)
    assert done.stdout == ""
    assert words in done.stderr.splitlines()[-1]


def user(text: str) -> dict[str, str]:
    return {"role": "user", "text": text}


def test_replay(env: Env, tmp_path: Path) -> None:
    """Each case has a row in input order; what is wrong with one is told in it and stops no other."""
    menu = tmp_path / "menu.csv"
    drive_thru("menu", "convert", DEFAULT_MENU, menu, env=env)
    answered = {"role": "assistant", "text": "no"}
    whole = [user("a large coffee with extra cream"), answered, user("that is all"), user("yes")]
    cases = [
        json.dumps({"id": "a", "turns": whole}),
        "",
        "not json",
        "[1]",
        json.dumps({"id": "b"}),
        json.dumps({"id": "c", "turns": []}),
        json.dumps({"id": "d", "turns": [{"role": "user", "text": 5}]}),
        json.dumps({"id": "e", "menu": "nowhere.json", "turns": [user("hi")]}),
        json.dumps({"id": 7, "menu": str(menu), "turns": [user("two egg mcmuffins")]}),
        json.dumps({"turns": [user("hello")]}),
    ]
    done = drive_thru("replay", "--jobs", "2", env=env, said="\n".join(cases))
    found = rows(done.stdout)
    assert done.stderr == ""
    assert [row["id"] for row in found] == ["a", None, None, "b", "c", "d", "e", 7, None]
    assert all(list(row) == ["id", "items", "replies", "status", "error"] for row in found)
    assert found[0]["status"] == "submitted"
    assert len(found[0]["replies"]) == 3
    (coffee,) = found[0]["items"]
    (cream,) = coffee.pop("modifiers")
    assert coffee == {"item_id": "coffee-001", "quantity": 1, "size": "large"}
    assert cream == {"modifier_id": cream["modifier_id"], "action": "extra"}
    assert [bool(row["error"]) for row in found] == [False, *[True] * 6, False, False]
    assert all("\n" not in (row["error"] or "") and row["items"] == [] for row in found[1:7])
    assert [(line["item_id"], line["quantity"]) for line in found[7]["items"]] == [("mcmuffin-egg-001", 2)]
    assert list(Path(env["DATA_DIR"]).iterdir()) == []


def test_replay_answers_before_the_end_of_its_input(env: Env) -> None:
    """Rows come as soon as they are ready: a program can wait for each answer before it asks again."""
    with subprocess.Popen(
        [*COMMAND, "replay"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        for number in range(2):
            process.stdin.write(b'{"id": %d, "turns": [{"role": "user", "text": "hi"}]}\n' % number)
            process.stdin.flush()
            assert rows(process.stdout.readline().decode())[0]["id"] == number
        process.stdin.close()
        assert process.wait(SECONDS) == 0


def test_graph(env: Env) -> None:
    """`drive-thru graph` prints the nodes and edges as Mermaid."""
    diagram = drive_thru("graph", env=env).stdout
    assert "graph TD" in diagram
    for edge in ("__start__ --> orchestrator", "tools --> update_order"):
        assert edge in diagram


def test_menu_check_and_convert(env: Env, tmp_path: Path) -> None:
    """A menu survives XML and CSV; every problem of a bad file is a line, and the exit code says so."""
    for ending in ("xml", "csv", "json"):
        target = tmp_path / f"menu.{ending}"
        drive_thru("menu", "convert", DEFAULT_MENU, target, env=env)
        assert load_menu(target) == load_menu(DEFAULT_MENU)
    count = len(load_menu(DEFAULT_MENU).items)
    good = drive_thru("menu", "check", *(tmp_path / f"menu.{e}" for e in ("xml", "csv")), env=env)
    assert [line.partition(": ")[2] for line in good.stdout.splitlines()] == [f"ok, {count} items"] * 2
    bad = tmp_path / "bad.json"
    bad.write_text((tmp_path / "menu.json").read_text().replace('"breakfast"', '"brunch"'))
    done = drive_thru("menu", "check", bad, tmp_path / "menu.json", env=env, check=1)
    *problems, last = done.stdout.splitlines()
    assert len(problems) > 1
    assert all(line.startswith(f"{bad}: ") and "category_name" in line for line in problems)
    assert last.endswith("items")


class Screen:
    """A process on a terminal of its own."""

    def __init__(self, *args: str, env: Env) -> None:
        self._fd, inner = pty.openpty()
        self.seen = ""
        terminal = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "COLUMNS": "100", "LINES": "40"}
        self.process = subprocess.Popen(
            [*COMMAND, *args],
            env={**env, **terminal},
            stdin=inner,
            stdout=inner,
            stderr=inner,
            close_fds=True,
        )
        os.close(inner)

    def type(self, text: str, until: str) -> str:
        """Type, and wait until this is seen; what was seen since then, without colours."""
        self.seen = ""
        os.write(self._fd, text.encode())
        deadline = time.monotonic() + SECONDS
        while not re.search(until, self.seen):
            assert time.monotonic() < deadline, self.seen
            if select.select([self._fd], [], [], 1)[0]:
                try:
                    raw = os.read(self._fd, 65536).decode(errors="replace")
                except OSError:  # the process has closed its side
                    break
                self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]", "", raw)
        return self.seen

    def close(self) -> int:
        """Wait for the process; its exit code."""
        code = self.process.wait(SECONDS)
        os.close(self._fd)
        return code


@pytest.mark.parametrize("leave", ["/quit\r", "\x03", "\x04"])
def test_terminal(leave: str, env: Env) -> None:
    """On a terminal one sees the reply and the order below it; the commands work; leaving is polite."""
    screen = Screen("--session", "window", env=env)
    assert "drive-thru --session window" in screen.type("", r"You:")
    assert "Coffee" in screen.type("two egg mcmuffins and a large coffee\r", r"large Coffee +│[^$]*You:")
    assert "2x" in screen.type("/order\r", r"2x[^$]*You:")
    assert "Egg McMuffin" in screen.type("/menu breakfast\r", r"Egg McMuffin[^$]*You:")
    assert "commands" in screen.type("/dance\r", r"/quit[^$]*You:")
    assert "window" not in screen.type("/new\r", r"resume with[^$]*You:").partition("resume with")[2]
    screen.type(leave, r"Drive safe")
    assert screen.close() == 0
    assert "Traceback" not in screen.seen
