"""A model's vectors by the slots of an index, whose chunks come and go."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from core.embedding.hashed import HashedEmbedder
from core.index.attached import Attached
from core.index.model_rows import ModelRows
from core.index.recall import State
from core.index.snapshot import ChunkIndex, IndexedChunk
from core.protocols import Unit
from tests.counted_embedder import CountedEmbedder

CHUNKS_EACH = 3


def chunks(articles: range) -> list[IndexedChunk]:
    """Chunk 10·a + n of article a."""
    return [
        IndexedChunk(10 * article + number, article, (f"w{article}",), f"text {article}/{number}")
        for article in articles
        for number in range(CHUNKS_EACH)
    ]


def made(unit: Unit, articles: range) -> tuple[Attached, dict[int, np.ndarray]]:
    """Vectors of these articles, or of their chunks; by id as well."""
    model = CountedEmbedder(unit=unit)
    ids = list(articles) if unit is Unit.ARTICLE else [chunk.chunk_id for chunk in chunks(articles)]
    vectors = {one: model.vector(f"text {one}") for one in ids}
    rows = ModelRows(model.dimension)
    hashes = [hashlib.sha256(str(one).encode()).hexdigest() for one in ids]
    backwards = list(reversed(hashes))
    rows.add(backwards, np.stack([vectors[one] for one in reversed(ids)]))
    return Attached(model, ids, rows.rows_of(hashes), rows.now()), vectors


def state_of(index: ChunkIndex) -> State:
    return index._state


@pytest.fixture
def index() -> ChunkIndex:
    return ChunkIndex.build(chunks(range(1, 21)), HashedEmbedder(16), 1)


@pytest.mark.parametrize("unit", list(Unit))
def test_each_slot_has_the_distance_of_its_own_vector(index: ChunkIndex, unit: Unit) -> None:
    index.apply(chunks(range(30, 33)), [5], 2)
    attached, vectors = made(unit, range(1, 33))
    state = state_of(index)
    query = CountedEmbedder().vector("what is asked")
    distances = attached.at(state).distances(query)
    ids = state.article_ids if unit is Unit.ARTICLE else state.chunk_ids
    for one, distance in zip(ids.tolist(), distances, strict=True):
        assert distance == pytest.approx(2 - 2 * float(vectors[one] @ query), abs=1e-5)
    slots = np.array([3, 0, 61], dtype=np.int64)
    np.testing.assert_allclose(attached.at(state).distances(query, slots), distances[slots], atol=1e-6)


@pytest.mark.parametrize("unit", list(Unit))
def test_a_slot_without_a_vector_has_no_distance(index: ChunkIndex, unit: Unit) -> None:
    attached, _ = made(unit, range(1, 20))
    state = state_of(index)
    query = CountedEmbedder().vector("what is asked")
    distances = attached.at(state).distances(query)
    assert np.flatnonzero(np.isnan(distances)).tolist() == [57, 58, 59]
    assert np.isnan(attached.at(state).distances(query, np.array([0, 58]))).tolist() == [False, True]


def test_no_vectors_at_all(index: ChunkIndex) -> None:
    attached, _ = made(Unit.CHUNK, range(50, 51))
    assert np.isnan(attached.at(state_of(index)).distances(CountedEmbedder().vector("x"))).all()
    assert not attached.is_enough(state_of(index))
    assert attached.has([1, 2, 500]) == 1


@pytest.mark.parametrize("unit", list(Unit))
def test_what_is_removed_does_not_count(index: ChunkIndex, unit: Unit) -> None:
    attached, _ = made(unit, range(1, 18))  # 17 of 20
    index.attach(attached)
    assert [one.name for one in index.embedders] == ["hashed"]
    index.apply([], [19, 20], 2)  # 17 of 18
    assert [one.name for one in index.embedders] == ["counted", "hashed"]
    index.apply(chunks(range(40, 41)), [], 3)  # 17 of 19
    assert [one.name for one in index.embedders] == ["hashed"]


def test_an_index_without_chunks_asks_no_model() -> None:
    attached, _ = made(Unit.CHUNK, range(1, 3))
    index = ChunkIndex.build([], HashedEmbedder(16), 1)
    index.attach(attached)
    assert [one.name for one in index.embedders] == ["hashed"]


def test_distances_are_never_negative() -> None:
    longer = np.array([[2.0, 0.0]], dtype=np.float32)
    rows = ModelRows(2)
    rows.add(["00" * 32], longer)
    attached = Attached(CountedEmbedder(dimension=2), [10], np.array([0]), rows.now())
    index = ChunkIndex.build(chunks(range(1, 2)), HashedEmbedder(16), 1)
    distances = attached.at(state_of(index)).distances(np.array([1.0, 0.0], dtype=np.float32))
    assert distances[0] == 0.0
