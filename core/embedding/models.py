"""Models: which embedder is wanted, which one it is, what became of each, and whose vectors lookups ask now.

The setting `embedder` (the environment's DESKSIDE_EMBEDDER before it) names one, or `auto`: BGE-M3 where it was added,
then the small model, then hashed. One that is missing or fails gives way to the next; hashed vectors are always there.
"""

from __future__ import annotations

import importlib
import logging
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from core.embedding.model_adding import add as add_model
from core.embedding.model_fault import ModelUnusable, unusable
from core.embedding.model_folder import BGE_M3, check
from core.embedding.nano import DIMENSION, NANO, NanoEmbedder, is_installed
from core.embedding.profile import HASHED, is_calibrated
from core.embedding.reranker_slot import LoadableReranker, RerankerSlot, flag_reranker
from core.embedding.watched import Watched
from core.embedding_status import AUTO, EmbeddingStatus, ModelFault, ModelStage, ModelStatus, Why
from core.errors import InvalidSetting
from core.job import Job
from core.protocols import Embedder, Reranker
from core.settings import Settings

VARIABLE = "DESKSIDE_EMBEDDER"
_USABLE = (ModelStage.FOUND, ModelStage.LOADING, ModelStage.READY)

log = logging.getLogger(__name__)


class Loadable(Embedder, Protocol):
    """An embedder that is loaded before it is asked. `device`, `query_ms`: known once it is loaded."""

    def load(self) -> None:
        """Make it ready. Raises ModelUnusable."""

    def close(self) -> None:
        """Release what it holds. Idempotent."""


class Attachable(Protocol):
    """What of the index models need: `core.indexing.IndexKeeper`."""

    def set_model(self, model: Embedder | None) -> None:
        """Whose vectors stand beside the hashed ones from now on."""

    def embed_missing(self, job: Job | None = None, seconds: float | None = None) -> bool:
        """Make the vectors that are missing; whether all are there. Raises Cancelled."""

    def coverage(self) -> tuple[int, int]:
        """How many texts have a vector of the attached model, of how many. Cheap."""

    def is_serving(self) -> bool:
        """Whether enough of them have one for lookups to ask it. Cheap; opens nothing."""


