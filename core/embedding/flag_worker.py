"""FlagWorker: a model in a process of its own, run by FlagEmbedding's classes; asked over standard input and output.

Started by `core.embedding.model_process` and imported by nothing: importing torch holds the interpreter for ten
seconds and more. It reaches no network, and ends with the process that started it.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from core.embedding.model_fault import ModelUnusable, unusable
from core.embedding.model_folder import Facts, Kind, facts_of
from core.embedding.model_wire import get, put
from core.embedding_status import ModelFault

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float32]

_LONGEST = 512  # tokens; a chunk has at most so many
_MOST_THREADS = 8
_NICE = 5
_FIRST, _LATER = 0, 1
_LONGEST_DETAIL = 200
_OF_NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.sendto", "socket.bind")
_NO_MEMORY = ("out of memory", "not enough memory", "can't allocate memory", "bad alloc", "defaultcpuallocator")
_DAMAGED = ("pytorchstreamreader", "size mismatch", "safetensorerror", "invalid load key", "metadataincomplete")


class RunFailed(Exception):
    """The model failed on a batch. No RuntimeError: on those FlagEmbedding tries ever smaller batches, for ever."""


class Runner:
    """One model of a folder. `device`: cpu, or the first GPU."""

    def __init__(self, folder: Path) -> None:
        """Raises ModelUnusable."""
        self.facts: Facts = facts_of(folder)
        self.device = _device()
        try:
            self._flag = _loaded(folder, self.facts, self.device)
        except Exception as error:
            raise fault_of(error) from error
        self._flag.model = _Once(self._flag.model)

    def passages(self, texts: Sequence[str]) -> Numbers:
        """One unit vector a text, float32. Raises ModelUnusable."""
        return self._vectors(self._flag.encode_corpus, texts)

    def query(self, texts: Sequence[str]) -> Numbers:
        """The same for questions."""
        return self._vectors(self._flag.encode_queries, texts)

    def scores(self, query: str, texts: Sequence[str]) -> Numbers:
        """How well each text answers `query`, float32; higher is better. Raises ModelUnusable."""
        import numpy as np

        def score(part: Sequence[str]) -> Any:
            return self._flag.compute_score([(query, text) for text in part], batch_size=len(part) + 1)

        return np.asarray(in_parts(score, texts), dtype=np.float32)

    def _vectors(self, encode: Callable[..., Any], texts: Sequence[str]) -> Numbers:
        import numpy as np

        def some(part: Sequence[str]) -> Any:
            # One more than there are: FlagEmbedding shows a progress bar where a batch is full.
            made = encode(list(part), batch_size=len(part) + 1, max_length=_LONGEST)
            return made["dense_vecs"] if isinstance(made, dict) else made

        vectors = np.asarray(in_parts(some, texts), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, np.float32(1))  # sixteen bits leave it a little off
        return vectors


class _Once:
    """FlagEmbedding runs the first batch twice, to find out whether it fits; here the second run is the first's."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._last: tuple[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __call__(self, *values: Any, **named: Any) -> Any:
        import torch

        read = named["input_ids"] if "input_ids" in named else values[0]["input_ids"]
        last, self._last = self._last, None
        if last is not None and torch.equal(last[0], read):
            return last[1]
        try:
            made = self._model(*values, **named)
        except RuntimeError as error:
            raise RunFailed(str(error)) from error
        self._last = read, made
        return made


class Jobs:
    """What was asked and is not done yet: questions before documents, each in their order."""

    def __init__(self) -> None:
        self._queue: queue.PriorityQueue[tuple[int, int, dict[str, Any]]] = queue.PriorityQueue()
        self._dropped: set[int] = set()

    def add(self, head: dict[str, Any]) -> None:
        """One message of the parent's; `drop` takes back the one of its number."""
        if head["do"] == "drop":
            self._dropped.add(head["id"])
            return
        self._queue.put((_LATER if head["do"] == "passages" else _FIRST, head["id"], head))

    def next(self) -> dict[str, Any]:
        """What is to be done now. Waits for it."""
        while True:
            _, number, head = self._queue.get()
            if number not in self._dropped:
                return head
            self._dropped.discard(number)


