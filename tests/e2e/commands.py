"""Runs of the `drive-thru` command as a user starts it: a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

COMMAND: Final = (sys.executable, "-m", "orchestrator")
SECONDS: Final = 60


def drive_thru(
    *args: str | Path, env: dict[str, str], said: bytes | str = b"", check: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; it must exit with `check`, and never with a traceback."""
    data = said.encode() if isinstance(said, str) else said
    done = subprocess.run(
        [*COMMAND, *map(str, args)], input=data, env=env, capture_output=True, timeout=SECONDS, check=False
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    assert check in {None, done.returncode}, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def rows(output: str) -> list[dict[str, Any]]:
    """The JSON lines of an output."""
    return [json.loads(line) for line in output.splitlines()]


class Talk:
    """A running `drive-thru --json`, spoken to line by line."""

    def __init__(self, session: str, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--json", "--session", session],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def say(self, text: str) -> dict[str, Any]:
        """Say a line and hear the turn."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()
        turn: dict[str, Any] = json.loads(self.process.stdout.readline())
        return turn

    def kill(self) -> None:
        """SIGKILL: no chance to tidy up."""
        self.process.kill()
        self.process.wait(SECONDS)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()
