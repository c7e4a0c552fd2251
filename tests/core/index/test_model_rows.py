"""Scores of rows: exact where they are read whole, and of the nearest where most are read as codes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from core.index.codes import CodeScan, coded
from core.index.model_rows import RERANKED, ModelRows
from core.index.row_file import hashes_from, read_row_file, write_row_file
from core.protocols import Vectors

DIMENSION = 128


def clustered(count: int, seed: int = 1, dimension: int = DIMENSION) -> Vectors:
    """Unit vectors in bunches, as a model's are: many are near each other. One dimension is large in all, as some
    models have it."""
    random = np.random.default_rng(seed)
    middles = random.normal(size=(40, dimension))
    vectors = middles[random.integers(0, 40, count)] + 0.4 * random.normal(size=(count, dimension))
    vectors[:, 7] += 6.0
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def queries(vectors: Vectors, count: int) -> Vectors:
    random = np.random.default_rng(7)
    near = vectors[random.integers(0, len(vectors), count)] + 0.02 * random.normal(size=(count, vectors.shape[1]))
    return (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)


def text(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def on_disk(folder: Path, vectors: Vectors, *, codes_from: int) -> ModelRows:
    path = write_row_file(
        folder,
        "model",
        hashes_from([text(number) for number in range(len(vectors))]),
        lambda places: vectors[places],
        dimension=vectors.shape[1],
        codes_from=codes_from,
    )
    return ModelRows(vectors.shape[1], read_row_file(path, "model", vectors.shape[1]))


def everything(rows: ModelRows) -> np.ndarray:
    return np.ones(len(rows), dtype=np.bool_)


def test_rows_are_found_by_their_texts_before_and_after_the_file(tmp_path: Path) -> None:
    vectors = clustered(300)
    rows = on_disk(tmp_path, vectors[:200], codes_from=10**9)
    rows.add([text(number) for number in range(150, 300)], vectors[150:])
    assert (len(rows), rows.newer) == (300, 100)
    found = rows.rows_of([text(number) for number in (0, 199, 200, 299, 300, 5000)])
    assert found[:4].min() >= 0
    assert found[4:].tolist() == [-1, -1]
    assert np.array_equal(rows.now().at(found[:4]), vectors[[0, 199, 200, 299]])


def test_scores_without_codes_are_exact(tmp_path: Path) -> None:
    vectors = clustered(500) * np.float32(0.8)  # not of unit length
    rows = on_disk(tmp_path, vectors[:400], codes_from=10**9)
    rows.add([text(number) for number in range(400, 500)], vectors[400:])
    places = rows.rows_of([text(number) for number in range(500)])
    query = queries(vectors, 1)[0]
    scores = rows.now().scores(query, everything(rows))
    np.testing.assert_allclose(scores[places], vectors @ query, atol=1e-6)
    np.testing.assert_allclose(rows.now().exact(query, places[::7]), (vectors @ query)[::7], atol=1e-6)


def test_rows_that_were_asked_for_do_not_change_when_more_come(tmp_path: Path) -> None:
    vectors = clustered(1000)
    rows = ModelRows(DIMENSION)
    rows.add([text(number) for number in range(10)], vectors[:10])
    before = rows.now()
    rows.add([text(number) for number in range(10, 1000)], vectors[10:])
    assert len(before) == 10
    np.testing.assert_array_equal(before.newer, vectors[:10])


def test_vectors_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        ModelRows(DIMENSION).add([text(1)], np.zeros((1, DIMENSION + 1), dtype=np.float32))


def test_no_rows_at_all_have_no_scores() -> None:
    rows = ModelRows(DIMENSION)
    assert len(rows.now().scores(np.ones(DIMENSION, dtype=np.float32), everything(rows))) == 0
    assert rows.rows_of([text(1)]).tolist() == [-1]


@pytest.mark.parametrize("dimension", [100, 128, 384])
def test_codes_give_every_row_a_score_that_is_nearly_right(dimension: int) -> None:
    vectors = clustered(3000, dimension=dimension)
    vectors[17] = 0
    scan = CodeScan(coded(vectors))
    for query in queries(vectors, 10):
        np.testing.assert_allclose(scan.scores(query), vectors @ query, atol=0.01)
    assert np.abs(scan.scores(np.zeros(dimension, dtype=np.float32))).max() < 1e-6


def test_with_codes_the_ten_nearest_are_those_of_all_vectors_and_their_scores_exact(tmp_path: Path) -> None:
    vectors = clustered(5000)
    rows = on_disk(tmp_path, vectors[:4500], codes_from=0)
    rows.add([text(number) for number in range(4500, 5000)], vectors[4500:])
    places = rows.rows_of([text(number) for number in range(5000)])
    found = 0
    for query in queries(vectors, 100):
        exact = vectors @ query
        scores = rows.now().scores(query, everything(rows))[places]
        right, ours = np.argsort(-exact)[:10], np.argsort(-scores)[:10]
        found += len(set(right.tolist()) & set(ours.tolist()))
        np.testing.assert_allclose(scores[ours], exact[ours], atol=1e-6)
        np.testing.assert_allclose(scores, exact, atol=0.01)
        np.testing.assert_allclose(scores[4500:], exact[4500:], atol=1e-6)  # what came after the file
    assert found >= 0.99 * 1000


def test_the_exact_scores_are_those_of_rows_that_are_wanted(tmp_path: Path) -> None:
    vectors = clustered(2000)
    rows = on_disk(tmp_path, vectors, codes_from=0)
    query = queries(vectors, 1)[0]
    exact = rows.now().frozen @ query
    wanted = np.ones(2000, dtype=np.bool_)
    wanted[np.argsort(-exact)[:100]] = False
    scores = rows.now().scores(query, wanted)
    best = np.argsort(-np.where(wanted, exact, -np.inf))[: RERANKED // 2]
    np.testing.assert_allclose(scores[best], exact[best], atol=1e-6)