class Models:
    """The models of one open data folder. All methods may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        settings: Callable[[], Settings],
        save: Callable[[Settings], None],
        index: Callable[[], Attachable],
        *,
        given: Embedder | None = None,
        nano: Callable[[], Loadable] = NanoEmbedder,
        nano_is_there: Callable[[], bool] = is_installed,
        reranker: Callable[[Path], LoadableReranker] = flag_reranker,
    ) -> None:
        """`folder`: where added models lie. `index`: asked when a model is loaded, never before. `given`: taken as
        ready and chosen, whatever the setting says. `nano`, `reranker`: make the small model and one that was added;
        tests hand in others."""
        self._folder = folder
        self._settings = settings
        self._save = save
        self._index = index
        self._given = given
        self._nano = nano
        self._nano_is_there = nano_is_there
        self._lock = threading.RLock()
        self._loading = threading.Lock()
        self._told: dict[str, ModelStatus] = {}  # of those that were tried or checked
        self._loaded: Loadable | None = None
        self._making: Loadable | None = None
        self._is_closed = False
        self._reranker = RerankerSlot(reranker, self._reranker_failed)
        self._checked: dict[str, tuple[int, ModelStatus]] = {}

    # ------------------------------------------------------------------ asking
    @property
    def wanted(self) -> str:
        """`auto` or a name."""
        return os.environ.get(VARIABLE) or self._settings().word("embedder")

    def serving(self) -> str | None:
        """The model whose vectors lookups ask now; None: hashed. Microseconds."""
        if self._given is not None:
            return self._given.name
        loaded = self._loaded
        if loaded is None or loaded.name != self._chosen() or not self._index().is_serving():
            return None
        return loaded.name

    def reranker(self) -> Reranker | None:
        """The one that orders results now; None where none is there, loaded and quick enough. Microseconds."""
        return self._reranker if self._reranker.in_use else None

    def status(self) -> EmbeddingStatus:
        """Who serves and why, and what became of each model. Loads nothing."""
        if self._given is not None:
            name = self._given.name
            ready = ModelStatus(name, ModelStage.READY, dimension=self._given.dimension)
            return EmbeddingStatus(name, name, name, Why.CHOSEN, (ready,))
        wanted, chosen, serving = self.wanted, self._chosen(), self.serving() or HASHED
        done, total = 0, 0
        if self._loaded is not None and self._loaded.name == chosen:
            done, total = self._index().coverage()
        why = self._why(wanted, chosen, serving)
        orders = self._reranker.name if self._reranker.in_use else None
        measured = self._reranker.pairs_ms
        return EmbeddingStatus(wanted, chosen, serving, why, self._models(), done, total, orders, measured)

    # ---------------------------------------------------------------- changing
    def load(self, *, reranker: bool = True) -> None:
        """Load the chosen model and let its vectors stand beside the hashed ones; one that cannot be used gives way to
        the next. Then the reranker, if there is one and it is wanted here. Blocks; nothing is raised: `status` says
        what became of them. Does nothing where they are loaded."""
        if self._given is not None:
            return
        with self._loading:
            self._load_chosen()
            if reranker and not self._is_closed:
                self._load_reranker()

    def choose(self, name: str) -> None:
        """Write the setting; `load` makes it so. What failed is tried anew. Raises InvalidSetting for a name that
        nothing has, or a reranker, OSError."""
        known = (AUTO, HASHED, *(one for one in self._names() if not self._model(one).is_reranker))
        if name not in known:
            raise InvalidSetting(name="embedder", value=name, detail=f"one of {', '.join(known)}")
        with self._lock:
            self._told = {one: told for one, told in self._told.items() if told.stage in _USABLE}
        self._save(self._settings().changed(embedder=name))

    def add(self, path: Path, job: Job | None = None) -> ModelStatus:
        """Take a model's folder or archive into the data folder. A fault in it is in what is returned. Raises
        Cancelled, OSError."""
        try:
            status = add_model(path, self._folder, job or Job())
        except ModelUnusable as error:
            return ModelStatus(path.name, error.stage, error.fault, error.detail)
        with self._loading:
            self._release(status.name)
        return status

    def remove(self, name: str) -> None:
        """Delete an added model; its vectors are kept. An unknown name is ignored. Raises OSError."""
        if name not in self._added():
            return
        with self._loading:
            self._release(name)
            shutil.rmtree(self._folder / name)

    def embed(self, job: Job | None = None, seconds: float | None = None) -> bool:
        """Bring the vectors of the loaded model up to date; whether all are there now (True where no model is wanted).
        `seconds`: stop after so long. What is made is kept. Raises Cancelled."""
        if self._given is not None or self._chosen() == HASHED:
            return True
        if self._loaded is None:
            return False
        try:
            return self._index().embed_missing(job, seconds)
        except ModelUnusable:
            return False  # the status says what became of it

    def close(self) -> None:
        """End the loaded models, and one that is being loaded; none is loaded any more. Idempotent."""
        self._is_closed = True
        self._reranker.close()
        with self._lock:
            ending, self._loaded = (self._making, self._loaded), None
        for model in ending:
            if model is not None:
                model.close()

    # ------------------------------------------------------------------ inside
    def _names(self) -> tuple[str, ...]:
        """All that may be named beside auto and hashed: the best first."""
        return tuple(dict.fromkeys((BGE_M3, NANO, *self._added())))

    def _added(self) -> tuple[str, ...]:
        try:
            return tuple(sorted(one.name for one in self._folder.iterdir() if one.is_dir() and one.name[0] != "."))
        except OSError:
            return ()

    def _chosen(self) -> str:
        wanted = self.wanted
        order = (BGE_M3, NANO) if wanted == AUTO else () if wanted == HASHED else (wanted, BGE_M3, NANO)
        models = map(self._model, order)
        return next((one.name for one in models if one.stage in _USABLE and not one.is_reranker), HASHED)

    def _model(self, name: str) -> ModelStatus:
        told = self._told.get(name)
        if told is not None:
            return told
        if name == NANO:
            if self._nano_is_there():
                return ModelStatus(NANO, ModelStage.FOUND, dimension=DIMENSION, device="cpu")
            return ModelStatus(NANO, ModelStage.MISSING, ModelFault.NOT_INSTALLED, dimension=DIMENSION)
        if name not in self._added():
            return ModelStatus(name, ModelStage.MISSING, ModelFault.NO_FOLDER)
        return self._of_folder(self._folder / name)

    def _of_folder(self, path: Path) -> ModelStatus:
        """What the folder's files say; looked at again once the folder changed."""
        stamp = path.stat().st_mtime_ns if path.exists() else 0
        known = self._checked.get(path.name)
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            status = replace(check(path), name=path.name, is_added=True)
        except Exception as error:
            fault = unusable(error)
            status = ModelStatus(path.name, ModelStage.FAILED, fault.fault, fault.detail, is_added=True)
        self._checked[path.name] = stamp, status
        return status

    def _models(self) -> tuple[ModelStatus, ...]:
        hashed = ModelStatus(HASHED, ModelStage.READY, device="cpu")
        return (*(self._measured(self._model(name)) for name in self._names()), hashed)

    def _measured(self, model: ModelStatus) -> ModelStatus:
        """With what is not known from its files."""
        loaded = self._loaded
        rate = getattr(loaded, "passages_per_s", None) if loaded is not None and loaded.name == model.name else None
        return replace(model, passages_per_s=rate, is_calibrated=is_calibrated(model.name))

    def _why(self, wanted: str, chosen: str, serving: str) -> Why:
        if wanted not in (AUTO, HASHED) and chosen != wanted:
            return Why.MISSING if self._model(wanted).stage is ModelStage.MISSING else Why.FAILED
        if chosen != serving:
            is_ready = self._loaded is not None and self._loaded.name == chosen
            return Why.EMBEDDING if is_ready else Why.LOADING
        if wanted != AUTO:
            return Why.CHOSEN
        better = [self._model(name) for name in (BGE_M3, NANO)]
        if chosen in (one.name for one in better):
            better = better[: [one.name for one in better].index(chosen)]
        if any(one.stage is ModelStage.FAILED for one in better):
            return Why.FAILED
        return Why.NO_MODEL if chosen == HASHED else Why.BEST

    def _load_chosen(self) -> None:
        while not self._is_closed and (name := self._chosen()) != HASHED:
            if (self._loaded is not None and self._loaded.name == name) or self._load(name):
                return
        if not self._is_closed:
            self._attach(None)

    def _load_reranker(self) -> None:
        """The first by name that can be used."""
        for found in (self._model(name) for name in self._added()):
            if not found.is_reranker or found.stage not in _USABLE:
                continue
            self._tell(replace(found, stage=ModelStage.LOADING))
            try:
                self._reranker.load(self._folder / found.name)
            except Exception as error:
                fault = unusable(error)
                self._tell(replace(found, stage=fault.stage, fault=fault.fault, detail=fault.detail))
                continue
            stage = ModelStage.READY if self._reranker.in_use else ModelStage.FOUND
            self._tell(replace(found, stage=stage, device=self._reranker.device))
            return

    def _reranker_failed(self, name: str, fault: ModelUnusable) -> None:
        log.warning("the reranker %s failed: %s", name, fault)
        found = self._model(name)
        self._tell(replace(found, stage=ModelStage.FAILED, fault=fault.fault, detail=fault.detail))

    def _release(self, name: str) -> None:
        """Ask the model of that name no more; what became of it is forgotten."""
        if self._reranker.name == name:
            self._reranker.close()
        if self._loaded is not None and self._loaded.name == name:
            self._attach(None)
        self._tell(None, name)

    def _load(self, name: str) -> bool:
        found = self._model(name)
        self._tell(replace(found, stage=ModelStage.LOADING))
        model: Loadable | None = None
        try:
            model = self._making = self._made(name)
            model.load()
            self._attach(model)
        except Exception as error:
            self._loaded = None
            if not isinstance(error, ModelUnusable):
                log.exception("a model could not be loaded")
            if model is not None:
                model.close()
            fault = unusable(error)
            self._tell(replace(found, stage=fault.stage, fault=fault.fault, detail=fault.detail))
            return False
        finally:
            self._making = None
        facts: dict[str, Any] = {"dimension": model.dimension}
        facts["device"], facts["query_ms"] = getattr(model, "device", None), getattr(model, "query_ms", None)
        self._tell(replace(found, stage=ModelStage.READY, fault=None, detail="", **facts))
        return True

    def _made(self, name: str) -> Loadable:
        if name == NANO:
            return self._nano()
        made: Loadable = _part("flag").FlagEmbedder(self._folder / name)
        return made

    def _attach(self, model: Loadable | None) -> None:
        with self._lock:
            before, self._loaded = self._loaded, model
        if model is not None:
            self._index().set_model(Watched(model, lambda fault: self._failed(model, fault)))
        elif before is not None:
            self._index().set_model(None)
        if before is not None and before is not model:
            self._tell(None, before.name)
            before.close()

    def _failed(self, model: Loadable, fault: ModelUnusable) -> None:
        """It can be asked no more: hashed vectors serve from the next lookup on, and nothing loads it by itself."""
        with self._lock:
            if self._loaded is not model:
                return
            self._loaded = None
            self._told[model.name] = replace(
                self._model(model.name), stage=ModelStage.FAILED, fault=fault.fault, detail=fault.detail
            )
        log.warning("the model %s failed: %s", model.name, fault)
        self._index().set_model(None)
        model.close()

    def _tell(self, status: ModelStatus | None, name: str = "") -> None:
        with self._lock:
            if status is None:
                self._told.pop(name, None)
            else:
                self._told[status.name] = status


def _part(name: str) -> Any:
    """What runs added models, which an installation may lack. Raises ModelUnusable."""
    try:
        return importlib.import_module(f"core.embedding.{name}")
    except ImportError as error:
        raise ModelUnusable(ModelFault.NOT_INSTALLED, str(error)) from error
