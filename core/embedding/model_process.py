"""ModelProcess: a model's own process: started, asked from any thread, killed when it hangs, ended with this one."""

from __future__ import annotations

import itertools
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as LateError
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from core.embedding.model_fault import ModelUnusable
from core.embedding.model_wire import WireBroken, get, put
from core.embedding_status import ModelFault

ROOT = Path(__file__).resolve().parents[2]
LOAD_S = 600.0
HANG_S = 120.0
_WORKER = "core.embedding.flag_worker"
_LAST_WORDS = 200
_LINES = 20
_END_S = 5.0
# What must not reach the process: its own number of threads is another than the small model's.
_NOT_INHERITED = ("OMP_NUM_THREADS", "OMP_WAIT_POLICY")
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TQDM_DISABLE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "1",
}
Answer = tuple[dict[str, Any], bytes]


def child_command() -> list[str]:
    """What starts the worker. A bundle has no Python to start, and starts itself."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--model-worker"]
    return [sys.executable, "-P", "-m", _WORKER]


class ModelProcess:
    """One process, from `start` to `close`. All methods may be called from any thread."""

    def __init__(
        self,
        *,
        command: Sequence[str] | None = None,
        hang_s: float = HANG_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`hang_s`: a process that says nothing for so long after a question is killed."""
        self._command = list(command or child_command())
        self._hang_s = hang_s
        self._now = now
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[Answer]] = {}
        self._unheard_since: float | None = None  # the first question it has said nothing after
        self._out: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._words: deque[str] = deque(maxlen=_LINES)
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []
        self._ended: ModelUnusable | None = None

    @property
    def pid(self) -> int | None:
        """Of the process; None before it is started."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Start it. Raises ModelUnusable."""
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        try:
            self._process = process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                creationflags=flags,
            )
        except OSError as error:
            raise ModelUnusable(ModelFault.ERROR, str(error)) from error
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        work = {"model-write": self._write, "model-words": self._listen, "model-read": self._read}
        pipes = (process.stdin, process.stderr, process.stdout)
        self._threads = [
            threading.Thread(target=target, args=(pipe,), name=name, daemon=True)
            for (name, target), pipe in zip(work.items(), pipes, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, do: str, *, seconds: float, **facts: object) -> Answer:
        """What it answers to `do`, head and data. Raises TimeoutError after `seconds` (the answer is not wanted any
        more; a question that waits behind another is dropped), ModelUnusable: as it says, or DIED when it ended or was
        killed because it hung."""
        future: Future[Answer] = Future()
        with self._lock:
            if self._ended is not None:
                raise self._ended
            number = next(self._numbers)
            if self._unheard_since is None:
                self._unheard_since = self._now()
            self._waiting[number] = future
        self._out.put({"id": number, "do": do, **facts})
        try:
            head, data = future.result(seconds)
        except LateError:
            self._late(number)
            raise TimeoutError(f"no answer within {seconds:g} s") from None
        except CancelledError:
            raise ModelUnusable(ModelFault.DIED, "closed") from None
        if "fault" in head:
            raise ModelUnusable(ModelFault(head["fault"]), str(head.get("detail", "")))
        return head, data

    def close(self) -> None:
        """Kill it and wait for its end; what is asked meanwhile fails. Idempotent."""
        self._end(ModelUnusable(ModelFault.DIED, "closed"))
        self._out.put(None)
        process = self._process
        if process is None:
            return
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(_END_S)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    # ------------------------------------------------------------------ inside
    def _late(self, number: int) -> None:
        with self._lock:
            self._waiting.pop(number, None)
            silent_s = 0.0 if self._unheard_since is None else self._now() - self._unheard_since
        self._out.put({"id": number, "do": "drop"})
        if silent_s >= self._hang_s:
            fault = ModelUnusable(ModelFault.DIED, f"no answer for {silent_s:.0f} s")
            self._end(fault)
            raise fault

    def _end(self, fault: ModelUnusable) -> None:
        """Kill it; whoever waits, and whoever asks from now on, is told `fault`."""
        with self._lock:
            self._ended = self._ended or fault
            waiting, self._waiting = list(self._waiting.values()), {}
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
        for future in waiting:
            future.set_exception(self._ended)

    def _write(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):  # it ended; whoever reads from it says so
            while (head := self._out.get()) is not None:
                put(pipe, head)  # type: ignore[arg-type]

    def _read(self, pipe: IO[bytes]) -> None:
        said = ""
        try:
            while (message := get(pipe)) is not None:  # type: ignore[arg-type]
                with self._lock:
                    self._unheard_since = None
                    future = self._waiting.pop(message[0].get("id", 0), None)
                if future is not None:
                    future.set_result(message)
        except (WireBroken, OSError, ValueError) as error:
            said = str(error)
        assert self._process is not None
        if said:
            self._process.kill()
        status = self._process.wait()
        self._threads[1].join(_END_S)
        self._end(ModelUnusable(ModelFault.DIED, said or self._last_words(status)))

    def _listen(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            for line in pipe:
                if text := line.decode("utf-8", "replace").strip():
                    self._words.append(text)

    def _last_words(self, status: int) -> str:
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{self._words[-1][:_LAST_WORDS]} ({how})" if self._words else how


def in_time(process: ModelProcess, do: str, seconds: float, **facts: object) -> Answer:
    """What it answers; one that takes longer is ended. Raises ModelUnusable."""
    try:
        return process.ask(do, seconds=seconds, **facts)
    except TimeoutError as error:
        process.close()
        raise ModelUnusable(ModelFault.DIED, str(error)) from error


def clean(text: str) -> str:
    """Without halves of characters, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return {**kept, **_ENVIRONMENT, "PYTHONPATH": path}
