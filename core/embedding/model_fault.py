"""ModelUnusable: why a model cannot be used, raised by what checks, loads or asks it."""

from __future__ import annotations

from core.embedding_status import ModelFault, ModelStage


class ModelUnusable(Exception):
    """`fault`: which sentence the front end says; `detail`: the facts in it."""

    def __init__(self, fault: ModelFault, detail: str = "") -> None:
        super().__init__(f"{fault}: {detail}" if detail else str(fault))
        self.fault = fault
        self.detail = detail

    @property
    def stage(self) -> ModelStage:
        """MISSING where the model, or what runs it, is not there; else FAILED."""
        is_missing = self.fault in (ModelFault.NOT_INSTALLED, ModelFault.NO_FOLDER)
        return ModelStage.MISSING if is_missing else ModelStage.FAILED


def unusable(error: BaseException) -> ModelUnusable:
    """Any failure as a ModelUnusable."""
    if isinstance(error, ModelUnusable):
        return error
    if isinstance(error, MemoryError):
        return ModelUnusable(ModelFault.MEMORY)
    return ModelUnusable(ModelFault.ERROR, f"{type(error).__name__}: {error}")
