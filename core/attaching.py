"""ModelVectors: the vectors of the model in use: found in the store or made, and attached to the index.

The store (by hash of text, for every model there ever was) is what lasts. A row file (core.index.row_file) spares the
next start reading all of it and is made again from it.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.model_fault import ModelUnusable
from core.embedding.shipped import load_shipped
from core.embedding_status import ModelFault
from core.index.attached import Attached
from core.index.codes import CODES_FROM_BYTES
from core.index.model_rows import ModelRows
from core.index.row_file import (
    RowFileUnusable,
    hashes_from,
    is_damaged,
    newest,
    read_row_file,
    sweep,
    write_row_file,
)
from core.job import Job
from core.passages import KnownTexts, Passages
from core.protocols import Embedder, Unit, Vectors
from core.report import Check
from core.store.vector_store import VectorStore
from core.texts import message

if TYPE_CHECKING:
    from core.indexing import IndexKeeper
    from core.store.articles import Articles
    from core.store.database import Database

# One text more in a step while steps take less than this: cancelling waits no longer.
_STEP_S = 0.25
_MOST_IN_A_STEP = 32
_SHOWN_EVERY_S = 5.0
# A new row file is due after so many rows, and this share of all: while rows are still being made, and after that.
_REWRITE_MINIMUM = 500
_SHARE_MEANWHILE = 0.50
_SHARE = 0.10
_READ_AT_ONCE = 5000
# Openings that nobody ever read are read at the next embedding, which can be cancelled, but for so many.
_READ_AT_FIRST = 2000

log = logging.getLogger(__name__)


@dataclass
class _Held:
    """One model's: changed by one thread at a time, while `_making` is held; `texts` and `attached` belong together."""

    model: Embedder
    passages: Passages
    rows: ModelRows
    shown: tuple[KnownTexts, Attached] | None = None


