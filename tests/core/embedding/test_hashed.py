"""Hashed vectors: unit length, the same in every process, signs that do not follow from the bucket."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.hashed import HashedEmbedder
from core.terms import term_ids

tokens = st.lists(st.text(max_size=6), max_size=20)


@settings(max_examples=100, deadline=None)
@given(st.lists(tokens, max_size=5), st.integers(16, 300))
def test_rows_have_unit_length_or_are_zero(token_lists, dimension):
    vectors = HashedEmbedder(dimension).encode_documents(token_lists, [""] * len(token_lists))
    assert vectors.shape == (len(token_lists), dimension)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    # words may cancel each other wholly, in a small dimension
    assert all(abs(length - 1) < 1e-5 or length == 0 for length in lengths)
    assert all(length == 0 for length, words in zip(lengths, token_lists, strict=True) if not words)


@settings(max_examples=50, deadline=None)
@given(st.lists(tokens, min_size=1, max_size=5))
def test_a_row_does_not_depend_on_its_neighbours(token_lists):
    embedder = HashedEmbedder(64)
    together = embedder.encode_documents(token_lists, [""] * len(token_lists))
    for row, words in zip(together, token_lists, strict=True):
        np.testing.assert_allclose(row, embedder.encode_documents([words], [""])[0], atol=1e-6)


def test_many_chunks_are_encoded_as_few_are():
    token_lists = [[f"w{number % 97}", f"v{number % 89}", "x"] for number in range(2500)]
    embedder = HashedEmbedder()
    vectors = embedder.encode_documents(token_lists, [""] * 2500)
    np.testing.assert_allclose(vectors[2100], embedder.encode_documents([token_lists[2100]], [""])[0], atol=1e-6)


def test_a_query_meets_the_document_of_the_same_words():
    embedder = HashedEmbedder()
    words = ["数据库", "连接池", "配置"]
    document = embedder.encode_documents([words], [""])[0]
    np.testing.assert_allclose(embedder.encode_query(words, [1, 1, 1], ""), document, atol=1e-6)
    np.testing.assert_allclose(embedder.encode_query([*words, "别的"], [1, 1, 1, 0], ""), document, atol=1e-6)
    assert not embedder.encode_query([], [], "").any()


def test_vectors_are_the_same_in_another_process():
    words = ["打印机", "err_timeout", "691"]
    code = (
        "from core.embedding.hashed import HashedEmbedder; "
        f"print(HashedEmbedder().encode_documents([{words!r}], [''])[0].tobytes().hex())"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == HashedEmbedder().encode_documents([words], [""])[0].tobytes().hex()


def test_the_sign_does_not_follow_from_the_bucket():
    buckets, signs = HashedEmbedder(256)._places(term_ids(f"word{number}" for number in range(20_000)))
    for bucket, sign in zip(buckets, signs, strict=True):
        sums = np.bincount(bucket, weights=sign, minlength=256)
        counts = np.bincount(bucket, minlength=256)
        assert counts.min() > 0
        assert (np.abs(sums) < counts).all()  # every bucket holds both signs
        assert abs(signs.mean()) < 0.05


def test_the_fingerprint_names_the_dimension():
    assert HashedEmbedder(256).fingerprint != HashedEmbedder(128).fingerprint
