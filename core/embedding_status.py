"""EmbeddingStatus: which embedder answers and why, what became of each model, how far the vectors have come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

AUTO = "auto"


class ModelStage(StrEnum):
    """MISSING: it, or what runs it, is not there; FOUND: there, not loaded yet; LOADING; READY: it can encode; FAILED:
    it is there and cannot be used."""

    MISSING = "missing"
    FOUND = "found"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


class ModelFault(StrEnum):
    """Why a model is MISSING or FAILED; the front end has a sentence for each, `ModelStatus.detail` the facts in it."""

    NOT_INSTALLED = "not_installed"  # what runs it is not part of this installation
    NO_FOLDER = "no_folder"  # nobody has added it
    NO_AVX2 = "no_avx2"
    FILES = "files"  # detail: the names that are missing
    HEADS = "heads"  # detail: the names that are missing
    DIMENSION = "dimension"  # detail: "found/expected"
    WEIGHTS = "weights"  # cut off or damaged
    NO_RIGHT = "no_right"  # it may not be read; detail: the path
    PROBE = "probe"  # the probe sentence gave no unit vector
    NOT_A_MODEL = "not_a_model"  # no model this program can run
    MEMORY = "memory"
    DIED = "died"  # its process ended; detail: its last words
    ERROR = "error"  # anything else; detail: the exception


class Why(StrEnum):
    """Why `EmbeddingStatus.serving` serves."""

    BEST = "best"  # the best there is, by itself
    CHOSEN = "chosen"  # the setting names it
    NO_MODEL = "no_model"  # hashed: no model is there
    LOADING = "loading"  # hashed, until the wanted model is ready
    FAILED = "failed"  # hashed, or a lesser model: the wanted one cannot be used
    EMBEDDING = "embedding"  # hashed, until the texts have vectors of the wanted model
    MISSING = "missing"  # hashed, or a lesser model: the one the setting names is not there


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model. `query_ms`: what one query takes, as measured when it was loaded; `passages_per_s` likewise, of the
    last batch; `device`: cpu, cuda:0, mps … None: not known yet. `is_reranker`: it orders and embeds nothing.
    `is_calibrated`: its profile's thresholds were measured; else they are the first seed's."""

    name: str
    stage: ModelStage
    fault: ModelFault | None = None
    detail: str = ""
    dimension: int | None = None
    device: str | None = None
    query_ms: float | None = None
    passages_per_s: float | None = None
    is_added: bool = False  # it lies in the data folder, and can be removed
    is_reranker: bool = False
    is_calibrated: bool = True


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """`wanted`: the setting (auto or a name); `chosen`: whom it means now, and vectors are made for; `serving`:
    whose vectors lookups ask now. `done` of `total` texts have a vector of `chosen`. `reranker`: the name of the one
    that orders results now, None: none; `reranker_ms`: what 30 pairs took when it was measured, None: none was.
    Measured and not in use is too slow (more than 800 ms)."""

    wanted: str
    chosen: str
    serving: str
    why: Why
    models: tuple[ModelStatus, ...] = ()
    done: int = 0
    total: int = 0
    reranker: str | None = None
    reranker_ms: float | None = None

    def model(self, name: str) -> ModelStatus | None:
        """The model of that name; None where none is known."""
        return next((one for one in self.models if one.name == name), None)