class ModelVectors:
    """Over one open data folder. All methods may be called from any thread; they raise sqlite3.Error."""

    def __init__(
        self,
        database: Database,
        articles: Articles,
        keeper: IndexKeeper,
        *,
        now: Callable[[], float] = time.monotonic,
        codes_from: int = CODES_FROM_BYTES,
        store: VectorStore | None = None,
    ) -> None:
        """`codes_from`: more bytes of vectors than these get codes (core.index.codes). `store`: None: the data folder's
        own."""
        self._articles = articles
        self._keeper = keeper
        self._now = now
        self._codes_from = codes_from
        self._store = store or VectorStore(database.path.with_name("vectors.sqlite3"))
        self._folder = database.path.with_name("vectors")
        self._passages = {unit: Passages(database, articles, self._store, unit) for unit in Unit}
        self._making = threading.RLock()
        self._swapping = threading.RLock()
        self._held: _Held | None = None

    def set_model(self, model: Embedder | None) -> None:
        """Whose vectors stand beside the hashed ones from now on: those that were made before are there at once."""
        if model is None:
            with self._swapping:
                self._held = None
                self._keeper.attach(None)
            return
        self._take_shipped(model)
        held = _Held(model, self._passages[model.unit], self._opened(model))
        known = held.passages.known(most=_READ_AT_FIRST)
        self._take_kept(held, known)
        self._write_if_due(held, known, _SHARE)
        with self._swapping:
            self._held = held
            self._show(held, known)

    def coverage(self) -> tuple[int, int]:
        """How many texts (articles or chunks, as the model's unit says) have a vector, of how many there are now. What
        was imported since the last embedding has none. Milliseconds."""
        held = self._held
        if held is None or held.shown is None:
            return 0, 0
        known, attached = held.shown
        gone, came = held.passages.moved_since(known)
        return attached.done - attached.has(gone), len(known.hashes) - len(gone) + came

    def is_serving(self) -> bool:
        """Whether nine of ten texts of the index as it is now have a vector. Microseconds; opens nothing."""
        held = self._held
        return held is not None and self._keeper.first_embedder() == held.model.name

    def embed_missing(self, job: Job | None = None, seconds: float | None = None) -> bool:
        """Make the vectors that are missing, each kept as soon as it is made; whether all are there. `seconds`: stop
        after so long. Raises Cancelled, ModelUnusable."""
        until = None if seconds is None else self._now() + seconds
        with self._making:
            held = self._held
            if held is None:
                return False
            seen: KnownTexts | None = None
            while (known := held.passages.known(job)) is not seen:  # more may have been imported meanwhile
                seen = known
                self._take_kept(held, known)
                try:
                    if not self._make(held, known, job, until):
                        return False
                    self._write_if_due(held, known, _SHARE)
                finally:
                    self._show(held, known)
            return True

    def check(self, language: str) -> Check:
        """Whether the file of vectors can be read, those of the model in use are whole, and how many texts have none;
        what is damaged is dropped, for the next embedding to make anew. Reads all of it."""
        try:
            if fault := self._store.fault():
                self._store.begin_anew()
                self.set_model(None if self._held is None else self._held.model)
                return Check("vectors", "repaired", message("vectors_begun_anew", language, fault=fault))
        except (OSError, sqlite3.Error) as error:  # it cannot be opened, or is locked: that is no damage
            advice = message("advice_vectors", language)
            return Check("vectors", "failed", message("vectors_damaged", language, fault=error), advice)
        return self._check_model(language)

    def _check_model(self, language: str) -> Check:
        held = self._held
        if held is None:
            return Check("vectors", "ok", message("vectors_of_none", language))
        model = held.model
        bad = [one for one, data in self._store.each(model.fingerprint) if not _is_whole(data, model.dimension)]
        self._store.drop(model.fingerprint, bad)
        file = held.rows.file
        is_bad_file = file is not None and (not file.path.exists() or is_damaged(file.path))
        if bad or is_bad_file:
            try:
                if file is not None and is_bad_file:
                    file.path.unlink(missing_ok=True)
            except OSError as error:  # Windows: it is mapped, here or elsewhere
                advice = message("advice_vectors", language)
                return Check("vectors", "failed", message("vectors_damaged", language, fault=error), advice)
            self.set_model(model)
        done, total = self.coverage()
        facts = {"model": model.name, "total": total, "left": total - done, "bad": len(bad) + is_bad_file}
        if bad or is_bad_file:
            return Check("vectors", "repaired", message("vectors_repaired", language, **facts))
        return Check("vectors", "ok", message("vectors_sound", language, **facts))

    def close(self) -> None:
        """Release what is mapped."""
        self._held = None

    # ------------------------------------------------------------------ inside
    def _make(self, held: _Held, known: KnownTexts, job: Job | None, until: float | None) -> bool:
        model, units, texts = held.model, list(known.hashes), list(known.hashes.values())
        rows = held.rows.rows_of(texts)
        missing = {texts[place]: units[place] for place in np.flatnonzero(rows < 0).tolist()}
        wanted = list(missing)
        total, shown_at = len(set(texts)), self._now()
        done, size = 0, 1
        while done < len(wanted):
            if job is not None:
                job.checkpoint()
                job.report(total - len(wanted) + done, total, model.name)
            started = self._now()
            if self._held is not held or (until is not None and started >= until):
                return False
            step = wanted[done : done + size]
            self._encode(held, {one: missing[one] for one in step})
            done += len(step)
            ended = self._now()
            size = min(_MOST_IN_A_STEP, size * 2) if ended - started < _STEP_S else max(1, size // 2)
            if ended - shown_at >= _SHOWN_EVERY_S:
                self._write_if_due(held, known, _SHARE_MEANWHILE)
                self._show(held, known)
                shown_at = ended
        return True

    def _encode(self, held: _Held, step: dict[str, int]) -> None:
        """Make and keep the vectors of these texts, unless another process has done so meanwhile; or theirs are gone:
        hash → one unit that has the text."""
        model = held.model
        kept = self._kept(model, list(step))
        texts = held.passages.texts([unit for one, unit in step.items() if one not in kept])
        new = [one for one, unit in step.items() if unit in texts]
        if new:
            vectors = model.encode_documents([()] * len(new), [texts[step[one]] for one in new])
            vectors = np.ascontiguousarray(vectors, dtype=np.float32)
            if vectors.shape != (len(new), model.dimension) or not np.isfinite(vectors).all():
                detail = f"{model.name} made vectors of another shape, or of what is no number"
                raise ModelUnusable(ModelFault.ERROR, detail)
            made = dict(zip(new, vectors, strict=True))
            self._store.keep(model.fingerprint, {one: vector.tobytes() for one, vector in made.items()})
            kept.update(made)
        self._add(held, kept)

    def _take_kept(self, held: _Held, known: KnownTexts) -> None:
        """Rows for all texts whose vectors are in the store."""
        texts = list(known.hashes.values())
        unknown = [texts[place] for place in np.flatnonzero(held.rows.rows_of(texts) < 0).tolist()]
        for at in range(0, len(unknown), _READ_AT_ONCE):
            self._add(held, self._kept(held.model, unknown[at : at + _READ_AT_ONCE]))

    def _kept(self, model: Embedder, hashes: Sequence[str]) -> dict[str, Vectors]:
        """From the store; a vector of another length, or not of numbers, is none."""
        found = self._store.found(model.fingerprint, hashes)
        whole = {one: data for one, data in found.items() if _is_whole(data, model.dimension)}
        return {one: np.frombuffer(data, dtype=np.float32) for one, data in whole.items()}

    def _add(self, held: _Held, vectors: dict[str, Vectors]) -> None:
        if vectors:
            held.rows.add(list(vectors), np.stack(list(vectors.values())))

    def _show(self, held: _Held, known: KnownTexts) -> None:
        """Let lookups ask what there is, unless another model was set meanwhile."""
        rows = held.rows.rows_of(list(known.hashes.values()))
        ids = np.fromiter(known.hashes, dtype=np.int64, count=len(known.hashes))
        attached = Attached(held.model, ids[rows >= 0], rows[rows >= 0], held.rows.now())
        with self._swapping:
            if self._held is held:
                held.shown = known, attached
                self._keeper.attach(attached)

    def _opened(self, model: Embedder) -> ModelRows:
        path = newest(self._folder, model.fingerprint)
        if path is not None:
            try:
                return ModelRows(model.dimension, read_row_file(path, model.fingerprint, model.dimension))
            except (RowFileUnusable, OSError) as error:
                log.warning("the vectors in %s are not usable and are read from the store: %s", path.name, error)
        return ModelRows(model.dimension)

    def _write_if_due(self, held: _Held, known: KnownTexts, share: float) -> None:
        """Write the rows that are in use as a new file, where much is not in one yet, and go on with it. A failure
        costs the next start time and nothing else."""
        old, model = held.rows, held.model
        if old.newer <= max(_REWRITE_MINIMUM, share * len(old)):
            return
        texts = list(dict.fromkeys(known.hashes.values()))
        rows = old.rows_of(texts)
        texts, rows = [text for text, row in zip(texts, rows.tolist(), strict=True) if row >= 0], rows[rows >= 0]
        now = old.now()
        try:
            path = write_row_file(
                self._folder,
                model.fingerprint,
                hashes_from(texts),
                lambda places: now.at(rows[places]),
                dimension=model.dimension,
                codes_from=self._codes_from,
            )
            held.rows = ModelRows(model.dimension, read_row_file(path, model.fingerprint, model.dimension))
        except (OSError, RowFileUnusable):
            log.exception("the vectors of %s could not be written", model.name)
            return
        sweep(self._folder, model.fingerprint, path)

    def _take_shipped(self, model: Embedder) -> None:
        try:
            fingerprint, vectors = load_shipped()
        except (OSError, ValueError, KeyError):
            log.exception("the shipped vectors cannot be read")
            return
        if fingerprint == model.fingerprint:
            missing = vectors.keys() - self._store.found(fingerprint, vectors.keys()).keys()
            self._store.keep(fingerprint, {one: vectors[one].tobytes() for one in missing})


def _is_whole(data: bytes, dimension: int) -> bool:
    return len(data) == 4 * dimension and bool(np.isfinite(np.frombuffer(data, dtype=np.float32)).all())
