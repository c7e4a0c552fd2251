"""Passages: the text that a model reads of an article or a chunk, and the hash that its vector is kept by."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from core.embedding.opening import opening_of


@dataclass(frozen=True, slots=True)
class Passage:
    """`unit_id`: of the article or the chunk. `text`: exactly what is encoded."""

    unit_id: int
    text: str

    @property
    def text_hash(self) -> bytes:
        """SHA-256 of the text; the same for every embedder."""
        return text_hash(self.text)


def passage_of_article(title: str, body: str) -> str:
    """What stands for an article as a whole (`Unit.ARTICLE`)."""
    return opening_of(title, body)


def passage_of_chunk(heading: str, text: str) -> str:
    """What stands for a chunk (`Unit.CHUNK`): its heading path, line break, its text."""
    return f"{heading}\n{text}" if heading else text


def text_hash(text: str) -> bytes:
    """SHA-256 of a text, 32 bytes: what `VectorStore` knows it by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
