"""Vector indexes: exact squared distances by slot, FAISS being the oracle of the hashed one."""

from __future__ import annotations

import threading

import faiss
import numpy as np
import pytest

from core.embedding.hashed import HashedEmbedder
from core.index.vector import FaissIndex, HashedIndex, open_vectors, vectors_for

DIMENSION = 256


def unit_vectors(count: int, *, dense: int = DIMENSION, seed: int = 1) -> np.ndarray:
    """Random unit rows with `dense` non-zero dimensions each."""
    random = np.random.default_rng(seed)
    rows = np.zeros((count, DIMENSION), dtype=np.float32)
    for row in rows:
        row[random.choice(DIMENSION, dense, replace=False)] = random.normal(size=dense)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def faiss_distances(rows: np.ndarray, query: np.ndarray) -> np.ndarray:
    """What IndexFlatL2's own search returns, by slot."""
    flat = faiss.IndexFlatL2(rows.shape[1])
    flat.add(rows)
    found, labels = flat.search(query[np.newaxis], len(rows))
    result = np.empty(len(rows))
    result[labels[0]] = found[0]
    return result


@pytest.mark.parametrize("kind", [HashedIndex, FaissIndex])
@pytest.mark.parametrize("dense", [3, 10, 99, 101, 256])
def test_distances_are_those_of_faiss_however_the_rows_came(kind, dense):
    rows = unit_vectors(700)
    index = kind(DIMENSION)
    for start, end in ((0, 1), (1, 1), (1, 300), (300, 700)):
        index.add(rows[start:end])
    query = unit_vectors(1, dense=dense, seed=2)[0]
    distances = index.distances(query)
    assert distances.dtype == np.float64
    np.testing.assert_allclose(distances, faiss_distances(rows, query), atol=2e-6)
    for slots in (np.array([699, 0, 5]), np.arange(0, 700, 3), np.empty(0, dtype=np.int64)):
        np.testing.assert_allclose(index.distances(query, slots), distances[slots], atol=2e-6)


def test_dense_distances_are_those_that_faiss_returns():
    rows, query = unit_vectors(500), unit_vectors(1, seed=3)[0]
    index = FaissIndex(DIMENSION)
    index.add(rows)
    np.testing.assert_allclose(index.distances(query), faiss_distances(rows, query), rtol=1e-6)


@pytest.mark.parametrize(("cosine", "distance"), [(1.0, 0.0), (0.8085, 0.383), (0.0, 2.0), (-1.0, 4.0)])
@pytest.mark.parametrize("kind", [HashedIndex, FaissIndex])
def test_distances_are_squared_and_not_rooted(kind, cosine, distance):
    first, second = np.zeros((2, 4), dtype=np.float32)
    first[0] = 1
    second[0], second[1] = cosine, np.sqrt(max(0.0, 1 - cosine**2))
    index = kind(4)
    index.add(second[np.newaxis])
    assert index.distances(first)[0] == pytest.approx(distance, abs=1e-6)


def test_a_chunk_without_words_is_far_from_every_hashed_query():
    index = HashedIndex(4)
    index.add(np.zeros((2, 4), dtype=np.float32))
    assert index.distances(np.array([1, 0, 0, 0], dtype=np.float32)).tolist() == [2.0, 2.0]
    assert index.distances(np.zeros(4, dtype=np.float32)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("kind", [HashedIndex, FaissIndex])
@pytest.mark.parametrize("count", [0, 1, 300])
def test_what_was_saved_is_found_again_and_can_grow(kind, count, tmp_path):
    path = tmp_path / "知识 库é" / "vectors"
    path.parent.mkdir()
    rows, query = unit_vectors(310), unit_vectors(1, dense=10, seed=4)[0]
    index = kind(DIMENSION)
    index.add(rows[:count])
    index.save(path)
    opened = open_vectors(path, DIMENSION, count)
    assert type(opened) is kind
    np.testing.assert_array_equal(opened.distances(query), index.distances(query))
    opened.add(rows[count:])
    assert len(opened) == 310
    np.testing.assert_allclose(opened.distances(query), faiss_distances(rows, query), atol=2e-6)
    opened.save(tmp_path / "again")
    assert len(open_vectors(tmp_path / "again", DIMENSION, 310)) == 310


@pytest.mark.parametrize("kind", [HashedIndex, FaissIndex])
def test_a_file_of_another_shape_or_kind_is_refused(kind, tmp_path):
    path = tmp_path / "vectors"
    index = kind(DIMENSION)
    index.add(unit_vectors(5))
    index.save(path)
    with pytest.raises(ValueError, match="shape"):
        open_vectors(path, DIMENSION, 6)
    with pytest.raises(ValueError, match="shape"):
        open_vectors(path, 128, 5)
    path.write_bytes(b"no vectors at all")
    with pytest.raises(ValueError, match="not a vector index"):
        open_vectors(path, DIMENSION, 5)


@pytest.mark.parametrize("kind", [HashedIndex, FaissIndex])
def test_kept_slots_keep_their_order(kind, tmp_path):
    rows, query = unit_vectors(50), unit_vectors(1, seed=5)[0]
    index = kind(DIMENSION)
    index.add(rows[:30])
    index.save(tmp_path / "vectors")
    index = open_vectors(tmp_path / "vectors", DIMENSION, 30)
    index.add(rows[30:])
    alive = np.random.default_rng(6).random(45) < 0.5  # the last five came after the mask was made
    kept = index.kept(alive)
    np.testing.assert_allclose(kept.distances(query), index.distances(query)[:45][alive], atol=1e-6)
    assert len(index.kept(np.zeros(0, dtype=bool))) == 0


@pytest.mark.parametrize("kind", [HashedIndex, FaissIndex])
def test_readers_never_see_half_an_addition(kind):
    rows, query = unit_vectors(3000), unit_vectors(1, seed=7)[0]
    expected = faiss_distances(rows, query)
    index, wrong, done = kind(DIMENSION), [], threading.Event()

    def read() -> None:
        while not done.is_set():
            seen = index.distances(query)
            if len(seen) % 50 or not np.allclose(seen, expected[: len(seen)], atol=1e-5):
                wrong.append(len(seen))

    reader = threading.Thread(target=read)
    reader.start()
    for start in range(0, 3000, 50):
        index.add(rows[start : start + 50])
    done.set()
    reader.join()
    assert not wrong


def test_hashed_vectors_get_the_hashed_index_and_others_faiss():
    class Dense:
        name, dimension, fingerprint = "dense", 8, "dense"

    assert isinstance(vectors_for(HashedEmbedder(64)), HashedIndex)
    assert isinstance(vectors_for(Dense()), FaissIndex)
