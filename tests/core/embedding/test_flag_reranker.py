"""An added reranker: measured when it is loaded, and asked only as long as an answer can wait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.embedding.flag_reranker import MOST_MS, PAIRS, FlagReranker
from core.embedding.model_fault import ModelUnusable
from core.embedding.model_process import ModelProcess
from core.embedding_status import ModelFault
from tests.core.embedding.fake_worker import command
from tests.core.embedding.made_model import made_model
from tests.manual_clock import ManualClock

JUDGE = {"architectures": ["XLMRobertaForSequenceClassification"], "id2label": {"0": "LABEL_0"}}


class SlowProcess(ModelProcess):
    """Each pair takes its time, on the test's clock; `late`: it is never done."""

    def __init__(self, clock: ManualClock, pair_ms: float) -> None:
        super().__init__(command=command())
        self.clock, self.pair_ms = clock, pair_ms
        self.asked: list[int] = []
        self.late = False

    def ask(self, do: str, *, seconds: float, **facts: object) -> tuple[dict[str, object], bytes]:
        if do == "scores":
            texts = facts["texts"]
            assert isinstance(texts, list)
            self.asked.append(len(texts))
            self.clock.advance(self.pair_ms * len(texts) / 1000)
            if self.late:
                raise TimeoutError
        return super().ask(do, seconds=60 if do == "scores" else seconds, **facts)


class Desk:
    def __init__(self, folder: Path, pair_ms: float) -> None:
        self.clock = ManualClock()
        self.process = SlowProcess(self.clock, pair_ms)
        self.reranker = FlagReranker(folder, process=lambda: self.process, now=self.clock.monotonic)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made_model(tmp_path / "bge-reranker-v2-m3", heads=False, **JUDGE)


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    desk = Desk(folder, 10)
    yield desk
    desk.reranker.close()


def test_thirty_pairs_are_measured_when_it_is_loaded(desk: Desk) -> None:
    assert not desk.reranker.is_quick
    desk.reranker.load()
    assert desk.process.asked == [1, 3, PAIRS, PAIRS]
    assert desk.reranker.pairs_ms == pytest.approx(10 * PAIRS)
    assert desk.reranker.is_quick
    assert desk.reranker.device == "cpu"


@pytest.mark.parametrize(("pair_ms", "is_quick"), [(MOST_MS / PAIRS, True), (MOST_MS / PAIRS + 0.1, False)])
def test_it_is_quick_up_to_eight_hundred_milliseconds(folder: Path, pair_ms: float, is_quick: bool) -> None:
    desk = Desk(folder, pair_ms)
    desk.reranker.load()
    assert desk.reranker.is_quick == is_quick
    desk.reranker.close()


def test_a_very_slow_one_is_measured_by_a_few_pairs(folder: Path) -> None:
    desk = Desk(folder, 1000)
    desk.reranker.load()
    assert desk.process.asked == [1, 3]
    assert desk.reranker.pairs_ms == pytest.approx(1000 * PAIRS)
    assert not desk.reranker.is_quick
    desk.reranker.close()


def test_each_passage_has_a_score(desk: Desk) -> None:
    desk.reranker.load()
    scores = desk.reranker.scores("VPN", ["VPN", "printer", "VPN VPN"])
    assert scores.tolist() == [1.0, 0.0, 2.0]
    assert desk.reranker.scores("VPN", []).tolist() == []


def test_no_time_left_is_late_without_asking(desk: Desk) -> None:
    desk.reranker.load()
    desk.process.asked.clear()
    with pytest.raises(TimeoutError):
        desk.reranker.scores("VPN", ["VPN"], seconds=0.0)
    assert desk.process.asked == []
    assert desk.reranker.is_quick


def test_one_that_is_late_again_and_again_is_not_quick_any_more(desk: Desk) -> None:
    desk.reranker.load()
    for late in (True, True, False, True, True, True):
        assert desk.reranker.is_quick
        desk.process.late = late
        if late:
            with pytest.raises(TimeoutError):
                desk.reranker.scores("VPN", ["VPN"])
        else:
            desk.reranker.scores("VPN", ["VPN"])
    assert not desk.reranker.is_quick


def test_an_embedder_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable) as caught:
        FlagReranker(made_model(tmp_path / "bge-m3"))
    assert caught.value.fault is ModelFault.NOT_A_MODEL


def test_one_whose_process_ends_is_a_fault(folder: Path) -> None:
    reranker = FlagReranker(folder, process=lambda: ModelProcess(command=command("says_why")))
    with pytest.raises(ModelUnusable) as caught:
        reranker.load()
    assert caught.value.fault is ModelFault.DIED
    reranker.close()
