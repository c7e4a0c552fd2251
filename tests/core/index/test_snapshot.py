"""ChunkIndex: both legs over one state, changed in one step, saved as immutable generations."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.hashed import HashedEmbedder
from core.errors import Cancelled
from core.index.generation import IndexMismatch
from core.index.recall import SubQuery
from core.index.snapshot import ChunkIndex, IndexedChunk
from core.job import Job
from core.protocols import Unit

EMBEDDER = HashedEmbedder(64)
WORDS = ["网络", "打印机", "vpn", "重置", "的", "outlook", "691"]


def chunk(number: int, article: int, words: str) -> IndexedChunk:
    return IndexedChunk(number, article, tuple(words.split()), words)


def base() -> ChunkIndex:
    return ChunkIndex.build(
        [
            chunk(1, 10, "vpn 691 网络"),
            chunk(2, 10, "vpn 重置"),
            chunk(3, 20, "打印机 卡纸 的"),
            chunk(4, 30, "outlook 密码 重置"),
            chunk(5, 40, "屏幕 黑"),
        ],
        EMBEDDER,
        7,
    )


def answer(index: ChunkIndex, *words: str) -> dict[int, tuple[float, float, float]]:
    """chunk id → article, BM25 and distance, rounded."""
    found = index.recall(words)
    rows = zip(found.chunk_ids, found.article_ids, found.bm25, found.distance, strict=True)
    return {int(number): (int(article), round(score, 9), round(far, 5)) for number, article, score, far in rows}


def assert_same(found, expected) -> None:
    assert list(found) == list(expected)
    for number, values in found.items():
        np.testing.assert_allclose(values, expected[number], atol=2e-5)


class DenseEmbedder:
    """A stand-in with dense vectors, so that FAISS serves."""

    name, dimension, fingerprint, unit = "dense", 8, "dense-test", Unit.CHUNK

    def encode_documents(self, token_lists, texts):
        rows = np.array([[1.0 + text.count(c) for c in "vpnreset"] for text in texts], dtype=np.float32)
        return rows.reshape(-1, 8) / np.linalg.norm(rows.reshape(-1, 8), axis=1, keepdims=True)

    def encode_query(self, tokens, weights, text):
        return self.encode_documents([tokens], [text])[0]


@st.composite
def changes(draw):
    """Batches of articles (a list of word lists, one a chunk) to add, with numbers of articles to remove."""
    words = st.lists(st.sampled_from(WORDS), max_size=6)
    article = st.lists(words, min_size=1, max_size=3)
    return draw(
        st.lists(st.tuples(st.lists(article, max_size=4), st.lists(st.integers(0, 30), max_size=3)), max_size=5)
    )


@settings(max_examples=60, deadline=None)
@given(changes(), st.lists(st.sampled_from([*WORDS, "nowhere"]), max_size=4))
def test_after_any_changes_it_answers_as_one_built_anew(tmp_path_factory, batches, query):
    index, live, numbers, articles = ChunkIndex.build([], EMBEDDER, 0), {}, 0, 0
    for version, (added, removed) in enumerate(batches, start=1):
        gone = {list(live)[number % len(live)] for number in removed} if live else set()
        fresh = []
        for pieces in added:
            articles += 1
            chunks = []
            for words in pieces:
                numbers += 1
                chunks.append(IndexedChunk(numbers, articles, tuple(words), " ".join(words)))
            live[articles] = chunks
            fresh.extend(chunks)
        for article in gone:
            del live[article]
        index.apply(fresh, gone, version)
        assert index.version == version
    rebuilt = ChunkIndex.build([one for chunks in live.values() for one in chunks], EMBEDDER, 99)
    assert_same(answer(index, *query), answer(rebuilt, *query))
    assert len(index) == len(rebuilt)
    assert index.article_ids() == frozenset(live)
    assert index.chunk_ids().tolist() == rebuilt.chunk_ids().tolist()
    folder = tmp_path_factory.mktemp("索引") / "1"
    index.save(folder)
    loaded = ChunkIndex.load(folder, EMBEDDER)
    assert loaded.version == index.version
    assert_same(answer(loaded, *query), answer(rebuilt, *query))
    assert loaded.verify() == ()


def test_a_loaded_generation_takes_further_changes(tmp_path):
    base().save(tmp_path / "1")
    index = ChunkIndex.load(tmp_path / "1", EMBEDDER)
    index.apply([chunk(6, 50, "vpn 证书 过期")], [10], 8)
    assert set(answer(index, "vpn", "证书")) == {6}
    index.save(tmp_path / "2")
    again = ChunkIndex.load(tmp_path / "2", EMBEDDER)
    assert again.chunk_ids().tolist() == [3, 4, 5, 6]
    assert answer(again, "vpn", "重置") == answer(index, "vpn", "重置")
    assert set(answer(ChunkIndex.load(tmp_path / "1", EMBEDDER), "691")) >= {1}  # the older one is untouched


def test_an_updated_article_is_replaced_in_one_step():
    index = base()
    index.apply([chunk(6, 10, "vpn 已停用")], [10], 8)
    assert {number for number, (article, *_) in answer(index, "vpn").items() if article == 10} == {6}
    assert index.df("691") == 0


def test_a_search_that_has_begun_keeps_its_state_and_its_model():
    class Beside:
        embedder = HashedEmbedder(8)

        def is_enough(self, state):
            return True

    Beside.embedder.name = "model"
    index = base()
    index.attach(Beside())
    begun = index.as_now()
    index.attach(None)
    index.apply([chunk(6, 50, "vpn 证书")], [10], 8)
    assert begun.embedder_of("model") is Beside.embedder
    assert [one.name for one in index.embedders] == ["hashed"]
    assert (begun.version, begun.df("vpn")) == (7, 2)
    assert (index.version, index.df("vpn")) == (8, 1)


def test_a_model_that_was_taken_away_gives_way_to_the_hashed_vectors():
    index = base()
    words = index.by_words([SubQuery(["vpn"], "vpn")])
    assert index.embedder_of("model").name == "hashed"
    np.testing.assert_array_equal(index.by_vectors(words, "model").distance, index.by_vectors(words).distance)


def test_only_allowed_articles_are_offered_but_the_scores_stay():
    index = base()
    everything, some = answer(index, "重置"), index.recall(["重置"], allowed_articles=np.array([30, 40]))
    assert some.chunk_ids.tolist() == [4]
    assert some.bm25[0] == pytest.approx(everything[4][1])
    assert len(index.recall(["重置"], allowed_articles=np.array([], dtype=np.int64))) == 0


def test_a_leg_can_be_left_out():
    index = base()
    lexical = index.recall(["vpn"], legs=frozenset({"bm25"}))
    assert lexical.chunk_ids.tolist() == [1, 2]
    assert np.isnan(lexical.distance).all()
    assert not lexical.vector.any()
    nearest = index.recall(["vpn"], legs=frozenset({"vector"}), vector_candidates=2)
    assert set(nearest.chunk_ids.tolist()) <= {1, 2, 3, 4, 5}
    assert len(nearest) <= 2
    assert not nearest.bm25.any()
    assert len(index.recall(["vpn"], legs=frozenset())) == 0


def test_sub_queries_merge_by_their_best_scaled_score():
    index = base()
    first, second = answer(index, "vpn"), answer(index, "重置")
    merged = index.recall_all([SubQuery(["vpn"]), SubQuery(["重置"], factor=0.8)])
    assert len(set(merged.chunk_ids.tolist())) == len(merged)
    for number, score, distance in zip(merged.chunk_ids.tolist(), merged.bm25, merged.distance, strict=True):
        choices = [
            weight * found[number][1]
            for weight, found in ((1, first), (0.8, second))
            if number in found and found[number][1]
        ]
        assert score == pytest.approx(max(choices, default=0.0))
        assert distance <= min(found[number][2] for found in (first, second) if number in found) + 1e-5
    assert {1, 2, 4} <= set(merged.chunk_ids.tolist())


def test_unknown_words_pull_nothing_near():
    assert len(base().recall(["nowhere", "nothing"])) == 0
    assert len(base().recall([])) == 0
    assert len(ChunkIndex.build([], EMBEDDER, 0).recall(["vpn"])) == 0


def test_of_very_many_found_chunks_the_strongest_are_kept():
    chunks = [chunk(n, n, "的 " * (1 + n % 3) + ("vpn" if n % 50 == 0 else f"x{n % 7}")) for n in range(1, 1001)]
    index = ChunkIndex.build(chunks, EMBEDDER, 0)
    everything = index.recall(["的", "vpn"], most=1000)
    assert len(everything) == 1000
    some = index.recall(["的", "vpn"], most=30)
    assert len(some) == 30
    kept = np.isin(everything.chunk_ids, some.chunk_ids)
    strength = sum(leg / leg.max() for leg in (everything.bm25, everything.whole, everything.vector))
    assert np.sort(strength[kept])[3:].min() >= strength[~kept].max() - 1e-9  # but for the three best of a leg
    for ours, all_of_it in zip(
        (some.bm25, some.whole, some.vector), (everything.bm25, everything.whole, everything.vector), strict=True
    ):
        np.testing.assert_allclose(ours, all_of_it[kept], atol=1e-6)
        assert ours.max() == pytest.approx(all_of_it.max())
    dense = ChunkIndex.build(chunks, DenseEmbedder(), 0)
    assert len(dense.recall(["的"], query_text="v", most=5, vector_candidates=3)) == 5


def test_dense_vectors_are_served_by_faiss_and_saved(tmp_path):
    index = ChunkIndex.build([chunk(1, 1, "vpn"), chunk(2, 2, "reset"), chunk(3, 3, "")], DenseEmbedder(), 1)
    index.apply([chunk(4, 4, "vpn reset")], [3], 2)
    index.save(tmp_path / "1")
    loaded = ChunkIndex.load(tmp_path / "1", DenseEmbedder())
    for one in (index, loaded):
        found = one.recall(["vpn"], query_text="vpn")
        assert found.chunk_ids.tolist() == [1, 4]  # the other is farther than the base is on average
        assert found.distance[0] == pytest.approx(0, abs=1e-6)
        assert found.distance[1] > 0.001
        assert found.vector[0] > found.vector[1]


def test_readers_see_a_change_whole():
    """An article is always there with all its chunks of one edition, while it is replaced again and again."""
    index, problems, done = base(), [], threading.Event()

    def read() -> None:
        while not done.is_set():
            found = index.recall(["edition"])
            if len(set(found.chunk_ids // 100)) > 1 or len(found) not in (0, 3):
                problems.append(found.chunk_ids.tolist())

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for edition in range(1, 120):
        index.apply(
            [chunk(100 * edition + part, edition, f"edition p{part}") for part in range(3)], [edition - 1], edition
        )
    done.set()
    for reader in readers:
        reader.join()
    assert not problems


def test_a_generation_is_due_after_a_tenth_has_changed(tmp_path):
    built = ChunkIndex.build([chunk(n, n, f"w{n}") for n in range(10_000)], EMBEDDER, 0)
    assert built.needs_rebuild  # nothing is on disk yet
    built.save(tmp_path / "1")
    index = ChunkIndex.load(tmp_path / "1", EMBEDDER)
    assert not index.needs_rebuild
    index.apply([chunk(10_000 + n, 10_000 + n, "x") for n in range(600)], range(400), 1)
    assert not index.needs_rebuild
    index.apply([], range(400, 500), 2)
    assert index.needs_rebuild


def test_a_small_index_is_built_at_every_start():
    assert not base().needs_rebuild


def test_build_can_be_cancelled():
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        ChunkIndex.build([chunk(1, 1, "x")], EMBEDDER, 0, job=job)


def test_a_generation_is_never_replaced(tmp_path):
    (tmp_path / "1.new").mkdir()
    (tmp_path / "1.new" / "half.npy").write_bytes(b"left by a killed process")
    base().save(tmp_path / "1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1"]
    assert not (tmp_path / "1" / "half.npy").exists()
    with pytest.raises(FileExistsError):
        base().save(tmp_path / "1")


@pytest.mark.parametrize("name", ["chunks.npy", "vectors", "manifest.json", "lengths.npy"])
@pytest.mark.parametrize("how", ["gone", "shorter", "empty"])
def test_a_folder_that_is_not_whole_is_refused(tmp_path, name, how):
    base().save(tmp_path / "1")
    path = tmp_path / "1" / name
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: -4 if how == "shorter" else 0])
    with pytest.raises(IndexMismatch):
        ChunkIndex.load(tmp_path / "1", EMBEDDER)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 0},
        {"embedder": "other"},
        {"dimension": 32},
        {"count": 4},
        {"files": []},
        {"files": {"chunks.npy": {}}},
    ],
)
def test_a_manifest_that_does_not_match_is_refused(tmp_path, change):
    base().save(tmp_path / "1")
    path = tmp_path / "1" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(IndexMismatch):
        ChunkIndex.load(tmp_path / "1", EMBEDDER)


def test_a_folder_of_another_embedder_is_refused(tmp_path):
    base().save(tmp_path / "1")
    with pytest.raises(IndexMismatch):
        ChunkIndex.load(tmp_path / "1", HashedEmbedder(128))


def test_verify_finds_a_flipped_bit(tmp_path):
    base().save(tmp_path / "1")
    path = tmp_path / "1" / "chunks.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert ChunkIndex.load(tmp_path / "1", EMBEDDER).verify() == ("chunks.npy",)
