"""A model's vectors follow the knowledge: made once for each text, found again, and never those of another model."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import core.attaching
import core.passages
from core.attaching import ModelVectors
from core.embedding.model_fault import ModelUnusable
from core.engine import Engine
from core.errors import Cancelled
from core.index.recall import Recall, SubQuery
from core.job import Job
from core.protocols import Unit, Vectors
from core.store.vector_store import VectorStore
from tests.counted_embedder import CountedEmbedder
from tests.manual_clock import ManualClock

MANY = 600  # enough for a file of rows


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty") / "data"
    with closing(Engine.open(folder)) as engine:
        engine.remove_starter()
    return folder


class Desk:
    """An engine without articles, and vectors of models beside it."""

    def __init__(self, folder: Path, knowledge: Path) -> None:
        self.folder, self._knowledge = folder, knowledge
        self.engine, self.clock = Engine.open(folder), ManualClock()
        self.vectors = self.fresh()

    def fresh(self, *, codes_from: int = 10**9, store: VectorStore | None = None) -> ModelVectors:
        """As another start of the program has them."""
        return ModelVectors(
            self.engine._database,
            self.engine._articles,
            self.engine._keeper,
            now=self.clock.monotonic,
            codes_from=codes_from,
            store=store,
        )

    def write(self, **texts: str) -> None:
        """Import these articles, each a file; an empty text takes one away."""
        self._knowledge.mkdir(exist_ok=True)
        for name, text in texts.items():
            path = self._knowledge / f"{name}.md"
            path.write_text(text, encoding="utf-8") if text else path.unlink()
        self.engine.ingest([self._knowledge], allow_removal=True)

    def write_many(self, count: int) -> None:
        self._knowledge.mkdir(exist_ok=True)
        rows = "".join(f"R{number},问题 {number},第 {number} 条答案\n" for number in range(count))
        (self._knowledge / "faq.csv").write_text("编号,问题,答案\n" + rows, encoding="utf-8")
        self.engine.ingest([self._knowledge])

    def recall(self, text: str) -> Recall:
        index = self.engine._keeper.current()
        return index.recall_all([SubQuery(index_tokens(self.engine, text), text)])

    def row_files(self) -> list[Path]:
        return sorted((self.folder / "vectors").glob("*"))


def index_tokens(engine: Engine, text: str) -> list[str]:
    from core.text import fold, tokenize

    return tokenize(fold(text), engine._keeper.lexicon.words)


@pytest.fixture
def desk(empty: Path, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(Path(shutil.copytree(empty, tmp_path / "data")), tmp_path / "kb")
    yield desk
    desk.vectors.close()
    desk.engine.close()


@pytest.fixture(params=list(Unit))
def model(request: pytest.FixtureRequest) -> CountedEmbedder:
    return CountedEmbedder(unit=request.param)


A, B, C = "# 打印机卡纸\n\n打开后盖，取出纸张。", "# 邮箱已满\n\n清空已删除邮件。", "# 投影没有信号\n\n检查连接线。"


def test_each_text_is_encoded_once_and_found_at_the_next_start(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(a=A, b=B, copy=A)
    desk.vectors.set_model(model)
    assert desk.vectors.coverage() == (0, 3)
    assert not desk.vectors.is_serving()
    assert desk.vectors.embed_missing()
    assert len(model.encoded) == len(set(model.encoded)) == 2
    assert desk.vectors.coverage() == (3, 3)
    assert desk.vectors.is_serving()
    assert desk.vectors.embed_missing()
    again = desk.fresh()
    again.set_model(model)
    assert again.coverage() == (3, 3)
    assert again.embed_missing()
    assert len(model.encoded) == 2


def test_only_articles_that_came_are_read_again(
    desk: Desk, model: CountedEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write(a=A, b=B)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    read: list[str] = []
    hash_of = core.passages.hash_of
    monkeypatch.setattr(core.passages, "hash_of", lambda text: read.append(text) or hash_of(text))
    desk.vectors.embed_missing()
    assert read == []
    desk.write(c=C)
    desk.vectors.embed_missing()
    assert len(read) == 1
    assert "投影" in read[0]
    assert model.encoded[2:] == read


def test_openings_are_not_made_again_at_the_next_start(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(a=A, b=B)
    model = CountedEmbedder(unit=Unit.ARTICLE)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()

    def never(*_: object) -> str:
        raise AssertionError("an opening was made again")

    monkeypatch.setattr(core.passages, "opening_of", never)
    again = desk.fresh()
    again.set_model(model)
    assert again.coverage() == (2, 2)


def test_of_articles_that_nobody_read_most_wait_for_the_embedding(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.attaching, "_READ_AT_FIRST", 4)
    desk.write_many(10)
    read: list[str] = []
    opening_of = core.passages.opening_of
    monkeypatch.setattr(core.passages, "opening_of", lambda *of: read.append(of[0]) or opening_of(*of))
    model = CountedEmbedder(unit=Unit.ARTICLE)
    desk.vectors.set_model(model)
    assert len(read) == 4
    assert desk.vectors.coverage() == (0, 10)
    desk.write(a=A)
    assert desk.vectors.coverage() == (0, 11)
    desk.vectors.set_model(model)
    assert len(read) == 5
    desk.write(a="")
    assert desk.vectors.coverage() == (0, 10)
    assert desk.vectors.embed_missing()
    assert desk.vectors.coverage() == (10, 10)
    assert len(model.encoded) == 10
    desk.vectors.embed_missing()
    assert len(read) == 4 + 1 + 6 + 10  # and once more to encode each


def test_openings_are_made_again_once_they_are_made_otherwise(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(a=A)
    model = CountedEmbedder(unit=Unit.ARTICLE)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    core.passages.reading.cache_clear()
    monkeypatch.setattr(core.passages, "opening_of", lambda title, body: f"{title} | {body[:10]}")
    try:
        again = desk.fresh()
        again.set_model(model)
        assert again.coverage() == (0, 1)
        again.embed_missing()
    finally:
        core.passages.reading.cache_clear()
    assert [text[:8] for text in model.encoded] == ["打印机卡纸\n打开", "打印机卡纸 | "]


def test_coverage_is_right_after_an_import_and_a_removal(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(a=A, b=B)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    desk.write(c=C)
    assert desk.vectors.coverage() == (2, 3)
    desk.write(a="")
    assert desk.vectors.coverage() == (1, 2)
    desk.write(b=B + "改。")
    assert desk.vectors.coverage() == (0, 2)
    desk.vectors.embed_missing()
    assert desk.vectors.coverage() == (2, 2)
    desk.write(b=B)  # as it was: its vector is still there
    encoded = len(model.encoded)
    desk.vectors.embed_missing()
    assert desk.vectors.coverage() == (2, 2)
    assert len(model.encoded) == encoded


def test_an_article_without_a_vector_is_found_by_its_words_and_is_neither_near_nor_far(
    desk: Desk, model: CountedEmbedder
) -> None:
    desk.write(**{f"a{number}": f"# 第 {number} 篇\n\n打印机的事情 {number}。" for number in range(20)})
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    desk.write(c=C)
    assert desk.vectors.is_serving()
    found = desk.recall("投影没有信号")
    new = int(np.argmax(found.bm25))
    assert found.bm25[new] > 0
    assert (found.vector[new], np.isnan(found.distance[new])) == (0.0, True)
    others = np.arange(len(found)) != new
    assert np.isfinite(found.distance[others]).all()
    assert np.isfinite(found.vector).all()
    desk.vectors.embed_missing()
    after = desk.recall("投影没有信号")
    at = after.chunk_ids.tolist().index(found.chunk_ids[new])
    assert after.distance[at] == after.distance.min()


def test_the_model_serves_while_nine_of_ten_have_a_vector(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(**{f"a{number}": f"# 第 {number} 篇\n\n正文 {number}。" for number in range(9)})
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    desk.write(a9="# 第 9 篇\n\n正文 9。")
    assert desk.vectors.is_serving()  # nine of ten
    desk.write(a10="# 第 10 篇\n\n正文 10。")
    assert not desk.vectors.is_serving()  # nine of eleven
    assert np.isfinite(desk.recall("第 3 篇").distance).all()  # hashed vectors answer
    desk.vectors.embed_missing()
    assert desk.vectors.is_serving()


def test_what_was_made_before_a_cancel_is_kept(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(100)
    desk.vectors.set_model(model)
    job = Job()
    model.takes = lambda: job.cancel() if len(model.encoded) > 20 else None
    with pytest.raises(Cancelled):
        desk.vectors.embed_missing(job)
    before = len(model.encoded)
    assert 20 < before < 100
    assert desk.vectors.coverage() == (before, 100)
    model.takes = lambda: None
    again = desk.fresh()
    again.set_model(model)
    assert again.coverage() == (before, 100)
    desk.vectors.set_model(model)
    assert desk.vectors.embed_missing()
    assert len(model.encoded) == len(set(model.encoded)) == 100


def test_progress_counts_from_what_is_there(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(a=A, b=B)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    desk.write(c=C)
    told: list[tuple[int, int, str]] = []
    desk.vectors.embed_missing(Job(lambda one: told.append((one.done, one.total, one.label))))
    assert told == [(2, 3, model.name)]


def test_it_stops_when_its_time_is_over(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(20)
    desk.vectors.set_model(model)
    model.takes = lambda: desk.clock.advance(1.0)
    assert not desk.vectors.embed_missing(seconds=3.5)
    assert len(model.encoded) == 4  # one at a time: each takes long
    assert not desk.vectors.embed_missing(seconds=0)
    assert desk.vectors.embed_missing(seconds=1000)


def test_what_is_imported_meanwhile_is_embedded_as_well(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(a=A, b=B)
    desk.vectors.set_model(model)
    arrivals = [lambda: desk.write(b=""), lambda: desk.write(c=C)]  # the last one first
    model.takes = lambda: arrivals.pop()() if arrivals else None
    assert desk.vectors.embed_missing()
    assert desk.vectors.coverage() == (2, 2)


def test_a_model_that_is_replaced_meanwhile_makes_no_more(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(50)
    other = CountedEmbedder("other", 8)
    desk.vectors.set_model(model)
    model.takes = lambda: desk.vectors.set_model(other)
    assert not desk.vectors.embed_missing()
    assert len(model.encoded) == 1
    assert desk.vectors.coverage() == (0, 50)  # of the other
    assert not desk.vectors.is_serving()


def test_vectors_can_be_asked_while_the_last_ones_are_made(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(100)
    desk.vectors.set_model(model)
    seen: list[tuple[int, bool]] = []

    def takes() -> None:
        desk.clock.advance(0.6)
        seen.append((desk.vectors.coverage()[0], desk.vectors.is_serving()))

    model.takes = takes
    desk.vectors.embed_missing()
    assert seen[0] == (0, False)
    assert any(0 < done < 100 for done, _ in seen)
    assert all(is_serving == (done >= 90) for done, is_serving in seen)


@pytest.mark.parametrize("wrong", [np.full((1, 32), np.nan), np.zeros((1, 31)), np.zeros((0, 32))])
def test_what_is_no_vector_is_not_kept(desk: Desk, wrong: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(a=A)
    model = CountedEmbedder()
    monkeypatch.setattr(model, "encode_documents", lambda *_: wrong)
    desk.vectors.set_model(model)
    with pytest.raises(ModelUnusable):
        desk.vectors.embed_missing()
    monkeypatch.undo()
    assert desk.vectors.embed_missing()
    assert len(model.encoded) == 1


@pytest.mark.parametrize("data", [b"short", np.full(32, np.inf, dtype=np.float32).tobytes()])
def test_a_damaged_vector_in_the_store_is_made_again(desk: Desk, model: CountedEmbedder, data: bytes) -> None:
    desk.write(a=A, b=B)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    store = VectorStore(desk.folder / "vectors.sqlite3")
    spoilt = next(store.each(model.fingerprint))[0]
    store.keep(model.fingerprint, {spoilt: data})
    again = desk.fresh()
    again.set_model(model)
    assert again.coverage() == (1, 2)
    again.embed_missing()
    assert again.coverage() == (2, 2)
    assert len(model.encoded) == 3


# --------------------------------------------------------------- the row file


def test_many_vectors_stand_in_a_file_that_the_next_start_opens(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(MANY)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    (file,) = desk.row_files()
    (desk.folder / "vectors.sqlite3").unlink()  # it is not read from there
    again = desk.fresh()
    again.set_model(model)
    assert again.coverage() == (MANY, MANY)
    assert np.isfinite(desk.recall("第 17 条").distance).all()
    assert desk.row_files() == [file]


def test_a_file_is_written_anew_once_a_tenth_is_not_in_it_and_no_sooner(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(MANY)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    first = desk.row_files()
    desk.write_many(MANY + 500)
    desk.vectors.embed_missing()
    assert desk.row_files() == first
    desk.write_many(MANY + 501)
    desk.vectors.embed_missing()
    second = desk.row_files()
    assert (len(second), second != first) == (1, True)
    assert desk.vectors.coverage() == (MANY + 501, MANY + 501)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def foreign(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"counted-1:32"', b'"another:320"'.ljust(14), 1))


@pytest.mark.parametrize("damage", [cut_off, foreign, lambda path: path.write_bytes(b"")])
def test_a_file_that_is_cut_off_or_of_another_model_is_made_again_from_the_store(
    desk: Desk,
    model: CountedEmbedder,
    damage: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk.write_many(MANY)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    before = desk.recall("第 17 条")
    (file,) = desk.row_files()
    desk.vectors.set_model(None)
    damage(file)
    again = desk.fresh()
    with caplog.at_level(logging.WARNING):
        again.set_model(model)
    assert f"{file.name} are not usable" in caplog.text
    assert again.coverage() == (MANY, MANY)
    assert len(model.encoded) == MANY
    after = desk.recall("第 17 条")
    np.testing.assert_array_equal(after.chunk_ids, before.chunk_ids)
    np.testing.assert_allclose(after.distance, before.distance, atol=1e-6)
    assert len(desk.row_files()) == 1


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(desk: Desk, model: CountedEmbedder) -> None:
    (desk.folder / "vectors").write_text("in its place")
    desk.write_many(MANY)
    desk.vectors.set_model(model)
    assert desk.vectors.embed_missing()
    assert desk.vectors.is_serving()


def test_codes_change_no_answer(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(MANY)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    exact = {text: desk.recall(text) for text in ("第 17 条", "问题 333", "答案")}
    (file,) = desk.row_files()
    file.unlink()
    coded = desk.fresh(codes_from=0)
    coded.set_model(model)
    for text, wanted in exact.items():
        found = desk.recall(text)
        best = lambda recall: recall.chunk_ids[np.argsort(recall.distance, kind="stable")[:10]].tolist()  # noqa: E731
        assert set(best(found)) == set(best(wanted))
        np.testing.assert_allclose(np.sort(found.distance)[:10], np.sort(wanted.distance)[:10], atol=1e-6)


# ------------------------------------------------- other models, other folders


def test_models_do_not_mix_and_going_back_encodes_nothing(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(MANY)
    newer = CountedEmbedder(model.name, model.dimension, model.unit, version=2)
    for one in (model, newer):
        desk.vectors.set_model(one)
        desk.vectors.embed_missing()
        found = desk.recall("问题 333")
        text = next(text for text in one.encoded if "333" in text)
        nearest = 2 - 2 * float(one.vector(text) @ one.vector("问题 333"))
        assert np.abs(found.distance - nearest).min() < 1e-5
    for one in (model, newer, model):
        desk.vectors.set_model(one)
        assert desk.vectors.embed_missing()
        assert desk.vectors.coverage() == (MANY, MANY)
    assert len(model.encoded) == len(newer.encoded) == MANY
    assert len(desk.row_files()) == 2


def test_two_data_folders_may_share_the_store(desk: Desk, empty: Path, tmp_path: Path, model: CountedEmbedder) -> None:
    store = VectorStore(tmp_path / "shared.sqlite3")
    other = Desk(Path(shutil.copytree(empty, tmp_path / "other")), tmp_path / "kb2")
    with closing(other.engine):
        desk.write(a=A, b=B)
        other.write(x=C, y=A)
        for one in (desk, other):
            one.vectors = one.fresh(store=store)
            one.vectors.set_model(model)
        together = [threading.Thread(target=one.vectors.embed_missing) for one in (desk, other)]
        for thread in together:
            thread.start()
        for thread in together:
            thread.join()
        for one in (desk, other):
            assert one.vectors.coverage() == (2, 2)
        before = len(model.encoded)
        assert before in (3, 4)  # both may have begun with the text that they share
        again = other.fresh(store=store)
        again.set_model(model)
        assert again.embed_missing()
        assert len(model.encoded) == before
        projector = next(text for text in model.encoded if "投影" in text)
        query = "投影没有信号"
        distance = 2 - 2 * float(model.vector(projector) @ model.vector(query))
        assert abs(other.recall(query).distance.min() - distance) < 1e-5
        other.vectors.close()


# --------------------------------------------------------------------- doctor


def test_doctor_says_how_many_texts_lack_a_vector(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(a=A, b=B)
    assert desk.vectors.check("en").detail == "the file of vectors can be read; no model is in use"
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    desk.write(c=C)
    check = desk.vectors.check("en")
    assert (check.status, check.detail) == ("ok", "counted: texts: 3, without a vector: 1")
    assert desk.vectors.check("zh_CN").detail == "counted：3 条文本，1 条还没有向量"


def test_doctor_drops_damaged_vectors(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(a=A, b=B)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    store = VectorStore(desk.folder / "vectors.sqlite3")
    store.keep(model.fingerprint, {next(store.each(model.fingerprint))[0]: bytes([0, 0, 192, 127]) * 32})
    check = desk.vectors.check("en")
    assert check.status == "repaired"
    assert "dropped: 1; texts: 2, without a vector: 1" in check.detail
    desk.vectors.embed_missing()
    assert desk.vectors.check("en").status == "ok"
    assert desk.vectors.coverage() == (2, 2)


def test_doctor_finds_a_changed_byte_in_the_row_file(desk: Desk, model: CountedEmbedder) -> None:
    desk.write_many(MANY)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    (file,) = desk.row_files()
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    file.unlink()  # it is mapped
    file.write_bytes(data)
    assert desk.vectors.check("en").status == "repaired"
    assert desk.vectors.coverage() == (MANY, MANY)
    assert desk.vectors.check("en").status == "ok"
    assert len(model.encoded) == MANY


def test_doctor_begins_a_damaged_file_anew(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(a=A, b=B)
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    (desk.folder / "vectors.sqlite3").write_bytes(b"no database" * 1000)
    check = desk.vectors.check("en")
    assert (check.name, check.status) == ("vectors", "repaired")
    desk.vectors.embed_missing()
    assert desk.vectors.check("en").detail == "counted: texts: 2, without a vector: 0"


def test_doctor_goes_on_where_the_file_cannot_be_opened(desk: Desk) -> None:
    path = desk.folder / "vectors.sqlite3"
    path.unlink(missing_ok=True)
    path.mkdir()
    check = desk.vectors.check("en")
    assert (check.name, check.status) == ("vectors", "failed")
    assert "unable to open database file" in check.detail


def test_lookups_imports_and_embedding_at_once(desk: Desk, model: CountedEmbedder) -> None:
    desk.write(**{f"a{number}": f"# 打印机 {number}\n\n正文 {number}。" for number in range(30)})
    desk.vectors.set_model(model)
    desk.vectors.embed_missing()
    failed: list[BaseException] = []
    over = threading.Event()

    def again(work: Callable[[], object]) -> threading.Thread:
        def run() -> None:
            try:
                while not over.is_set():
                    work()
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def ask() -> None:
        found = desk.recall("打印机 7")
        assert len(found) > 0
        assert np.isfinite(found.vector).all()
        done, total = desk.vectors.coverage()
        assert 0 <= done <= total

    threads = [again(ask), again(ask), again(desk.vectors.embed_missing)]
    try:
        for number in range(8):
            desk.write(**{f"b{number}": f"# 邮箱 {number}\n\n正文 {number}。", f"a{number}": ""})
            if number == 4:
                desk.vectors.set_model(model)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert failed == []
    assert desk.vectors.embed_missing()
    assert desk.vectors.coverage() == (30, 30)
    assert len(model.encoded) == len(set(model.encoded)) == 38
