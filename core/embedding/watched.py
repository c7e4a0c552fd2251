"""Watched: an embedder whose failing for good is told once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.embedding.model_fault import ModelUnusable
from core.protocols import Embedder, Vectors


class Watched:
    """An embedder whose failing for good (its process died) is told once, to `on_fault`."""

    def __init__(self, model: Embedder, on_fault: Callable[[ModelUnusable], None]) -> None:
        self.name, self.dimension = model.name, model.dimension
        self.fingerprint, self.unit = model.fingerprint, model.unit
        self._model = model
        self._on_fault = on_fault

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:
        """As the model does. Raises ModelUnusable."""
        return self._asked(self._model.encode_documents, token_lists, texts)

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:
        """As the model does. Raises ModelUnusable."""
        return self._asked(self._model.encode_query, tokens, weights, text)

    def _asked(self, encode: Callable[..., Vectors], *values: object) -> Vectors:
        try:
            return encode(*values)
        except ModelUnusable as error:
            self._on_fault(error)
            raise
