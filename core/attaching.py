"""ModelVectors: the vectors of the model in use: found in the store or made, and attached to the index."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.opening import opening_of
from core.embedding.shipped import hash_of, load_shipped
from core.index.attached import Attached
from core.job import Job
from core.protocols import Embedder, Unit
from core.store.vector_store import VectorStore

if TYPE_CHECKING:
    from core.indexing import IndexKeeper
    from core.store.articles import Articles
    from core.store.database import Database

# One text more in a step while steps take less than this: cancelling waits no longer.
_STEP_S = 0.25
_MOST_IN_A_STEP = 32

log = logging.getLogger(__name__)


class ModelVectors:
    """Over one open data folder. All methods may be called from any thread."""

    def __init__(
        self,
        database: Database,
        articles: Articles,
        keeper: IndexKeeper,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._articles = articles
        self._keeper = keeper
        self._now = now
        self._store = VectorStore(database.path.with_name("vectors.sqlite3"))
        self._embedding = threading.Lock()
        self._model: Embedder | None = None
        self._attached: Attached | None = None
        self._total = 0

    def set_model(self, model: Embedder | None) -> None:
        """Whose vectors stand beside the hashed ones from now on: those that were made before are there at once. Raises
        sqlite3.Error."""
        self._model = model
        if model is None:
            self._attached = None
            self._keeper.attach(None)
            return
        self._take_shipped(model)
        self._attach(model, self._texts(model))

    def coverage(self) -> tuple[int, int]:
        """How many texts have a vector, of how many, when it was counted last. Microseconds."""
        attached = self._attached
        return (attached.done if attached is not None else 0), self._total

    def is_serving(self) -> bool:
        """Whether nine of ten texts of the index as it is now have a vector. Microseconds; opens nothing."""
        model = self._model
        return model is not None and self._keeper.first_embedder() == model.name

    def embed_missing(self, job: Job | None = None, seconds: float | None = None) -> bool:
        """Make the vectors that are missing, each kept as soon as it is made; whether all are there. `seconds`: stop
        after so long. Raises Cancelled, ModelUnusable, sqlite3.Error."""
        model = self._model
        if model is None:
            return False
        until = None if seconds is None else self._now() + seconds
        with self._embedding:
            texts = self._texts(model)
            try:
                return self._make(model, texts, job, until)
            finally:
                if self._model is model:
                    self._attach(model, texts)

    # ------------------------------------------------------------------ inside
    def _make(self, model: Embedder, texts: dict[int, str], job: Job | None, until: float | None) -> bool:
        by_hash = {hash_of(text): text for text in texts.values()}
        there = self._store.found(model.fingerprint, list(by_hash))
        missing = [text_hash for text_hash in by_hash if text_hash not in there]
        done, size = 0, 1
        while done < len(missing):
            if job is not None:
                job.checkpoint()
                job.report(len(there) + done, len(by_hash), model.name)
            started = self._now()
            if self._model is not model or (until is not None and started >= until):
                return False
            step = missing[done : done + size]
            vectors = model.encode_documents([()] * len(step), [by_hash[one] for one in step])
            kept = {one: vector.tobytes() for one, vector in zip(step, vectors.astype(np.float32), strict=True)}
            self._store.keep(model.fingerprint, kept)
            done += len(step)
            is_quick = self._now() - started < _STEP_S
            size = min(_MOST_IN_A_STEP, size * 2) if is_quick else max(1, size // 2)
        return True

    def _texts(self, model: Embedder) -> dict[int, str]:
        """Id of the article or chunk → exactly what the model reads of it."""
        if model.unit is Unit.ARTICLE:
            rows = self._database.connection().execute("SELECT id, title, body FROM article")
            return {row["id"]: opening_of(row["title"], row["body"]) for row in rows}
        return {row.id: f"{row.heading}\n{row.text}".strip() for row in self._articles.all_chunks()}

    def _attach(self, model: Embedder, texts: dict[int, str]) -> None:
        hashes = {one: hash_of(text) for one, text in texts.items()}
        found = self._store.found(model.fingerprint, set(hashes.values()))
        ids = [one for one, text_hash in hashes.items() if len(found.get(text_hash, b"")) == 4 * model.dimension]
        rows = np.empty((len(ids), model.dimension), dtype=np.float32)
        for row, one in zip(rows, ids, strict=True):
            row[:] = np.frombuffer(found[hashes[one]], dtype=np.float32)
        self._attached, self._total = Attached(model, ids, rows), len(texts)
        self._keeper.attach(self._attached)

    def _take_shipped(self, model: Embedder) -> None:
        try:
            fingerprint, vectors = load_shipped()
        except (OSError, ValueError, KeyError):
            log.exception("the shipped vectors cannot be read")
            return
        if fingerprint == model.fingerprint:
            self._store.keep(fingerprint, {text_hash: vector.tobytes() for text_hash, vector in vectors.items()})