def main() -> None:
    """Answer until standard input ends."""
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a package prints is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the whole group's; the parent ends this one
    if hasattr(os, "nice"):
        os.nice(_NICE)
    sys.addaudithook(forbid_network)
    jobs = Jobs()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    runner: Runner | None = None
    while True:
        head = jobs.next()
        try:
            if head["do"] == "load":
                runner = Runner(Path(head["folder"]))
                put(wire, {"id": head["id"], "device": runner.device, "dimension": runner.facts.dimension})
                continue
            if runner is None:
                raise ModelUnusable(ModelFault.ERROR, "nothing is loaded")
            made = _answer(runner, head)
        except Exception as error:
            fault = unusable(error)
            put(wire, {"id": head["id"], "fault": fault.fault.value, "detail": fault.detail})
        else:
            put(wire, {"id": head["id"], "shape": list(made.shape)}, made.tobytes())


def _answer(runner: Runner, head: dict[str, Any]) -> Numbers:
    if head["do"] == "scores":
        return runner.scores(head["query"], head["texts"])
    return runner.query(head["texts"]) if head["do"] == "query" else runner.passages(head["texts"])


def _listen(file: BinaryIO, jobs: Jobs) -> None:
    try:
        while (message := get(file)) is not None:
            jobs.add(message[0])
    finally:
        os._exit(0)  # whoever asked is gone


def forbid_network(event: str, _: object) -> None:
    """An audit hook, which nothing in the process can take away. Raises PermissionError."""
    if event.startswith(_OF_NETWORK):
        raise PermissionError(f"no network: {event}")


def _device() -> str:
    if importlib.util.find_spec("FlagEmbedding") is None:  # before ten seconds of torch
        raise ModelUnusable(ModelFault.NOT_INSTALLED, "FlagEmbedding")
    try:
        import torch
    except ImportError as error:
        raise ModelUnusable(ModelFault.NOT_INSTALLED, str(error)) from error
    torch.set_num_threads(min(_MOST_THREADS, _cores()))
    return "cuda:0" if torch.cuda.is_available() else "cpu"


def _cores() -> int:
    own = getattr(os, "sched_getaffinity", None)
    return len(own(0)) if own is not None else os.cpu_count() or 1


def _loaded(folder: Path, facts: Facts, device: str) -> Any:
    """One of FlagEmbedding's own classes, from local files, on one device; half precision on a GPU only."""
    from FlagEmbedding import BGEM3FlagModel, FlagModel, FlagReranker

    common = {"use_fp16": device != "cpu", "devices": device}
    if facts.kind is Kind.RERANKER:
        return FlagReranker(str(folder), max_length=_LONGEST, **common)
    if facts.kind is Kind.M3:
        return BGEM3FlagModel(str(folder), **common)
    return FlagModel(
        str(folder),
        pooling_method=facts.pooling,
        query_instruction_for_retrieval=facts.before_query or None,
        query_instruction_format="{}{}",
        passage_instruction_for_retrieval=facts.before_passage or None,
        passage_instruction_format="{}{}",
        **common,
    )


def in_parts(run: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> list[Any]:
    """What `run` makes of the texts, in halves where memory does not do for all. Raises ModelUnusable."""
    try:
        return list(run(texts))
    except Exception as error:
        fault = fault_of(error)
        if fault.fault is not ModelFault.MEMORY or len(texts) < 2:
            raise fault from error
    half = len(texts) // 2
    return in_parts(run, texts[:half]) + in_parts(run, texts[half:])


def fault_of(error: Exception) -> ModelUnusable:
    """What torch, transformers and safetensors mean by what they raise."""
    if isinstance(error, PermissionError):
        return ModelUnusable(ModelFault.NO_RIGHT, str(error.filename or error))
    if isinstance(error, ImportError):
        return ModelUnusable(ModelFault.NOT_INSTALLED, str(error))
    said = f"{type(error).__name__}: {error}".lower()
    if any(words in said for words in _NO_MEMORY):
        return ModelUnusable(ModelFault.MEMORY)
    if isinstance(error, pickle.UnpicklingError | EOFError) or any(words in said for words in _DAMAGED):
        return ModelUnusable(ModelFault.WEIGHTS, str(error).partition("\n")[0][:_LONGEST_DETAIL])
    return unusable(error)


if __name__ == "__main__":
    main()
