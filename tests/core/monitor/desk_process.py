"""A desk in a process of its own, told what to do line by line: `python -m tests.core.monitor.desk_process DATABASE`.

Each line of standard input is a command with its arguments; one line of JSON answers it. Its clock stands still until
it is told to move.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.model import Outcome
from core.store.activity import Activity
from core.store.alerts import Alerts
from core.store.collection_log import collected
from tests.core.monitor.desk import Desk
from tests.manual_clock import ManualClock

ROOT = Path(__file__).resolve().parents[3]


class DeskProcess:
    """Starts one; `desk("collect")` asks and waits for the answer. Left alone it ends in peace; `kill()` ends it."""

    def __init__(self, database: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.core.monitor.desk_process", str(database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def __call__(self, command: str) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def kill(self) -> None:
        """Without a word."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()


def _do(desk: Desk, command: str, arguments: list[str]) -> Any:
    if command == "advance":
        desk.clock.advance(float(arguments[0]))
    elif command == "load":
        desk.load(float(arguments[0]))
    elif command == "ask":
        for session in arguments:
            Activity(desk.database, desk.clock).record_lookup(
                session, "网络断了", outcome=Outcome.NOT_FOUND, details={}, duration_ms=1, query_key="网络 断\n\n"
            )
    elif command == "collect":
        return desk.collecting.collect()
    elif command == "alerts":
        return sorted((alert.name, alert.state) for alert in Alerts(desk.database).listed(desk.clock.now()))
    elif command == "agents":
        return [(one.id, one.total, one.monitor_penalty) for one in desk.pool.figures()]
    elif command == "collected":
        return collected(desk.database.connection()).count
    return None


def main() -> None:
    """Obey until the input ends."""
    desk = Desk(Path(sys.argv[1]), ManualClock())
    for line in sys.stdin:
        command, *arguments = line.split()
        sys.stdout.write(json.dumps(_do(desk, command, arguments)) + "\n")
        sys.stdout.flush()
    desk.close()


if __name__ == "__main__":
    main()
