"""Recall in two steps: words first, then any embedder's vectors on the same state, wherever and whenever they run."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest

from core.embedding.hashed import HashedEmbedder
from core.index.generation import IndexMismatch
from core.index.recall import BM25, BOTH_LEGS, VECTOR, Recall, SubQuery, merged
from core.index.snapshot import ChunkIndex, IndexedChunk
from core.protocols import Unit, Vectors

HASHED = HashedEmbedder(64)
WORDS = [f"w{n}" for n in range(40)]


class Model:
    """Dense vectors from the text's bytes; counts what it encodes."""

    name, dimension, fingerprint, unit = "model", 8, "model-8", Unit.CHUNK

    def __init__(self) -> None:
        self.documents = 0
        self.threads: set[int] = set()

    def encode_documents(self, token_lists: object, texts: list[str]) -> Vectors:
        self.documents += len(texts)
        return np.stack([self.encode_query((), (), text) for text in texts])

    def encode_query(self, tokens: object, weights: object, text: str) -> Vectors:
        self.threads.add(threading.get_ident())
        vector = np.random.default_rng(list(text.encode())).normal(size=self.dimension).astype(np.float32)
        unit: Vectors = vector / np.linalg.norm(vector)
        return unit


def chunks(seed: int, count: int = 300) -> list[IndexedChunk]:
    chooser = random.Random(seed)
    return [
        IndexedChunk(n, n // 3, tuple(chooser.choices(WORDS, k=chooser.randint(1, 6))), f"text {n}")
        for n in range(count)
    ]


def queries(seed: int) -> list[SubQuery]:
    chooser = random.Random(seed)
    return [SubQuery(chooser.choices(WORDS, k=3), f"q{n}", 1.0 if n == 0 else 0.8) for n in range(3)]


def same(one: Recall, other: Recall) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "distance")
        for name in ("chunk_ids", "article_ids", "bm25", "whole", "vector", "distance")
    )


@pytest.mark.parametrize("legs", [BOTH_LEGS, {BM25}, {VECTOR}])
@pytest.mark.parametrize("embedder", ["hashed", "model"])
def test_two_embedders_in_one_index_find_what_each_finds_alone(embedder: str, legs: frozenset[str]) -> None:
    both = ChunkIndex.build(chunks(1), Model(), 1, further=(HASHED,))
    alone = ChunkIndex.build(chunks(1), HASHED if embedder == "hashed" else Model(), 1)
    for seed in range(20):
        asked, allowed = queries(seed), np.arange(0, 100, 2) if seed % 2 else None
        words = both.by_words(asked, allowed_articles=allowed, lexical=BM25 in legs)
        near = both.by_vectors(words, embedder) if VECTOR in legs else None
        expected = alone.recall_all(asked, allowed_articles=allowed, legs=frozenset(legs))
        assert same(merged(words, near), expected), f"seed {seed}"


def test_vectors_that_come_late_speak_of_the_state_that_the_words_were_found_in() -> None:
    index = ChunkIndex.build(chunks(2), Model(), 1, further=(HASHED,))
    asked = queries(2)
    words = index.by_words(asked)
    before = {name: merged(words, index.by_vectors(words, name)) for name in ("model", "hashed")}
    index.apply([IndexedChunk(900, 900, tuple(WORDS), "new")], [0, 1, 2], 2)
    found: list[bool] = []

    def late() -> None:
        for name, expected in before.items():
            found.append(same(merged(words, index.by_vectors(words, name)), expected))

    thread = threading.Thread(target=late)
    thread.start()
    thread.join()
    assert found == [True, True]
    assert 900 in index.recall_all(asked).chunk_ids


def test_without_vectors_now_and_with_them_later() -> None:
    index = ChunkIndex.build(chunks(3), Model(), 1)
    words = index.by_words(queries(3))
    first, whole = merged(words, None), merged(words, index.by_vectors(words))
    again = merged(words, None)
    assert same(first, again)
    assert np.isnan(first.distance).all()
    assert not np.isnan(whole.distance).any()
    assert set(first.chunk_ids.tolist()) < set(whole.chunk_ids.tolist())


def test_the_best_articles_are_those_of_the_best_whole_scores() -> None:
    index = ChunkIndex.build(chunks(4), HASHED, 1)
    recall = index.recall_all(queries(4))
    whole = dict(zip(recall.article_ids.tolist(), recall.whole.tolist(), strict=True))
    best = index.by_words(queries(4)).best_articles(5)
    assert [score for _, score in best] == sorted(whole.values(), reverse=True)[:5]
    assert all(whole[article] == score for article, score in best)
    assert index.by_words([SubQuery(["nowhere"])]).best_articles(5) == []


def test_both_kinds_of_vectors_are_written_and_read_again(tmp_path) -> None:
    model = Model()
    built = ChunkIndex.build(chunks(5), model, 1, further=(HASHED,))
    built.save(tmp_path / "1")
    encoded = model.documents
    loaded = ChunkIndex.load(tmp_path / "1", model, HASHED)
    assert model.documents == encoded  # nothing was encoded again
    for name in ("model", "hashed"):
        words, others = built.by_words(queries(5)), loaded.by_words(queries(5))
        assert same(merged(words, built.by_vectors(words, name)), merged(others, loaded.by_vectors(others, name)))
    assert loaded.verify() == ()


@pytest.mark.parametrize("others", [(HASHED,), (Model(),), (HASHED, Model())], ids=["hashed", "model", "swapped"])
def test_a_generation_for_other_embedders_is_refused(tmp_path, others) -> None:
    ChunkIndex.build(chunks(6), Model(), 1, further=(HASHED,)).save(tmp_path / "1")
    with pytest.raises(IndexMismatch):
        ChunkIndex.load(tmp_path / "1", *others)


class Placed(Model):
    """Cosines that the test says, of one article each."""

    def __init__(self, cosines: list[float], unit: Unit = Unit.CHUNK) -> None:
        super().__init__()
        self.unit = unit
        self._rows = [np.array([c, np.sqrt(1 - c * c), *[0.0] * 6], dtype=np.float32) for c in cosines]

    def encode_documents(self, token_lists: object, texts: list[str]) -> Vectors:
        return np.stack([self._rows[int(text)] for text in texts])

    def encode_query(self, tokens: object, weights: object, text: str) -> Vectors:
        return np.eye(1, 8, dtype=np.float32)[0]


def nearness(cosines: list[float]) -> list[float]:
    held = [IndexedChunk(n, n, ("w1",), str(n)) for n in range(len(cosines))]
    index = ChunkIndex.build(held, Placed(cosines), 1)
    found = index.recall_all([SubQuery(["w1"], "q")], legs=BOTH_LEGS)
    return [float(found.vector[found.chunk_ids == n].max(initial=0.0)) for n in range(len(cosines))]


def test_a_models_nearness_is_how_far_a_cosine_stands_out_wherever_cosines_begin() -> None:
    chooser = random.Random(5)
    cosines = [chooser.gauss(0.8, 0.02) for _ in range(400)]
    cosines[7] = 0.9
    high, low = nearness(cosines), nearness([cosine - 0.1 for cosine in cosines])
    assert int(np.argmax(high)) == int(np.argmax(low)) == 7
    assert high[7] == pytest.approx(5.0, abs=0.5)
    # Few articles more are supposed to be there than are, so that it is nearly and not quite the same.
    assert low[7] == pytest.approx(high[7], rel=0.12)


def test_what_stands_below_the_others_is_not_near() -> None:
    assert nearness([0.9, 0.8, 0.8, 0.8, 0.8, 0.7])[-1] == 0.0
