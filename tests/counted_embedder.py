"""A model in a few lines: its vectors follow from the text's words alone, and it counts the texts that it encodes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from core.protocols import Unit, Vectors


class CountedEmbedder:
    """Texts that share pairs of letters are near, the same in every process. `encoded`: the texts of documents so far;
    `takes` is done with each batch of them, say, to let a clock run on, to cancel or to import something meanwhile."""

    device = "cpu"
    query_ms = 1.0

    def __init__(
        self, name: str = "counted", dimension: int = 32, unit: Unit = Unit.CHUNK, *, version: int = 1
    ) -> None:
        self.name, self.dimension, self.unit = name, dimension, unit
        self.fingerprint = f"{name}-{version}:{dimension}"
        self.encoded: list[str] = []
        self.takes: Callable[[], None] = lambda: None
        self.loads = 0
        self.closed = False

    def load(self) -> None:
        self.loads += 1

    def close(self) -> None:
        self.closed = True

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:
        assert len(token_lists) == len(texts)
        self.takes()
        self.encoded.extend(texts)
        return np.stack([self.vector(text) for text in texts])

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:
        return self.vector(text)

    def vector(self, text: str) -> Vectors:
        """Unit norm; each two neighbouring letters point somewhere."""
        sum_: Vectors = np.zeros(self.dimension, dtype=np.float32)
        for at in range(max(1, len(text) - 1)):
            sum_ += _direction(f"{self.fingerprint}{text[at : at + 2]}", self.dimension)
        unit: Vectors = sum_ / np.linalg.norm(sum_)
        return unit


@cache
def _direction(of: str, dimension: int) -> Vectors:
    seed = hashlib.blake2b(of.encode(), digest_size=8).digest()
    direction: Vectors = np.random.default_rng(int.from_bytes(seed, "big")).normal(size=dimension).astype(np.float32)
    return direction


class SlowEmbedder(CountedEmbedder):
    """Takes a while over each text: for processes that are killed meanwhile."""

    def __init__(self, pause_s: float) -> None:
        super().__init__("slow", 32)
        self._pause_s = pause_s

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:
        time.sleep(self._pause_s * len(texts))
        return super().encode_documents(token_lists, texts)
